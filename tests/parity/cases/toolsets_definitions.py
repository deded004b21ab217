"""Wrappers that change definitions: metadata, deferred loading and return schemas."""

from _common import call, fact, run, script
from _toolsets import f, g, h, listing
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset


def three(**options):
    return FunctionToolset(
        [
            Tool(f, metadata={'a': 1, 'b': 2}, include_return_schema=False),
            g,
            Tool(h, include_return_schema=True, defer_loading=True),
        ],
        **options,
    )


print('== metadata')
fact('added', listing(three().with_metadata(a=9, c=3), 'metadata'))
fact('nothing', listing(three().with_metadata(), 'metadata'))
fact(
    'nested is replaced',
    listing(FunctionToolset([Tool(f, metadata={'x': {'y': 1}})]).with_metadata(x={'z': 2}), 'metadata'),
)
fact('over that of the toolset', listing(three(metadata={'a': 5, 'd': 5}).with_metadata(d=6), 'metadata'))
fact('twice', listing(three().with_metadata(a=3).with_metadata(a=4, e=1), 'metadata'))
toolset = three()
listing(toolset.with_metadata(a=9), 'metadata')
fact('left alone', listing(toolset, 'metadata'))
print('== loading')
fact('all', listing(three().defer_loading(), 'defer_loading'))
fact('some', listing(three().defer_loading(['g']), 'defer_loading'))
fact('none', listing(three().defer_loading([]), 'defer_loading'))
fact('names from below', listing(three().prefixed('p').defer_loading(['p_g']), 'defer_loading'))
fact(
    'missing from some steps',
    listing(three().filtered(lambda ctx, definition: definition.name != 'f').defer_loading(['f']), 'defer_loading'),
)
print('== return schemas')
fact('included', listing(three().include_return_schemas(), 'include_return_schema', 'return_schema'))
fact(
    'default of the toolset',
    listing(three(include_return_schema=False).include_return_schemas(), 'include_return_schema'),
)
fact(
    'function default',
    listing(FunctionToolset([f], include_return_schema=False).include_return_schemas(), 'include_return_schema'),
)
print('== in a run')
seen = []
stack = three().with_metadata(m=1).include_return_schemas().prefixed('p').with_metadata(n=2)
agent = Agent(script([call('p_f', {'a': 3})], [TextPart('done')], seen=seen), toolsets=[stack])
run('stack', agent, 'q')
fact(
    'sent',
    [[tool.name, tool.metadata, tool.include_return_schema, tool.description] for tool in seen[0][1].function_tools],
)
