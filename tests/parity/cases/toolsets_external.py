"""External toolsets: definitions, validation, deferred calls and their results."""

from _common import call, fact, run, script
from _toolsets import ask, context, g, listing
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import TextPart
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset, FunctionToolset

SCHEMA = {'type': 'object', 'properties': {'x': {'type': 'integer'}}, 'required': ['x']}
definition = ToolDefinition(
    name='e',
    description='An e.',
    parameters_json_schema=SCHEMA,
    kind='function',
    sequential=True,
    metadata={'a': 1},
    strict=True,
)
toolset = ExternalToolset([definition, ToolDefinition(name='plain')], id='ext')
fact('listing', listing(toolset, 'kind', 'description', 'sequential', 'metadata', 'strict', 'parameters_json_schema'))
fact('given stays', definition.kind)
tools = ask(toolset.get_tools(context(max_retries=7)))
tool = tools['e']
fact(
    'tool',
    [
        tool.max_retries,
        type(tool).__name__,
        tool.args_validator.validate_python(5),
        tool.args_validator.validate_json('{"x": "y"}'),
    ],
)
fact('called', ask(toolset.call_tool('e', {}, context(), tool)))
fact('attributes', [toolset.id, toolset.tool_defs[0] is definition])
fact(
    'one name twice',
    listing(
        ExternalToolset([ToolDefinition(name='e', description='1'), ToolDefinition(name='e', description='2')]),
        'description',
    ),
)
fact('empty', listing(ExternalToolset([])))
fact('wrapped', listing(toolset.prefixed('p').with_metadata(b=2), 'kind', 'metadata'))
agent = Agent(
    script([call('e', {'x': 'not checked'}), call('g', {'b': 'b'})], [TextPart('done')]),
    toolsets=[toolset.prefixed('p').renamed({'e': 'p_e'}), FunctionToolset([g])],
    output_type=[str, DeferredToolRequests],
)
first = run('deferred', agent, 'q')
run(
    'resumed',
    agent,
    message_history=first.all_messages(),
    deferred_tool_results=DeferredToolResults(calls={'id_e': {'done': True}}),
)
bad = Agent(
    script([call('e', '{"x": ')], [TextPart('done')]), toolsets=[toolset], output_type=[str, DeferredToolRequests]
)
run('broken JSON', bad, 'q')
run(
    'of the run', Agent(script([call('e', {'x': 1})]), output_type=[str, DeferredToolRequests]), 'q', toolsets=[toolset]
)
