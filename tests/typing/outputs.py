"""The type of the output follows `output_type`."""

# pyright: reportUnnecessaryTypeIgnoreComment=true
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

from pydantic import BaseModel
from typing_extensions import TypedDict, assert_type

from stead import (
    Agent,
    DeferredToolRequests,
    NativeOutput,
    PromptedOutput,
    RunContext,
    StructuredDict,
    TextOutput,
    ToolOutput,
)
from stead.run import AgentRun, AgentRunResult


class City(BaseModel):
    name: str


@dataclass
class River:
    length: float


class Lake(TypedDict):
    depth: int


@dataclass
class Deps:
    user: str


async def look_up(ctx: RunContext[Deps], name: str) -> City:
    return City(name=name)


def count_words(text: str) -> int:
    return len(text.split())


# Plain types.
assert_type(Agent(), Agent[None, str])
assert_type(Agent('test', output_type=int), Agent[None, int])
assert_type(Agent('test', output_type=City), Agent[None, City])
assert_type(Agent('test', output_type=River), Agent[None, River])
assert_type(Agent('test', output_type=Lake), Agent[None, Lake])
assert_type(Agent('test', output_type=list[City]), Agent[None, list[City]])
assert_type(Agent('test', output_type=dict[str, int]), Agent[None, dict[str, int]])
assert_type(Agent('test', output_type=StructuredDict({'type': 'object'})), Agent[None, dict[str, Any]])
assert_type(Agent('test', deps_type=Deps), Agent[Deps, str])
assert_type(Agent('test', deps_type=Deps, output_type=bool), Agent[Deps, bool])

# Functions, sync and async, with and without the run context.
assert_type(Agent('test', output_type=count_words), Agent[None, int])
by_function: Agent[Deps, City] = Agent('test', deps_type=Deps, output_type=look_up)
assert_type(by_function.run_sync('x', deps=Deps('me')).output, City)

# Markers.
assert_type(Agent('test', output_type=ToolOutput(City)), Agent[None, City])
assert_type(Agent('test', output_type=ToolOutput(City, name='city', strict=True)), Agent[None, City])
assert_type(Agent('test', output_type=TextOutput(count_words)), Agent[None, int])
assert_type(Agent('test', output_type=NativeOutput(City)), Agent[None, City])
assert_type(Agent('test', output_type=PromptedOutput(River)), Agent[None, River])

# Several types: a list of one kind is inferred, and a mixed one is what its annotation says.
several: Agent[None, City | River] = Agent('test', output_type=[City, River])
marked: Agent[None, City | River] = Agent('test', output_type=[ToolOutput(City), ToolOutput(River)])
native: Agent[None, City | River] = Agent('test', output_type=NativeOutput([City, River]))
mixed: Agent[None, City | int | str] = Agent('test', output_type=[City, count_words, str])
deferring: Agent[None, str | DeferredToolRequests] = Agent('test', output_type=[str, DeferredToolRequests])
union: Agent[None, City | River] = Agent('test', output_type=Union[City, River])
union_in_new_style: Agent[None, City | None] = Agent('test', output_type=City | None)
literal: Agent[None, Literal['a', 'b']] = Agent('test', output_type=Literal['a', 'b'])
functions: Agent[Deps, City | int] = Agent('test', deps_type=Deps, output_type=[look_up, count_words])
of_a_tuple: Agent[None, City | River] = Agent('test', output_type=(City, River))
Agent[None, Union[int, str]]('test', output_type=Union[int, str])
assert_type(several.run_sync('x').output, City | River)
assert_type(union_in_new_style.run_sync('x').output, Union[City, None])
assert_type(mixed.run_sync('x').output, City | int | str)
assert_type(deferring.run_sync('x').output, str | DeferredToolRequests)

# Runs.
city_agent = Agent('test', output_type=City)
assert_type(city_agent.run_sync('x'), AgentRunResult[City])
assert_type(city_agent.run_sync('x').output, City)
assert_type(city_agent.run_sync('x', output_type=int).output, int)
assert_type(city_agent.run_sync('x', output_type=ToolOutput(River)).output, River)


async def runs() -> None:
    assert_type(await city_agent.run('x'), AgentRunResult[City])
    assert_type((await city_agent.run('x', output_type=str)).output, str)
    several: AgentRunResult[City | River] = await city_agent.run('x', output_type=[City, River])
    assert_type(several.output, City | River)
    async with city_agent.iter('x') as run:
        assert_type(run, AgentRun[None, City])
        if run.result is not None:
            assert_type(run.result.output, City)
    async with city_agent.iter('x', output_type=bool) as other:
        assert_type(other, AgentRun[None, bool])
