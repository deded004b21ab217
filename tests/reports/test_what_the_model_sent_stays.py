"""What a tool does to its arguments and results, or a program to the lists it is passed, is not done to the history."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, PrivateAttr
from pydantic_core import PydanticSerializationError, to_json

from stead import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolset,
    ModelMessage,
    ModelResponse,
    RunContext,
    TextPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
    UserPromptPart,
)
from stead.capabilities import Hooks
from stead.models.function import FunctionModel
from stead.models.test import TestModel

from ..instrumentation.kit import script

ARGS = {'opts': {'a': [1]}, 'items': [1, 2]}


class Report(BaseModel):
    items: list[int]


class Inner(BaseModel):
    items: Report


@dataclass
class Note:
    items: list[int]


class Numbers(list[int]):
    pass


class Locked(BaseModel):
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Locked)


def asking(name: str, args: dict[str, Any], **options: Any) -> Agent[Any, Any]:
    return Agent(script([ToolCallPart(name, args)], [TextPart('done')]), **options)


def copy_of_args() -> dict[str, Any]:
    return {'opts': {'a': [1]}, 'items': [1, 2]}


@pytest.mark.parametrize('hooked', [False, True])
def test_arguments_that_a_tool_or_a_hook_changes_stay_as_the_model_sent_them(hooked: bool) -> None:
    hooks = Hooks[Any]()

    @hooks.on.before_tool_validate
    async def change(ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any) -> Any:
        args['opts']['hook'] = True
        return args

    agent = asking('work', copy_of_args(), capabilities=[hooks] if hooked else [])

    @agent.tool_plain
    def work(opts: dict[str, Any], items: list[int]) -> str:
        opts['a'].append(99)
        opts['z'] = 1
        items.clear()
        return 'done'

    result = agent.run_sync('x')
    call = result.all_messages()[1].parts[0]
    assert isinstance(call, ToolCallPart)
    assert call.args == ARGS


def test_an_output_that_its_program_changes_stays_as_the_model_sent_it() -> None:
    agent = Agent(script([ToolCallPart('final_result', {'response': {'a': [1]}})]), output_type=dict[str, Any])
    result = agent.run_sync('x')
    result.output['a'].append(2)
    call = result.all_messages()[1].parts[0]
    assert isinstance(call, ToolCallPart)
    assert call.args == {'response': {'a': [1]}}


def changed(value: Any) -> None:
    """Add to the list that is in a result."""
    inner = value
    while not isinstance(inner, (list, set, deque)) or (inner and isinstance(next(iter(inner)), (Report, Note))):
        if isinstance(inner, dict):
            inner = next(iter(inner.values()))
        elif isinstance(inner, (list, tuple)):
            inner = inner[0]
        else:
            inner = inner.items
    inner.add(2) if isinstance(inner, set) else inner.append(2)


RESULTS: dict[str, Callable[[], Any]] = {
    'dict': lambda: {'state': [1]},
    'list': lambda: [1],
    'tuple in a dict': lambda: {'pair': ([1], 2)},
    'model': lambda: Report(items=[1]),
    'models': lambda: [Report(items=[1])],
    'model in a model': lambda: Inner(items=Report(items=[1])),
    'dataclass': lambda: Note([1]),
    'dataclass in a dict': lambda: {'a': Note([1])},
    'set': lambda: {1},
    'deque': lambda: deque([1]),
    'a list of its own class': lambda: Numbers([1]),
    'a model that cannot be copied, beside a list': lambda: [[1], Locked()],
}


def has_json(value: object) -> bool:
    try:
        return bool(to_json(value))
    except PydanticSerializationError:
        return False


WAYS = ['tool', 'async tool', 'ToolReturn', 'toolset', 'hook', 'external']


@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('name', RESULTS)
def test_a_result_that_its_program_changes_later_stays_as_the_model_read_it(name: str, way: str) -> None:
    """The model reads in the next request what it has read in this one, and the history has it."""
    kept = RESULTS[name]()
    if name == 'deque' and not has_json(kept):
        pytest.skip('this version of pydantic has no JSON for it')
    sent: list[str] = []

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        results = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        if results:
            sent.append(results[0].model_response_str())
            changed(kept)
        asked = len(results) < 2
        return ModelResponse(parts=[ToolCallPart('look' if not results else 'other', {})] if asked else [TextPart('x')])

    hooks = Hooks[Any]()
    if way == 'hook':

        @hooks.on.after_tool_execute
        async def replace(ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
            return kept if call.tool_name == 'look' else result

    def look() -> Any:
        if way == 'external':
            raise CallDeferred
        return ToolReturn(kept, content='more') if way == 'ToolReturn' else None if way == 'hook' else kept

    async def look_later() -> Any:
        return look()

    toolset = FunctionToolset[Any]()
    toolset.add_function(look_later if way == 'async tool' else look, name='look')
    agent = Agent(
        FunctionModel(answer),
        output_type=[str, DeferredToolRequests],
        toolsets=[toolset.filtered(lambda ctx, tool: True) if way == 'toolset' else toolset],
        capabilities=[hooks],
    )

    @agent.tool_plain
    def other() -> str:
        return 'o'

    result = agent.run_sync('x')
    if way == 'external':
        calls = {call.tool_call_id: kept for call in result.output.calls}
        result = agent.run_sync(
            message_history=result.all_messages(), deferred_tool_results=DeferredToolResults(calls=calls)
        )
    part = next(part for message in result.all_messages() for part in message.parts if part.part_kind == 'tool-return')
    assert sent == [sent[0]] * 2
    assert part.content == RESULTS[name]()
    assert kept != RESULTS[name]()


def test_lists_of_messages_can_be_changed_without_changing_the_run() -> None:
    history: list[Any] = []
    result = Agent(TestModel()).run_sync('x', message_history=history)
    assert history == []
    result.all_messages().clear()
    result.new_messages().append('junk')  # type: ignore[arg-type]
    assert len(result.all_messages()) == len(result.new_messages()) == 2


def test_a_prompt_that_its_program_changes_later_stays_as_it_was_sent() -> None:
    prompt = ['a', 'b']
    result = Agent(TestModel()).run_sync(prompt)
    prompt.append('c')
    part = result.all_messages()[0].parts[0]
    assert isinstance(part, UserPromptPart)
    assert part.content == ['a', 'b']


def test_metadata_that_its_program_changes_later_stays_as_it_was() -> None:
    about: dict[str, Any] = {'state': [1]}
    agent = asking('look', {})

    @agent.tool_plain
    def look() -> Any:
        return ToolReturn('seen', metadata=about)

    result = agent.run_sync('x', metadata=about)
    about['state'].append(2)
    assert result.metadata == {'state': [1]}
    assert result.all_messages()[2].parts[0].metadata == {'state': [1]}  # type: ignore[union-attr]
