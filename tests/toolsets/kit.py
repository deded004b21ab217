"""Toolsets that write down what they are asked, and ways to look at what a toolset offers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stead import Agent, FunctionToolset, RunContext, Tool
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.toolsets import AbstractToolset, WrapperToolset
from stead.usage import RunUsage

T = TypeVar('T')


def context(deps: Any = None, **fields: Any) -> RunContext[Any]:
    return RunContext(deps=deps, model=TestModel(), usage=RunUsage(), **fields)


def wait(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def tools_of(toolset: AbstractToolset[Any], **fields: Any) -> dict[str, Any]:
    return wait(toolset.get_tools(context(**fields)))


def names(toolset: AbstractToolset[Any], **fields: Any) -> list[str]:
    return list(tools_of(toolset, **fields))


def definitions(toolset: AbstractToolset[Any], what: str, **fields: Any) -> dict[str, Any]:
    """Return one field of the definitions of all tools, by name."""
    return {name: getattr(tool.tool_def, what) for name, tool in tools_of(toolset, **fields).items()}


def named(*tool_names: str, **options: Any) -> FunctionToolset[Any]:
    """Return a toolset with tools of these names, each of which returns its name."""

    def tool(name: str) -> Tool[Any]:
        return Tool(lambda: name, name=name)

    return FunctionToolset([tool(name) for name in tool_names], **options)


def calling(*calls: tuple[str, Any]) -> FunctionModel:
    """Return a model that makes all calls in its first response, and then is done."""

    def answer(messages: Sequence[Any], info: AgentInfo) -> ModelResponse:
        if any(isinstance(message, ModelResponse) for message in messages):
            return ModelResponse(parts=[TextPart('done')])
        return ModelResponse(parts=[ToolCallPart(name, args, tool_call_id=f'id_{name}') for name, args in calls])

    return FunctionModel(answer)


def returns(*calls: tuple[str, Any], toolsets: Sequence[Any], **options: Any) -> list[Any]:
    """Return what the calls come to in a run of an agent with these toolsets."""
    result = Agent(calling(*calls), toolsets=toolsets, **options).run_sync('go')
    return [part.content for part in result.all_messages()[2].parts]  # type: ignore[union-attr]


@dataclass
class Watched(WrapperToolset[Any]):
    """A wrapper that writes down what it is asked, and fails where it is told to."""

    tag: str = 'w'
    log: list[str] = field(default_factory=lambda: [], compare=False)
    fail: str = ''

    def note(self, what: str) -> None:
        self.log.append(f'{what} {self.tag}')
        if what == self.fail:
            raise RuntimeError(f'{self.tag} failed to {what}')

    async def __aenter__(self) -> Any:
        self.note('enter')
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *args: Any) -> bool | None:
        self.note('exit')
        await asyncio.sleep(0)
        return None
