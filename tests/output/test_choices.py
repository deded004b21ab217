"""`Choices`: what the program gets, what is refused, that an action is done once, and that a hook may answer instead."""

from __future__ import annotations

import asyncio
from enum import Enum
from typing import Any

import pytest
from pydantic import TypeAdapter

from stead import Agent, Choice, Choices, DeferredToolRequests, DeferredToolResults
from stead.exceptions import OutputTokenLimitExceeded, UserError
from stead.journal import Journal, MemoryStore
from stead.messages import ModelMessage, ModelResponse
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel

from .kit import run

pytestmark = pytest.mark.anyio


class Color(Enum):
    RED = 'red'
    BLUE = 'blue'


def test_members_of_an_enum_are_named_by_their_values() -> None:
    adapter = TypeAdapter[Any](Choices(Color))
    assert adapter.validate_python('blue') is Color.BLUE
    assert adapter.json_schema() == {'enum': ['red', 'blue'], 'type': 'string'}


@pytest.mark.parametrize('choices', [[1], {1: 'x'}, {'a': 1}, [None], {'a': None}])
def test_what_is_not_a_choice_is_refused(choices: Any) -> None:
    with pytest.raises(UserError, match='choice'):
        Choices(choices)


def test_an_action_that_needs_arguments_is_refused() -> None:
    with pytest.raises(UserError, match="'a'.*partial"):
        Agent('test', output_type=Choices({'a': Choice(value=lambda word: word)}))  # type: ignore[misc]


async def test_an_action_is_done_once_also_when_the_run_is_streamed() -> None:
    calls: list[str] = []
    output_type = Choices({'a': Choice('x', value=lambda: calls.append('a') or len(calls)), 'b': 'y'})
    async with Agent(TestModel(), output_type=output_type).run_stream('q') as result:
        outputs = [output async for output in result.stream_output(debounce_by=None)]
    assert outputs[-1] == 1 and calls == ['a']


class Dead(BaseException):
    """The process ends."""


async def test_an_action_whose_process_died_is_asked_about_and_not_done_again() -> None:
    store, calls = MemoryStore(), list[str]()

    def act() -> int:
        calls.append('a')
        if len(calls) == 1:
            raise Dead
        return 5

    def agent() -> Agent[Any, Any]:
        return Agent(TestModel(), output_type=[Choices({'a': Choice('x', value=act), 'b': 'y'}), DeferredToolRequests])

    with pytest.raises(Dead):
        await agent().run('q', run_id='r', capabilities=[Journal(store)])
    journal = Journal[Any](store)
    while (await journal.runs())[0].holder is not None:  # noqa: ASYNC110 - the other journal gives it back
        await asyncio.sleep(0.001)
    waiting = (await journal.resume(agent(), 'r')).output
    assert [one['kind'] for one in waiting.metadata.values()] == ['reconcile'] and calls == ['a']
    await journal.answer('r', DeferredToolResults(approvals={call.tool_call_id: True for call in waiting.approvals}))
    for _ in range(2):
        assert (await journal.resume(agent(), 'r')).output == 5
    assert calls == ['a', 'a']


def test_the_last_choice_of_a_chain_of_retries_counts() -> None:
    output_type = Choices({'a': Choice('x', value=1), 'b': 'y'})
    record = run(output_type, ('final_result', {'response': 'z'}), ('final_result', {'response': 'a'}))
    assert record.output == 1 and len(record.replies) == 1


def test_an_empty_response_at_the_token_limit_has_an_error_of_its_own() -> None:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[], finish_reason='length')

    with pytest.raises(OutputTokenLimitExceeded, match='max_tokens'):
        Agent(FunctionModel(respond)).run_sync('q')
