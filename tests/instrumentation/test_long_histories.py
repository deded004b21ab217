"""The JSON of long histories in spans is kept for stretches of messages, and is always that of the messages as they are."""

from __future__ import annotations

import copy
import dataclasses
import gc
import json
import pickle
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from pydantic import BaseModel

from stead.messages import (
    BinaryContent,
    CompactionPart,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)
from stead.models._wire.kept import KeptMessages, KeptTexts
from stead.models.instrumented import InstrumentationSettings

PNG = BinaryContent(b'png', media_type='image/png')


class Answer(BaseModel):
    a: int


def requests() -> list[Any]:
    return [
        SystemPromptPart('s', dynamic_ref='r'),
        UserPromptPart('u'),
        UserPromptPart(['u', TextContent('t', metadata={'a': 1}), BinaryContent(b'png', media_type='image/png')]),
        UserPromptPart([ImageUrl('https://127.0.0.1/i.png'), UploadedFile(file_id='f', provider_name='openai')]),
        ToolReturnPart('t', {'a': 1, 'b': [1.5, {'c': True}], 'd': None, 2: 'x'}, 'call'),
        ToolReturnPart('t', ['a', 2, PNG], 'call'),
        ToolReturnPart('t', ({'a': 1}, [2], 'b', True), 'call'),
        ToolReturnPart('t', datetime(2030, 1, 1, tzinfo=timezone.utc), 'call'),
        ToolReturnPart('t', Answer(a=1), 'call'),
        RetryPromptPart([{'type': 'x', 'loc': ('a', 0), 'msg': 'm', 'input': 1}], tool_name='t', tool_call_id='c'),
    ]


def responses() -> list[Any]:
    return [
        TextPart('t', id='msg', provider_details={'n': 1}),
        ThinkingPart('t', id='rs', signature='s'),
        ToolCallPart('t', '{"a": 1}', 'call'),
        ToolCallPart('t', {'a': 1, 'b': {'c': [0.0, False]}}, 'call'),
        NativeToolCallPart('web_search', {'q': 'x'}, 'n', provider_name='openai'),
        NativeToolReturnPart('web_search', {'status': 'completed'}, 'n', provider_name='openai'),
        CompactionPart('c', id='c'),
        FilePart(PNG, id='f'),
    ]


def long_history(length: int = 90) -> list[ModelMessage]:
    history: list[ModelMessage] = []
    while len(history) < length:
        for request, response in zip(requests(), responses()):
            history += [ModelRequest([request]), ModelResponse([response], finish_reason='stop')]
    return history[:length]


def others(value: Any) -> Iterator[Any]:
    """Values to put in the place of one; among them those that Python takes for equal."""
    if isinstance(value, str):
        yield f'{value}!'
    elif isinstance(value, bool):
        yield from (not value, int(value))
    elif isinstance(value, (int, float)):
        yield from (value + 1, bool(value), float(value), -value)
    elif isinstance(value, datetime):
        yield from (value + timedelta(hours=1), value.astimezone(timezone(timedelta(hours=1))))
    elif isinstance(value, bytes):
        yield value + b'!'
    elif value is None:
        yield {'detail': 'high'}
    elif isinstance(value, (list, tuple)):
        yield [*value, 'more']
    elif isinstance(value, dict):
        yield from ({**value, 'more': 1}, dict(reversed(value.items())))


