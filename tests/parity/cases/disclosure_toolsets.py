"""Toolsets of deferred capabilities: several, made by functions, prefixed, external, with approval."""

from _disclosure import LOCAL, call, function, load, model, run, show
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.capabilities import Capability
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset, FunctionToolset

for label, toolsets in {
    'several': [FunctionToolset([function('one')]), FunctionToolset([function('two')])],
    'function': [lambda ctx: FunctionToolset([function(f'at_{ctx.run_step}')])],
    'prefixed': [FunctionToolset([function('one')]).prefixed('p')],
}.items():
    show(label)
    run(
        Agent(
            model(load('c'), **LOCAL),
            capabilities=[Capability(id='c', toolsets=toolsets, tools=[function('own')], defer_loading=True)],
        )
    )
show('external')
external = Capability(id='c', toolsets=[ExternalToolset([ToolDefinition(name='outside')])], defer_loading=True)
agent = Agent(
    model(load('c'), [call('outside', x=1)], **LOCAL), capabilities=[external], output_type=[str, DeferredToolRequests]
)
result = run(agent)
show('output', [item.tool_name for item in result.output.calls])
