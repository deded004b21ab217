"""Random scripts of responses: however a run is streamed, its output and messages are those of `run`.

`STEAD_STREAM_SCRIPTS=1000` tries more of them.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from stead import Agent, AgentRunResultEvent, ModelRetry, RunContext, ToolOutput
from stead.messages import ModelMessage, ModelResponse, StreamAttemptEvent, TextPart, ThinkingPart, ToolCallPart
from stead.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.usage import UsageLimits

from .kit import check_history

SCRIPTS = int(os.environ.get('STEAD_STREAM_SCRIPTS', '300'))
BATCH = 50
Response = list[Any]


def random_script(rng: random.Random) -> list[Response]:
    """Return a few responses; what they contain may be wrong in any way."""
    script = [random_response(rng) for _ in range(rng.randint(1, 5))]
    return [*script, [ToolCallPart('final_result', '{"response": 7}', 'last')], [TextPart('the end')]]


def random_response(rng: random.Random) -> Response:
    kinds = rng.choices(['text', 'call', 'output', 'thinking', 'empty text'], [5, 6, 3, 3, 1], k=rng.randint(1, 4))
    if kinds.count('text') + kinds.count('empty text') > 1:  # a `FunctionModel` streams one part of text
        kinds = [kind for kind in kinds if kind != 'empty text']
        kinds = [kind for number, kind in enumerate(kinds) if kind != 'text' or 'text' not in kinds[:number]]
    kinds = kinds or ['text']  # nor can it stream nothing
    return [random_part(rng, kind, f'{kind} {number}') for number, kind in enumerate(kinds)]


def random_part(rng: random.Random, kind: str, call_id: str) -> Any:
    if kind == 'text':
        return TextPart(' '.join(rng.choices(['good', 'bad', 'word', 'ünï', '"x"'], k=rng.randint(1, 6))))
    if kind == 'empty text':
        return TextPart('')
    if kind == 'thinking':
        return ThinkingPart(rng.choice(['hm', 'let me see', 'so']))
    if kind == 'output':
        return ToolCallPart('final_result', rng.choice(['{"response": 3}', '{"response": -1}', '{"no": 3}']), call_id)
    name = rng.choice(['look', 'look', 'again', 'unknown'])
    return ToolCallPart(name, rng.choice(['{}', '{"x": 1}', '{"x": 2}', '{"x": "no"}', '{"y"']), call_id)


def model_of(script: list[Response], rng: random.Random) -> FunctionModel:
    """Return a model that gives the responses, or streams them in random pieces."""
    turn = 0

    def next_response(messages: list[ModelMessage]) -> Response:
        nonlocal turn
        check_history(messages)
        turn += 1
        return script[min(turn, len(script)) - 1]

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        return ModelResponse(parts=list(next_response(messages)))

    async def stream(messages: list[ModelMessage], info: Any) -> AsyncIterator[Any]:
        for index, part in enumerate(next_response(messages)):
            pieces = cut(rng, part.args if isinstance(part, ToolCallPart) else part.content)
            if isinstance(part, TextPart):
                for piece in pieces:
                    yield piece
            elif isinstance(part, ThinkingPart):
                for piece in pieces:
                    yield {index: DeltaThinkingPart(content=piece)}
            else:
                yield {index: DeltaToolCall(name=part.tool_name, tool_call_id=part.tool_call_id)}
                for piece in pieces:
                    yield {index: DeltaToolCall(json_args=piece)}

    return FunctionModel(answer, stream_function=stream, model_name='scripted')


def cut(rng: random.Random, text: str) -> list[str]:
    places = sorted(rng.choices(range(len(text) + 1), k=rng.randint(0, 3)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)]) if b > a or not text]


def build(model: FunctionModel, options: dict[str, Any]) -> Agent[Any, Any]:
    agent: Agent[Any, Any] = Agent(model, retries=2, **options)

    @agent.tool
    async def look(ctx: RunContext[Any], x: int = 0) -> str:
        return f'looked {x}'

    @agent.tool_plain
    async def again(x: int = 0) -> str:
        if x == 1:
            raise ModelRetry('not 1')
        return 'done'

    @agent.output_validator
    async def check(ctx: RunContext[Any], value: Any) -> Any:
        if not ctx.partial_output and (value == -1 or (isinstance(value, str) and 'bad' in value)):
            raise ModelRetry('that is bad')
        return value

    return agent


OPTIONS: list[dict[str, Any]] = [
    {},
    {'output_type': ToolOutput(int, name='final_result')},
    {'output_type': [str, ToolOutput(int, name='final_result')]},
    {'output_type': [str, ToolOutput(int, name='final_result')], 'end_strategy': 'exhaustive'},
    {'output_type': ToolOutput(int, name='final_result'), 'end_strategy': 'graceful'},
]
LIMITS = UsageLimits(request_limit=12)


async def nothing(ctx: Any, events: Any) -> None:
    async for _ in events:
        pass


async def run(agent: Agent[Any, Any]) -> Any:
    return await agent.run('go', usage_limits=LIMITS)


async def with_handler(agent: Agent[Any, Any]) -> Any:
    return await agent.run('go', usage_limits=LIMITS, event_stream_handler=nothing)


async def by_events(agent: Agent[Any, Any]) -> Any:
    last: Any = None
    async with agent.run_stream_events('go', usage_limits=LIMITS) as events:
        async for last in events:
            assert not isinstance(last, StreamAttemptEvent), 'by default, events are those of the reference'
    assert isinstance(last, AgentRunResultEvent)
    return last.result


async def to_the_end(agent: Agent[Any, Any]) -> Any:
    async with agent.run_stream('go', usage_limits=LIMITS, until='end') as result:
        output: Any = None
        async for output in result.stream_output(debounce_by=None):
            pass
        assert result.is_complete
    return Done(output, result)


async def to_the_end_by_text(agent: Agent[Any, Any]) -> Any:
    """What is streamed as text of the last attempt is the output, if that is text."""
    text_by_attempt: dict[int, str] = {}
    async with agent.run_stream('go', usage_limits=LIMITS, until='end') as result:
        if agent.output_type is str:
            async for piece in result.stream_text(delta=True, debounce_by=None):
                text_by_attempt[result.attempt] = text_by_attempt.get(result.attempt, '') + piece
        output = await result.get_output()
        if text_by_attempt and result.response.text:
            assert text_by_attempt[result.attempt] == result.response.text
    return Done(output, result)


class Done:
    """The result of a stream that was read, as that of a run."""

    def __init__(self, output: Any, result: Any) -> None:
        self.output, self.result, self.usage = output, result, result.usage

    def all_messages(self) -> Any:
        return self.result.all_messages()


def facts(messages: list[ModelMessage]) -> Any:
    """Return what is to be the same: not the times and ids of the run, and not what streaming cannot know."""
    rows = []
    for message in messages:
        row: list[Any] = [message.kind, getattr(message, 'state', None)]
        for part in message.parts:
            fields = {k: v for k, v in vars(part).items() if k not in ('timestamp', 'provider_name', 'id')}
            if isinstance(part, (TextPart, ThinkingPart)) and not part.content:
                continue  # nothing is streamed of it
            if getattr(part, 'part_kind', '') == 'retry-prompt' and part.tool_name is None:
                fields.pop('tool_call_id')
            row.append(json.dumps(fields, default=str))
        rows.append(row)
    return rows


async def outcome(way: Callable[[Agent[Any, Any]], Any], seed: int) -> Any:
    rng = random.Random(seed)
    script = random_script(rng)
    options = OPTIONS[seed % len(OPTIONS)]
    agent = build(model_of(script, rng), options)
    try:
        result = await way(agent)
    except Exception as error:
        return type(error).__name__, str(error), facts(error.messages)  # type: ignore[attr-defined]
    return result.output, facts(result.all_messages()), result.usage.requests, result.usage.tool_calls


@pytest.mark.parametrize('first', range(0, SCRIPTS, BATCH))
async def test_streaming_comes_to_the_same(first: int):
    ended = 0
    for seed in range(first, min(first + BATCH, SCRIPTS)):
        expected = await outcome(run, seed)
        ended += len(expected) == 4
        for way in (with_handler, by_events, to_the_end, to_the_end_by_text):
            assert await outcome(way, seed) == expected, f'script {seed}, {way.__name__}'
    assert ended > BATCH // 4, 'most of the scripts come to an end'