def changes(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Every place in a value that can be changed where it is: its holder, its name there, and another value for it."""
    if dataclasses.is_dataclass(value):
        items: Any = list(value.__dict__.items())
    elif isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, (list, tuple)):
        items = list(enumerate(value))
    else:
        return
    for name, item in items:
        if name in ('part_kind', 'kind'):  # what makes it what it is
            continue
        for other in () if isinstance(value, tuple) else others(item):
            yield value, name, other
        yield from changes(item)


def put(holder: Any, name: Any, value: Any) -> None:
    if isinstance(holder, (dict, list)):
        holder[name] = value
    else:
        object.__setattr__(holder, name, value)


class SpansOfHistories:
    """What spans show of histories, with one pair of settings, and what they should show."""

    def __init__(self) -> None:
        self.settings = InstrumentationSettings()
        self.tracer = TracerProvider().get_tracer('t')

    def of(self, history: list[ModelMessage]) -> str:
        with self.tracer.start_as_current_span('request') as span:
            self.settings.handle_messages(history, ModelResponse([TextPart('done')]), 'x', span)
        attributes: Any = getattr(span, 'attributes')
        return attributes['gen_ai.input.messages']

    def expected(self, history: list[ModelMessage]) -> str:
        return json.dumps(self.settings.messages_to_otel_messages(history))


@pytest.fixture
def spans() -> SpansOfHistories:
    return SpansOfHistories()


@pytest.mark.parametrize('seen', [True, False])
def test_whatever_changes_in_a_long_history_is_shown(spans: SpansOfHistories, seen: bool) -> None:
    history = long_history()
    if seen:  # all of it is kept, in long stretches
        history = [message for message in history if not isinstance(getattr(message.parts[0], 'content', 0), Answer)]
    before = spans.of(history)
    changed = 0
    for message in history[:18]:
        for part in message.parts:
            for holder, name, other in changes(part):
                value = holder.__dict__[name] if dataclasses.is_dataclass(holder) else holder[name]
                put(holder, name, other)
                try:
                    expected = spans.expected(history)
                except AttributeError:  # a value of a type that has no place there
                    with pytest.raises(AttributeError):
                        spans.of(history)
                else:
                    assert spans.of(history) == expected, (part, name, other)
                    changed += expected != before
                put(holder, name, value)
                assert spans.of(history) == before
    assert changed > 50


def test_messages_that_change_as_a_whole_are_shown(spans: SpansOfHistories) -> None:
    history = long_history()
    spans.of(history)
    first, call, returned = history[0], history[7], history[8]

    def check() -> None:
        assert spans.of(history) == spans.expected(history)

    returned.parts.insert(0, first.parts.pop())  # type: ignore[attr-defined]  # the number of parts stays the same
    check()
    call.parts[0] = copy.copy(call.parts[0])  # type: ignore[index]
    call.parts[0].args = {'a': True, 'b': {}}  # type: ignore[union-attr]
    check()
    history[5] = ModelResponse(history[5].parts, finish_reason='length')  # type: ignore[arg-type]
    check()
    history[5].finish_reason = None  # type: ignore[union-attr]
    check()
    history[9].parts = ()
    check()
    del history[0].parts
    with pytest.raises(AttributeError):
        spans.of(history)
    history[0].parts = [UserPromptPart('again')]
    check()


def test_a_history_that_grows_and_one_that_slides(spans: SpansOfHistories) -> None:
    history = long_history(300)
    for end in range(1, 300, 7):
        assert spans.of(history[:end]) == spans.expected(history[:end])
    for start in range(0, 200, 3):
        window = history[start : start + 100]
        assert spans.of(window) == spans.expected(window)


def test_histories_with_the_same_beginning(spans: SpansOfHistories) -> None:
    beginning = long_history(70)
    branches = [[*beginning, *long_history(30)] for _ in range(3)]
    for end in range(68, 101):
        for branch in branches:
            assert spans.of(branch[:end]) == spans.expected(branch[:end])


def written(history: KeptMessages[str], messages: list[ModelMessage]) -> int:
    """Return how many of the messages are written."""
    count = 0

    def write(message: ModelMessage) -> tuple[list[str], bool]:
        nonlocal count
        count += 1
        return ['x' * 1000], True

    assert len(history.encode(messages, None, write)) == len(messages)
    return count


def test_the_same_response_is_shown_twice(spans: SpansOfHistories) -> None:
    history: list[ModelMessage] = [*long_history(60), ModelRequest([])]
    answer = ModelResponse([TextPart('done')])
    for _ in range(2):
        span = spans.tracer.start_span('request')
        spans.settings.handle_messages(history, answer, 'x', span)
        attributes: Any = getattr(span, 'attributes')
        assert attributes['gen_ai.input.messages'] == spans.expected(history)
        assert attributes['gen_ai.output.messages'] == spans.expected([answer])
    assert spans.of([ModelRequest([])]) == '[]'


def test_texts_that_follow_each_other_become_one() -> None:
    history, messages = KeptTexts(), texts(200)

    def encode(message: ModelMessage) -> tuple[list[str], bool]:
        return [message.parts[0].content], True  # type: ignore[union-attr]

    def expected(some: list[ModelMessage]) -> str:
        return ''.join(str(message.parts[0].content) for message in some)  # type: ignore[union-attr]

    for end in range(1, 201):
        known, last = history.encode_with_last(messages[:end], None, encode)
        assert ''.join([*known, last]) == expected(messages[:end])
        assert len(known) < 20
    assert ''.join(history.encode(messages[30:170], None, encode)) == expected(messages[30:170])
    messages[40].parts[0].content = 'changed'  # type: ignore[union-attr]
    known, last = history.encode_with_last(messages, None, encode)
    assert ''.join([*known, last]) == expected(messages)
    copied = pickle.loads(pickle.dumps(copy.deepcopy(history)))
    assert (type(copied), len(copied)) == (KeptTexts, 0)


def texts(length: int) -> list[ModelMessage]:
    return [ModelRequest.user_text_prompt(f'{number}') for number in range(length)]


def test_each_message_is_written_once_and_forgotten_with_its_last_user() -> None:
    history, messages = KeptMessages[str](size_of=len), texts(200)
    assert sum(written(history, messages[:end]) for end in range(1, 201)) == 200
    assert sum(written(history, messages[start:]) for start in range(200)) == 0
    branch = [*messages[:150], *texts(50)]
    assert sum(written(history, some[:end]) for end in range(140, 201) for some in (messages, branch)) == 50
    messages[3].parts[0].content = 'changed'  # type: ignore[union-attr]
    assert [written(history, messages), written(history, messages)] == [1, 0]
    copied = pickle.loads(pickle.dumps(copy.deepcopy(history)))
    assert len(copied) == 0
    del messages, branch
    gc.collect()
    assert len(history) == 0
    assert history.size == 0


def test_no_more_is_kept_than_the_limit() -> None:
    history, messages = KeptMessages[str](50_000, size_of=len), texts(200)
    for end in range(1, 201):
        written(history, messages[:end])
        assert history.size <= 50_000
    assert written(history, messages) == 150  # of a history that is too long, the rest stays
    others = texts(40)
    assert [written(history, others) for _ in range(2)] == [40, 0]
    assert history.size <= 50_000


def test_an_object_whose_inside_cannot_be_seen_is_written_each_time() -> None:
    history, messages = KeptMessages[str](size_of=len), texts(10)
    messages[4].parts = [ToolReturnPart('t', Answer(a=1), 'call'), ToolReturnPart('t', {Answer: 1}, 'call')]
    messages[6].parts = [ToolReturnPart('t', list(range(1000)), 'call')]
    nested: Any = {}
    nested['self'] = nested
    messages[8].parts = [ToolReturnPart('t', nested, 'call')]
    assert [written(history, messages) for _ in range(3)] == [10, 3, 3]
