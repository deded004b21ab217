"""Deferred toolsets: all tools, some of them, with a prefix, external ones, by a flag of the toolset."""

from _disclosure import LOCAL, function, model, run, search, show
from pydantic_ai import Agent
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset, FunctionToolset


def named(name):
    def tool(x: int) -> int:
        return x

    tool.__name__ = name
    return tool


for label, toolset in {
    'all': FunctionToolset([function('one'), function('two')]).defer_loading(),
    'some': FunctionToolset([function('one'), function('two')]).defer_loading(['one']),
    'prefix': FunctionToolset([function('one'), function('two')]).defer_loading(['one']).prefixed('p'),
    'external': ExternalToolset([ToolDefinition(name='one', defer_loading=True)]),
    'flag': FunctionToolset([named('one'), function('two')], defer_loading=True),
}.items():
    show(label)
    run(Agent(model(search('one'), **LOCAL), toolsets=[toolset], tools=[function('plain')]))
