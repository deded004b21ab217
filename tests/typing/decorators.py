"""What is wrong in a decorated function, and a run without its dependencies, is an error where it is written."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel
from typing_extensions import assert_type

from stead import Agent, RunContext
from stead.toolsets import AbstractToolset, FunctionToolset


@dataclass
class Deps:
    user: str


class City(BaseModel):
    name: str


class River(BaseModel):
    name: str


agent = Agent('test', deps_type=Deps, output_type=City)


# What is right.


@agent.output_validator
def check(ctx: RunContext[Deps], output: City) -> City:
    return output


@agent.output_validator
async def check_later(output: City) -> City:
    return output


@agent.instructions
def with_context(ctx: RunContext[Deps]) -> str:
    return ctx.deps.user


@agent.instructions()
async def without_context() -> str | None:
    return None


@agent.system_prompt
async def prompt(ctx: RunContext[Deps]) -> str:
    return ctx.deps.user


@agent.system_prompt(dynamic=True)
def dynamic_prompt() -> str:
    return ''


@agent.toolset
def tools(ctx: RunContext[Deps]) -> FunctionToolset[Deps]:
    return FunctionToolset[Deps]()


@agent.toolset(per_run_step=False)
async def tools_later(ctx: RunContext[Deps]) -> AbstractToolset[Deps] | None:
    return None


# A decorated function keeps its type.
assert_type(with_context, Callable[[RunContext[Deps]], str])
assert_type(dynamic_prompt, Callable[[], str])
assert_type(tools, Callable[[RunContext[Deps]], FunctionToolset[Deps]])


# What is wrong.


@agent.output_validator  # type: ignore[arg-type]
def other_output(output: River) -> River:
    return output


@agent.output_validator  # type: ignore[arg-type]
def other_deps(ctx: RunContext[int], output: City) -> City:
    return output


@agent.instructions  # type: ignore[arg-type]
def instructions_for_others(ctx: RunContext[int]) -> str:
    return ''


@agent.instructions()  # type: ignore[arg-type]
def more_instructions_for_others(ctx: RunContext[int]) -> str:
    return ''


@agent.instructions  # type: ignore[type-var]
def no_text(ctx: RunContext[Deps]) -> int:
    return 3


@agent.system_prompt  # type: ignore[arg-type]
def prompt_for_others(ctx: RunContext[int]) -> str:
    return ''


@agent.toolset  # type: ignore[arg-type]
def tools_for_others(ctx: RunContext[int]) -> FunctionToolset[Deps]:
    return FunctionToolset[Deps]()


# mypy does not compare a default with what the type of the agent makes of it, on the reference neither.
async def without_deps() -> None:
    agent.run_sync('x')  # pyright: ignore[reportArgumentType]
    await agent.run('x')  # pyright: ignore[reportArgumentType]
    await agent.run('x', output_type=int)  # pyright: ignore[reportArgumentType, reportCallIssue]
    agent.run_stream('x')  # pyright: ignore[reportArgumentType]
    agent.run_stream_events('x')  # pyright: ignore[reportArgumentType]
    agent.run_stream_sync('x')  # pyright: ignore[reportArgumentType]
    async with agent.iter('x') as run:  # pyright: ignore[reportArgumentType]
        run.result
    Agent('test').run_sync('x')
