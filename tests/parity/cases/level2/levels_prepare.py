"""`None` of a function that prepares tools is an error in 2.x, except that of one tool."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from pydantic_ai import Agent, Tool, ToolOutput
from pydantic_ai.capabilities import AbstractCapability, Hooks, PrepareOutputTools, PrepareTools
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import FunctionToolset, PreparedToolset


def one() -> int:
    return 1


async def none(ctx: object, tool_defs: object) -> None:
    return None


async def seen(ctx: object, tool_defs: object) -> object:
    print('  the second hook got', tool_defs)
    return tool_defs


class Subclass(AbstractCapability):
    async def prepare_tools(self, ctx: object, tool_defs: object) -> None:
        return None


def show(name: str, make: Callable[[], Agent]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            result: object = make().run_sync('x').output
        except UserError:
            result = 'UserError'
    print(name, '->', result, [warning.category.__name__ for warning in caught])


show('toolset', lambda: Agent(TestModel(), toolsets=[PreparedToolset(FunctionToolset([one]), lambda ctx, defs: None)]))
show('toolset, async', lambda: Agent(TestModel(), toolsets=[FunctionToolset([one]).prepared(none)]))
show('capability', lambda: Agent(TestModel(), tools=[one], capabilities=[PrepareTools(none)]))
show('hook', lambda: Agent(TestModel(), tools=[one], capabilities=[Hooks(prepare_tools=none)]))
show(
    'hooks',
    lambda: Agent(TestModel(), tools=[one], capabilities=[Hooks(prepare_tools=none), Hooks(prepare_tools=seen)]),
)
show('subclass', lambda: Agent(TestModel(), tools=[one], capabilities=[Subclass()]))
show('output', lambda: Agent(TestModel(), output_type=ToolOutput(int), capabilities=[PrepareOutputTools(none)]))
show(
    'output hook',
    lambda: Agent(TestModel(), output_type=ToolOutput(int), capabilities=[Hooks(prepare_output_tools=none)]),
)
show('one tool', lambda: Agent(TestModel(), tools=[Tool(one, prepare=none)]))
