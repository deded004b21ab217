"""Decorated functions keep their types, and contexts know the type of the dependencies.

What must be an error is marked as one, for both checkers; they complain about a mark that is not needed.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true

# pyright: reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from typing_extensions import assert_type

from stead import Agent, FunctionToolset, ModelRetry, RunContext, Tool, ToolDefinition
from stead.toolsets import AbstractToolset, FilteredToolset, PrefixedToolset


@dataclass
class Deps:
    factor: int


agent = Agent('test', deps_type=Deps, output_type=int)


@agent.tool
def scale(ctx: RunContext[Deps], x: int, *, times: float = 1.0) -> float:
    assert_type(ctx.deps, Deps)
    assert_type(ctx.deps.factor, int)
    return x * times * ctx.deps.factor


@agent.tool(retries=2, name='scale_later')
async def scale_async(ctx: RunContext[Deps], x: int) -> int:
    assert_type(ctx.deps, Deps)
    return x


@agent.tool_plain
def add(a: int, b: int) -> int:
    return a + b


@agent.tool_plain(retries=3, sequential=True)
async def add_async(a: int, b: int = 0) -> int:
    return a + b


# What is decorated can be called as before; a wrong call is an error where it is written.
add(1, 2)
add('1', 2)  # type: ignore[arg-type]
add(1)  # type: ignore[call-arg]


@agent.system_prompt
def prompt(ctx: RunContext[Deps]) -> str:
    return str(ctx.deps.factor)


@agent.system_prompt(dynamic=True)
async def prompt_async(ctx: RunContext[Deps]) -> str | None:
    return None


@agent.instructions
def instructions() -> str:
    return 'Be brief.'


@agent.output_validator
async def validate(ctx: RunContext[Deps], output: int) -> int:
    if output < ctx.deps.factor:
        raise ModelRetry('too small')
    return output


prompt_type: Callable[[RunContext[Deps]], str] = prompt
instructions_type: Callable[[], str] = instructions
validate_type: Callable[[RunContext[Deps], int], Coroutine[Any, Any, int]] = validate


@agent.toolset
def tools_of_the_run(ctx: RunContext[Deps]) -> AbstractToolset[Deps] | None:
    assert_type(ctx.deps, Deps)
    return None


# Dependencies are checked.
agent.run_sync('x', deps=Deps(2))
agent.run_sync('x', deps='no')  # type: ignore[call-overload]


# Toolsets.
toolset = FunctionToolset[Deps]()


@toolset.tool
def of_toolset(ctx: RunContext[Deps], x: int) -> int:
    assert_type(ctx.deps, Deps)
    return x


@toolset.tool_plain
def plain_of_toolset(x: int) -> int:
    return x


plain_of_toolset(1)


def keep(ctx: RunContext[Deps], definition: ToolDefinition) -> bool:
    return ctx.deps.factor > 0


assert_type(toolset.prefixed('a'), PrefixedToolset[Deps])
assert_type(toolset.filtered(keep), FilteredToolset[Deps])
assert_type(Agent('test', deps_type=Deps, toolsets=[toolset.prefixed('a')]), Agent[Deps, str])


async def prepare(ctx: RunContext[Deps], definition: ToolDefinition) -> ToolDefinition | None:
    return definition if ctx.deps.factor else None


def undecorated(ctx: RunContext[Deps], x: int) -> int:
    return x


assert_type(Tool(undecorated, prepare=prepare), Tool[Deps])
assert_type(Agent('test', deps_type=Deps, tools=[Tool(undecorated), add]), Agent[Deps, str])
