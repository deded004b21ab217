"""Arguments stay in the history as the model sent them, also if a tool or a hook changes what it was handed, and after a crash."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict

from stead import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessage,
    ModelResponse,
    RunContext,
    TextPart,
    ToolApproved,
    ToolCallPart,
)
from stead.capabilities import AbstractCapability
from stead.journal import Journal
from stead.models.function import DeltaToolCall, FunctionModel
from stead.toolsets import FunctionToolset, WrapperToolset

ARGS: dict[str, Any] = {'opts': {'a': [1], 'deep': {'b': [{'c': 1}]}}, 'items': [[1], 2]}


class Model(BaseModel):
    a: list[int]
    deep: dict[str, Any]


@dataclass
class Record:
    a: list[int]
    deep: dict[str, Any]


class Typed(TypedDict):
    a: list[int]
    deep: dict[str, Any]


def change(value: Any) -> None:
    """Change all lists and dicts in a value."""
    if isinstance(value, (Model, Record)):
        value = vars(value)
    if isinstance(value, dict):
        for item in value.values():
            change(item)
        value['changed'] = True
    elif isinstance(value, list):
        for item in value:
            change(item)
        value.append(99)


class Changes(AbstractCapability[Any]):
    """Hooks around a tool, of which one changes what it was handed, below the names of the arguments."""

    def __init__(self, place: str) -> None:
        self.place = place

    def _change(self, place: str, args: Any) -> None:
        if place == self.place:
            for value in args.values():
                change(value)

    async def before_tool_validate(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        if self.place == 'before_tool_validate' and isinstance(args, dict):
            change(args['opts']['deep'])  # the rest would no longer be valid
        return args

    async def after_tool_validate(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        self._change('after_tool_validate', args)
        return args

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        self._change('before_tool_execute', args)
        return args

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        self._change('wrap_tool_execute', args)
        return await handler(args)

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        self._change('after_tool_execute', args)
        return result


class Changing(WrapperToolset[Any]):
    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        change(tool_args['items'])
        return await super().call_tool(name, tool_args, ctx, tool)


class Crash(AbstractCapability[Any]):
    """Ends the run before its second request, once."""

    def __init__(self) -> None:
        self.is_left = True

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        if self.is_left and len(request_context.messages) > 1:
            self.is_left = False
            raise RuntimeError('crash')
        return request_context


def is_answered(messages: list[ModelMessage]) -> bool:
    return any(isinstance(message, ModelResponse) for message in messages)


def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
    call = ToolCallPart('work', copy.deepcopy(ARGS), tool_call_id='c')
    return ModelResponse(parts=[TextPart('x') if is_answered(messages) else call])


async def stream(messages: list[ModelMessage], info: Any) -> AsyncIterator[Any]:
    if is_answered(messages):
        yield 'x'
        return
    text = json.dumps(ARGS)
    yield {0: DeltaToolCall('work', text[:20], tool_call_id='c')}
    yield {0: DeltaToolCall(json_args=text[20:])}


HOOKS = [
    'before_tool_validate',
    'after_tool_validate',
    'before_tool_execute',
    'wrap_tool_execute',
    'after_tool_execute',
]
KINDS: dict[str, Any] = {'dict': dict[str, Any], 'model': Model, 'record': Record, 'typed dict': Typed, 'any': Any}


def toolset_of(kind: str, place: str) -> FunctionToolset[Any]:
    async def work(opts: Any, items: Any) -> str:
        if place in ('tool', 'approval', 'crash'):
            change(opts)
            change(items)
        return 'done'

    def check(ctx: RunContext[Any], opts: Any, items: Any) -> None:
        change(opts)

    work.__annotations__ = {'opts': KINDS[kind], 'items': list[Any], 'return': str}
    toolset = FunctionToolset[Any]()
    validator = check if place == 'args_validator' else None
    toolset.add_function(work, requires_approval=place == 'approval', args_validator=validator)
    return toolset


@pytest.mark.parametrize('streamed', [False, True], ids=['request', 'stream'])
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('place', ['tool', *HOOKS, 'args_validator', 'toolset', 'approval', 'crash'])
def test_arguments_stay_as_they_were_sent(place: str, kind: str, streamed: bool, tmp_path: Path) -> None:
    toolset, journal = toolset_of(kind, place), Journal(tmp_path / 'runs.db')
    agent = Agent(
        FunctionModel(answer, stream_function=stream),
        name='a',
        toolsets=[Changing(toolset) if place == 'toolset' else toolset],
        capabilities=[Crash(), journal] if place == 'crash' else [Changes(place)],
        output_type=[str, DeferredToolRequests],
    )

    async def run(prompt: str | None = None, **options: Any) -> Any:
        if not streamed:
            return await agent.run(prompt, **options)
        async with agent.run_stream_events(prompt, **options) as events:
            *_, last = [event async for event in events]
        return last.result

    async def story() -> Any:
        if place == 'crash':
            with pytest.raises(RuntimeError, match='crash'):
                await run('x')
            [info] = await journal.runs()
            return await journal.resume(agent, info.run_id)
        result = await run('x')
        if place != 'approval':
            return result
        override = copy.deepcopy(ARGS)
        results = DeferredToolResults(approvals={'c': ToolApproved(override_args=override)})
        result = await run(message_history=result.all_messages(), deferred_tool_results=results)
        assert override == ARGS
        return result

    result = asyncio.run(story())
    calls = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolCallPart)]
    assert [call.args_as_dict() for call in calls] == [ARGS]
    assert result.output == 'x'
