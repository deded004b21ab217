"""Responses that no model has sent are shown to what reads the events of a run: those of hooks, and recorded ones."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Callable
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, ModelRetry, RunContext
from stead.capabilities import AbstractCapability, Hooks, Journal, WrapperCapability
from stead.exceptions import SkipModelRequest
from stead.messages import (
    AgentStreamEvent,
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelResponse,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from stead.models.test import TestModel
from stead.run import AgentRunResultEvent
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter


def cached(messages: list[Any]) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse(parts=[ThinkingPart('hm'), TextPart('let me see'), ToolCallPart('look', {'at': 1}, 'c1')])
    return ModelResponse(parts=[TextPart('from the cache')])


class Cache(AbstractCapability[Any]):
    async def wrap_model_request(self, ctx: RunContext[Any], *, request_context: Any, handler: Any) -> ModelResponse:
        return cached(request_context.messages)


class Skips(AbstractCapability[Any]):
    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        raise SkipModelRequest(cached(request_context.messages))


def look(at: int) -> str:
    return 'seen'


def agent(hook: type[AbstractCapability[Any]]) -> Agent[None, str]:
    return Agent(TestModel(), tools=[look], capabilities=[hook()])


def outline(event: object) -> str:
    if isinstance(event, PartStartEvent):
        return f'start {event.index} {event.part.part_kind} after {event.previous_part_kind}'
    if isinstance(event, PartEndEvent):
        return f'end {event.index} before {event.next_part_kind}'
    if isinstance(event, AgentRunResultEvent):
        return f'result {event.result.output}'
    return type(event).__name__


FIRST = [
    'start 0 thinking after None',
    'end 0 before text',
    'start 1 text after thinking',
    'FinalResultEvent',
    'end 1 before tool-call',
    'start 2 tool-call after text',
    'end 2 before None',
]
CALLS = ['FunctionToolCallEvent', 'FunctionToolResultEvent']
SECOND = ['start 0 text after None', 'FinalResultEvent', 'end 0 before None']


def collector(seen: list[str]) -> Callable[[Any, AsyncIterable[AgentStreamEvent]], Any]:
    async def handler(ctx: Any, events: AsyncIterable[AgentStreamEvent]) -> None:
        async for event in events:
            seen.append(outline(event))

    return handler


@pytest.mark.parametrize('hook', [Cache, Skips])
async def test_events_of_a_run_include_what_hooks_answered(hook: type[AbstractCapability[Any]]) -> None:
    async with agent(hook).run_stream_events('go') as events:
        assert [outline(event) async for event in events] == [*FIRST, *CALLS, *SECOND, 'result from the cache']


@pytest.mark.parametrize('hook', [Cache, Skips])
async def test_handlers_see_what_hooks_answered(hook: type[AbstractCapability[Any]]) -> None:
    seen: list[str] = []
    result = await agent(hook).run('go', event_stream_handler=collector(seen))
    assert seen == [*FIRST, *CALLS, *SECOND]
    assert (result.output, result.usage.requests, len(result.all_messages())) == ('from the cache', 2, 4)


async def test_a_stream_to_the_end_reads_what_hooks_answered() -> None:
    async with agent(Cache).run_stream('go', until='end') as stream:
        pieces = [text async for text in stream.stream_text(debounce_by=None)]
        assert pieces == ['let me see', 'from the cache']
        assert (await stream.get_output(), stream.usage.requests) == ('from the cache', 2)


async def test_text_that_a_hook_answered_is_not_taken_for_the_answer_of_a_stream() -> None:
    seen: list[str] = []
    async with agent(Cache).run_stream('go', event_stream_handler=collector(seen)) as stream:
        assert [text async for text in stream.stream_text(debounce_by=None)] == ['from the cache']
    assert seen == [*FIRST, *CALLS, *SECOND]


async def test_it_is_for_a_capability_to_say() -> None:
    class Quiet(Cache):
        replays_answers = False

    hooks = Hooks[None]()
    hooks.replays_answers = False
    for hook, others, expected in (
        (Cache, (), True),
        (Quiet, (), False),
        (Cache, (hooks,), False),
        (Cache, (WrapperCapability(hooks),), False),
    ):
        seen: list[str] = []
        quiet = Agent(TestModel(), tools=[look], capabilities=[hook(), *others])
        await quiet.run('go', event_stream_handler=collector(seen))
        assert seen == ([*FIRST, *CALLS, *SECOND] if expected else CALLS)


async def test_nodes_that_a_program_streams_have_no_events_for_it() -> None:
    seen: list[str] = []
    async with agent(Cache).iter('go') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    seen += [outline(event) async for event in stream]
    assert seen == []


async def test_an_output_tool_in_it_announces_the_output() -> None:
    class Answer(BaseModel):
        value: int

    class Replaying(AbstractCapability[Any]):
        async def wrap_model_request(self, ctx: RunContext[Any], **_: Any) -> ModelResponse:
            return ModelResponse(parts=[ToolCallPart('final_result', {'value': 3}, 'o1')])

    found: list[FinalResultEvent] = []
    structured = Agent(TestModel(), output_type=Answer, capabilities=[Replaying()])
    async with structured.run_stream_events('go') as events:
        async for event in events:
            if isinstance(event, FinalResultEvent):
                found.append(event)
    assert [(event.tool_name, event.tool_call_id) for event in found] == [('final_result', 'o1')]


async def test_a_hook_that_asks_for_another_try_has_not_answered() -> None:
    class Once(AbstractCapability[Any]):
        async def wrap_model_request(self, ctx: RunContext[Any], **_: Any) -> ModelResponse:
            if ctx.run_step == 1:
                raise ModelRetry('once more')
            return ModelResponse(parts=[TextPart('x')])

    seen: list[str] = []
    await Agent(TestModel(custom_output_text='x'), capabilities=[Once()]).run(
        'go', event_stream_handler=collector(seen)
    )
    assert [line for line in seen if line.startswith('start')] == ['start 0 text after None']


# Recorded responses


async def left_after(steps: int, journal: Journal[Any]) -> str:
    """Leave a run after some nodes, and return its id."""
    async with agent(Cache).iter('go', capabilities=[journal]) as run:
        for _ in range(steps):
            await run.next(run.next_node)  # type: ignore[arg-type]
    return run.result.run_id if run.result is not None else run.run_id


async def resumed(journal: Journal[Any], run_id: str) -> list[str]:
    async with journal.resume_stream_events(agent(Cache), run_id) as events:
        return [outline(event) async for event in events]


@pytest.mark.parametrize(
    ('steps', 'expected'),
    [
        (2, [*FIRST, *CALLS, *SECOND]),  # a response was recorded, and its calls were not made
        (3, [*FIRST, *CALLS, *SECOND]),  # they were
        (5, SECOND),  # it has ended
    ],
)
async def test_a_run_that_goes_on_shows_the_last_response_and_its_answers(steps: int, expected: list[str]) -> None:
    journal: Journal[Any] = Journal()
    run_id = await left_after(steps, journal)
    assert await resumed(journal, run_id) == [*expected, 'result from the cache']
    seen: list[str] = []
    again = await journal.resume(agent(Cache), run_id, event_stream_handler=collector(seen))
    assert (seen, again.output) == (SECOND, 'from the cache')


async def test_a_reader_that_leaves_leaves_the_run() -> None:
    journal: Journal[Any] = Journal()
    run_id = await left_after(2, journal)
    async with journal.resume_stream_events(agent(Cache), run_id) as events:
        async for event in events:
            if isinstance(event, FunctionToolCallEvent):
                break
    (run,) = await journal.runs()
    assert (run.status, run.holder) == ('running', None)
    assert (await resumed(journal, run_id))[-1] == 'result from the cache'


async def test_answers_that_were_recorded_are_shown_as_they_were() -> None:
    journal: Journal[Any] = Journal()
    run_id = await left_after(3, journal)
    async with journal.resume_stream_events(agent(Cache), run_id) as events:
        results = [event.part.content async for event in events if isinstance(event, FunctionToolResultEvent)]
    assert results == ['seen']


# Front ends


def guarded() -> Agent[None, str]:
    """Return an agent whose hook answers in place of the model."""
    hooks = Hooks[None]()

    @hooks.on.before_model_request
    async def guard(ctx: RunContext[None], request_context: Any) -> Any:
        raise SkipModelRequest(ModelResponse([TextPart('I may not answer that.')]))

    return Agent(TestModel(), capabilities=[hooks])


async def test_a_guardrail_is_shown_wherever_an_answer_is() -> None:
    async with guarded().run_stream('x', until='end') as stream:
        assert [text async for text in stream.stream_text()] == ['I may not answer that.']
    message = {'id': 'm', 'role': 'user', 'content': 'x'}
    fields = {'threadId': 't', 'runId': 'r', 'state': {}, 'tools': [], 'context': [], 'forwardedProps': {}}
    body = json.dumps({**fields, 'messages': [message]}).encode()
    adapter = AGUIAdapter(agent=guarded(), run_input=AGUIAdapter.build_run_input(body))
    texts = [getattr(event, 'delta', None) async for event in adapter.run_stream()]
    assert 'I may not answer that.' in texts
    parts = [{'type': 'text', 'text': 'x'}]
    body = json.dumps(
        {'id': 'c', 'trigger': 'submit-message', 'messages': [{'id': 'm', 'role': 'user', 'parts': parts}]}
    ).encode()
    vercel = VercelAIAdapter(agent=guarded(), run_input=VercelAIAdapter.build_run_input(body))
    assert 'I may not answer that.' in [getattr(event, 'delta', None) async for event in vercel.run_stream()]
