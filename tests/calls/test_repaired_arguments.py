"""Arguments that are nearly JSON: they run without another request, and everything shows what ran and what was changed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, DeferredToolRequests, DeferredToolResults
from stead.journal import Journal, MemoryStore
from stead.messages import (
    FunctionToolCallEvent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

WRITTEN = "{'names': ['a', 'b',],}"
CHANGES = ('single quotes', 'trailing comma')


def writes(*texts: str) -> FunctionModel:
    """Return a model that calls `greet` with each of the texts, and then ends."""
    calls = iter(texts)

    def function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        text = next(calls, None)
        return ModelResponse(parts=[TextPart('done') if text is None else ToolCallPart('greet', text, f'c{text}')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        text = next(calls, None)
        if text is None:
            yield 'done'
            return
        yield {0: DeltaToolCall(name='greet', tool_call_id='c')}
        for character in text:
            yield {0: DeltaToolCall(json_args=character)}

    return FunctionModel(function, stream_function=stream)


def greeting(*texts: str, asks: bool = False, **options: Any) -> tuple[Agent[Any, Any], list[list[str]]]:
    greeted: list[list[str]] = []
    agent: Agent[Any, Any] = Agent(writes(*texts), output_type=[str, DeferredToolRequests] if asks else str, **options)

    @agent.tool_plain(requires_approval=asks)
    def greet(names: list[str]) -> str:
        greeted.append(names)
        return 'hello'

    return agent, greeted


def test_the_call_runs_without_another_request_and_the_history_has_what_the_model_wrote() -> None:
    agent, greeted = greeting(WRITTEN)
    result = agent.run_sync('go')
    assert (greeted, result.usage.requests) == ([['a', 'b']], 2)
    [call] = [part for message in result.all_messages() for part in message.parts if isinstance(part, ToolCallPart)]
    assert (call.args, call.args_repairs) == (WRITTEN, CHANGES)
    again = ModelMessagesTypeAdapter.validate_json(result.all_messages_json())
    assert [part.args_as_dict() for part in again[1].parts if isinstance(part, ToolCallPart)] == [{'names': ['a', 'b']}]


def test_what_does_not_fit_is_refused_for_the_text_that_the_model_wrote() -> None:
    agent, greeted = greeting("{'names': 1}", '{"names": ["c"]}')
    messages = agent.run_sync('go').all_messages()
    [retry] = [part for message in messages for part in message.parts if isinstance(part, RetryPromptPart)]
    assert isinstance(retry.content, list) and retry.content[0]['type'] == 'json_invalid'
    assert greeted == [['c']]


@pytest.mark.parametrize(
    'text', ["{'names': ['a'", "{'names': ['a", '{"names": ["a"], "x', '', '{', '"', 'null', '"{"']
)
def test_arguments_that_were_cut_off_do_not_run(text: str) -> None:
    agent, greeted = greeting(text, '{"names": []}')
    agent.run_sync('go')
    assert greeted == [[]]


@pytest.mark.parametrize(
    ('text', 'changes'),
    [
        ("{'names': ['a', 'b']", ('single quotes', 'closing brackets')),
        ('{"names": "[\\"a\\", \\"b\\"]"}', ('JSON in texts',)),
        ('{"names": "[\\"a\\", \\"b\\"]",}', ('trailing comma', 'JSON in texts')),
    ],
    ids=str,
)
def test_what_the_schema_says_of_arguments_is_in_the_event_and_asked_about(text: Any, changes: tuple[str, ...]) -> None:
    async def main() -> None:
        agent, greeted = greeting(text)
        async with agent.run_stream_events('go') as events:
            calls = [event async for event in events if isinstance(event, FunctionToolCallEvent)]
        assert [(event.args_valid, event.part.args, event.part.args_repairs) for event in calls] == [
            (True, text, changes)
        ]
        assert [event.part.args_as_dict() for event in calls] == [{'names': ['a', 'b']}]
        assert greeted == [['a', 'b']]

    asyncio.run(main())


def test_texts_in_data_are_read_too() -> None:
    args: Any = {'names': '["a", "b"]'}
    agent, greeted = greeting(args)
    calls = [
        part
        for message in agent.run_sync('go').all_messages()
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    assert [(call.args, call.args_as_dict()) for call in calls] == [({'names': '["a", "b"]'}, {'names': ['a', 'b']})]
    assert greeted == [['a', 'b']]


def test_a_stream_shows_what_was_changed() -> None:
    async def main() -> None:
        agent, greeted = greeting(WRITTEN)
        async with agent.run_stream_events('go') as events:
            calls = [event async for event in events if isinstance(event, FunctionToolCallEvent)]
        assert [(event.args_valid, event.part.args_repairs) for event in calls] == [(True, CHANGES)]
        assert greeted == [['a', 'b']]

    asyncio.run(main())


def test_a_person_approves_what_will_run() -> None:
    agent, greeted = greeting(WRITTEN, asks=True)
    first = agent.run_sync('go')
    [call] = first.output.approvals
    assert call.args_as_dict() == {'names': ['a', 'b']}
    assert not greeted
    results = DeferredToolResults(approvals={call.tool_call_id: True})
    assert agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results).output == 'done'
    assert greeted == [['a', 'b']]


def test_a_run_in_a_journal_has_what_the_model_wrote_and_continues_with_it() -> None:
    async def main() -> None:
        store = MemoryStore()
        agent, greeted = greeting(WRITTEN, asks=True, capabilities=[Journal(store)])
        first = await agent.run('go', run_id='r')
        [call] = first.output.approvals
        assert (call.args, call.args_as_dict()) == (WRITTEN, {'names': ['a', 'b']})
        results = DeferredToolResults(approvals={call.tool_call_id: True})
        again = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
        assert (again.output, greeted) == ('done', [['a', 'b']])

    asyncio.run(main())


def test_half_of_a_character_in_the_call_of_a_history_is_no_error_of_the_program() -> None:
    agent = Agent(writes())

    @agent.tool_plain
    def greet(names: list[str]) -> str:
        return ', '.join(names)

    call = ToolCallPart('greet', '{"names": ["\ud83d"]}', 'c')
    assert call.args_repairs == ()
    result = agent.run_sync(message_history=[ModelResponse([call])])
    assert (result.output, result.all_messages()[1].parts[0].part_kind) == ('done', 'retry-prompt')


class Address(BaseModel):
    name: str
    street: str
    city: str
    zip: int


def test_an_object_with_several_faults_is_shown_to_the_model_once() -> None:
    """Each error has it as its input, so a long text in it would be sent as often as a field is missing."""

    agent = Agent(writes('{"to": {"name": "' + 'x' * 300 + '", "zip": "abc"}}'))

    @agent.tool_plain
    def greet(to: Address) -> None: ...

    [retry] = [
        part
        for message in agent.run_sync('go').all_messages()
        for part in message.parts
        if isinstance(part, RetryPromptPart)
    ]
    text = retry.model_response()
    assert text.count('x' * 300) == 1
    assert [text.count(f'"{name}"') for name in ('street', 'city', 'abc')] == [1, 1, 2]
    assert isinstance(retry.content, list)
    assert [one['input'] for one in retry.content if one['type'] == 'missing'] == [
        {'name': 'x' * 300, 'zip': 'abc'}
    ] * 2
