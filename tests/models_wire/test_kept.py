"""Messages are written once, and again whenever anything in them has changed."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import gc
import json
import pickle
import tracemalloc
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from _in_process import MAKERS
from _wire import Reply, Wire
from kit import chat_model, completion

from stead.exceptions import UserError
from stead.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    ImageUrl,
    InstructionPart,
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
from stead.models import ModelRequestParameters
from stead.models._wire.kept import KeptMessages, Written

PNG = BinaryContent(b'png', media_type='image/png')
VENDORS = {
    'openai': 'openai',
    'openai-responses': 'openai',
    'anthropic': 'anthropic',
    'google': 'google',
    'groq': 'groq',
    'mistral': 'mistral',
    'huggingface': 'huggingface',
    'cohere': 'cohere',
    'bedrock': 'bedrock',
}


def parts_of(provider: str) -> Iterator[tuple[bool, Any]]:
    """Every kind of part, with whether it belongs to a request."""
    details = {'finish_reason': 'x', 'n': 1, 'raw_content': ['a'], 'thought_signature': 'c2ln'}
    yield True, SystemPromptPart('s', dynamic_ref='r')
    yield True, UserPromptPart('u')
    yield True, UserPromptPart(['u', TextContent('t', metadata={'a': 1}), CachePoint()])
    yield True, UserPromptPart([BinaryContent(b'png', media_type='image/png', vendor_metadata={'detail': 'low'})])
    yield True, UserPromptPart([ImageUrl('https://127.0.0.1/i.png', vendor_metadata={'detail': 'low'})])
    yield True, UserPromptPart([DocumentUrl('https://127.0.0.1/d.pdf')])
    owner: Any = (
        'openai' if provider in ('groq', 'mistral', 'huggingface', 'cohere') else provider
    )  # these have no files
    yield True, UserPromptPart([UploadedFile(file_id='f', provider_name=owner, media_type='image/png')])
    yield True, ToolReturnPart('t', 'text', 'call', metadata={'a': 1})
    yield True, ToolReturnPart('t', {'a': 1, 'b': [1.5, {'c': True}], 'd': None}, 'call')
    yield True, ToolReturnPart('t', ['a', 2, PNG], 'call')
    yield True, ToolReturnPart('t', datetime(2030, 1, 1, tzinfo=timezone.utc), 'call')
    yield True, RetryPromptPart('again', tool_name='t', tool_call_id='call')
    yield (
        True,
        RetryPromptPart([{'type': 'x', 'loc': ('a', 0), 'msg': 'm', 'input': 1}], tool_name='t', tool_call_id='c'),
    )
    yield False, TextPart('t', id='msg', provider_name=provider, provider_details=dict(details))
    yield False, ThinkingPart('t', id='rs', signature='s', provider_name=provider, provider_details=dict(details))
    yield False, ToolCallPart('t', '{"a": 1}', 'call', id='fc', provider_name=provider, provider_details=dict(details))
    yield False, ToolCallPart('t', {'a': 1, 'b': 'x', 'c': 0.0}, 'call')
    yield False, ToolCallPart('t', {'a': {'b': [1]}}, 'call')
    yield (
        False,
        NativeToolCallPart('web_search', {'q': 'x'}, 'n', provider_name=provider, provider_details=dict(details)),
    )
    yield False, NativeToolReturnPart('web_search', {'status': 'completed'}, 'n', provider_name=provider)
    yield False, CompactionPart('c', id='c', provider_name=provider, provider_details={'encrypted_content': 'x'})
    yield False, FilePart(PNG, id='f', provider_name=provider)


def others(value: Any) -> Iterator[Any]:
    """Values to put in the place of one; among them those that Python takes for equal."""
    if isinstance(value, str):
        yield f'{value}!'
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (value + 1, bool(value), float(value), -value)
    elif isinstance(value, datetime):
        yield from (value + timedelta(hours=1), value.astimezone(timezone(timedelta(hours=1))))
    elif isinstance(value, bytes):
        yield value + b'!'
    elif value is None:
        yield from ('x', {'detail': 'high', 'phase': 'p', 'namespace': 'n'})
    elif isinstance(value, (list, tuple)):
        yield type(value)([*value, 'more'])
    elif isinstance(value, dict):
        yield {**value, 'more': 1}


def changes(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Every place in a value that can be changed where it is: its holder, its name there, and another value for it."""
    if dataclasses.is_dataclass(value):
        names: Any = value.__dict__.keys()
        get: Any = value.__dict__.get
    elif isinstance(value, dict):
        names, get = value.keys(), value.get
    elif isinstance(value, list):
        names, get = range(len(value)), value.__getitem__
    else:
        return
    for name in list(names):
        if name in ('part_kind', 'kind'):  # what makes it what it is
            continue
        for other in others(get(name)):
            yield value, name, other
        yield from changes(get(name))


def put(holder: Any, name: Any, value: Any) -> None:
    if isinstance(holder, (dict, list)):
        holder[name] = value
    else:
        object.__setattr__(holder, name, value)


@pytest.mark.parametrize('vendor', VENDORS)
def test_every_kind_of_part_is_sent_the_same_on_both_ways(vendor: str) -> None:
    model, wire = MAKERS[vendor]()

    async def sent(messages: Any, settings: Any) -> Any:
        wire.sent.clear()
        try:
            await model.request(messages, settings, ModelRequestParameters())
        except UserError as error:
            return str(error)
        return json.loads(wire.sent[0])

    async def main() -> None:
        for is_request, part in parts_of(VENDORS[vendor]):
            message: Any = ModelRequest([part]) if is_request else ModelResponse([part], provider_name=vendor)
            messages = [ModelRequest.user_text_prompt('begin'), message, ModelRequest.user_text_prompt('end')]
            assert await sent(messages, None) == await sent(messages, {'wire': 'sdk'}), part

    asyncio.run(main())


@pytest.mark.parametrize('vendor', VENDORS)
def test_a_message_that_is_changed_in_place_is_written_again(vendor: str) -> None:
    model, wire = MAKERS[vendor]()
    params = ModelRequestParameters()
    changed = 0

    async def sent(messages: Any) -> Any:
        wire.sent.clear()
        try:
            await model.request(messages, None, params)
        except Exception as error:
            return type(error), str(error)
        return wire.sent[0]

    async def main() -> None:
        nonlocal changed
        for is_request, part in parts_of(VENDORS[vendor]):
            head, end = ModelRequest.user_text_prompt('begin'), ModelRequest.user_text_prompt('end')
            message: Any = ModelRequest([part]) if is_request else ModelResponse([part], provider_name=vendor)
            messages = [head, message, end]
            fields = [(message, 'provider_name', 'other'), (message, 'provider_details', {'a': 1})]
            before = await sent(messages)
            for holder, name, other in [*changes(part), *([] if is_request else fields)]:
                old = holder[name] if isinstance(holder, (dict, list)) else getattr(holder, name)
                put(holder, name, other)
                after = await sent(messages)
                assert after == await sent(copy.deepcopy(messages)), (part, name, other)
                changed += after != before
                put(holder, name, old)
            assert await sent(messages) == before
            message.parts = [TextPart('x'), part] if not is_request else [UserPromptPart('x'), part]
            assert await sent(messages) == await sent(copy.deepcopy(messages))
            message.parts.pop()
            assert await sent(messages) == await sent(copy.deepcopy(messages))

    asyncio.run(main())
    assert changed > 40


@pytest.mark.parametrize('vendor', VENDORS)
def test_what_a_request_is_sent_with_may_change_from_one_to_the_next(vendor: str) -> None:
    model, wire = MAKERS[vendor]()
    fresh, fresh_wire = MAKERS[vendor]()
    messages: list[Any] = [
        ModelRequest([SystemPromptPart('s'), UserPromptPart('u')], instructions='old'),
        ModelResponse([ThinkingPart('t', signature='s', provider_name='anthropic'), TextPart('x')]),
        ModelRequest([UserPromptPart(['a', CachePoint(), 'b'])], instructions='new'),
    ]
    more: Any = {} if vendor == 'bedrock' else {'extra_body': {'model': 'another', 'messages': []}}
    requests: list[tuple[Any, Any]] = [
        (None, ModelRequestParameters()),
        ({'anthropic_cache_messages': True}, ModelRequestParameters()),
        (None, ModelRequestParameters(instruction_parts=[InstructionPart(content='i')])),
        ({**more, 'max_tokens': 5}, ModelRequestParameters()),
        (None, ModelRequestParameters()),
    ]

    async def main() -> None:
        for settings, params in requests:
            await model.request(messages, settings, params)
            await fresh.request(copy.deepcopy(messages), {**(settings or {}), 'wire': 'sdk'}, params)
            assert json.loads(wire.sent[-1]) == json.loads(fresh_wire.sent[-1])

    asyncio.run(main())


X = [Written('user', b'x')]


def keep(message: ModelMessage) -> KeptMessages:
    """Keep one message."""
    kept: KeptMessages = KeptMessages()
    kept.keep([message], 0, None, X)
    return kept


def found(kept: KeptMessages, message: ModelMessage, key: object = None) -> object:
    """What a message was written as; `None` if it has to be written."""
    ((start, stop, pieces),) = kept.find([message], key)
    assert (start, stop) == (0, 1)
    return pieces


def test_what_is_kept_goes_with_its_message_and_is_bounded() -> None:
    kept: KeptMessages = KeptMessages(limit=1000)
    key = kept.key_like(('a', 1))
    assert kept.key_like(('a', 1)) is key
    messages: list[ModelMessage] = [ModelRequest.user_text_prompt(str(number)) for number in range(100)]
    written = [Written('user', b'x' * 50)]
    for place in range(100):
        assert found(kept, messages[place], key) is None
        kept.keep(messages, place, key, written)
        assert kept.size <= 1000
    assert kept.size >= 500
    assert found(kept, messages[-1], key) == written
    assert found(kept, messages[0], key) is None
    assert found(kept, messages[-1], kept.key_like(('b', 1))) is None
    assert found(kept, ModelRequest.user_text_prompt('x'), key) is None
    del messages
    gc.collect()
    assert len(kept) == 0
    assert kept.size == 0


@pytest.mark.parametrize('vendor', VENDORS)
def test_a_history_is_kept_once_beyond_its_encoded_form(vendor: str) -> None:
    """Long texts are the bulk of a history: they are referred to, and what is added is their JSON, once."""
    model, wire = MAKERS[vendor]()
    text = 'some words of a long answer, '
    size, count = 20_000, 10
    messages: list[Any] = [ModelRequest.user_text_prompt('begin')]
    for number in range(count):
        call = ToolCallPart('t', json.dumps({'a': text * (size // len(text))}), f'c{number}')
        returned = {'a': [text * (size // len(text))]}
        messages += [ModelResponse([call]), ModelRequest([ToolReturnPart('t', returned, f'c{number}')])]

    async def main() -> tuple[int, int]:
        await model.request(messages[:3], None, ModelRequestParameters())
        wire.sent.clear()
        gc.collect()
        tracemalloc.start()
        try:
            for _ in range(3):
                await model.request(messages, None, ModelRequestParameters())
                body, wire.sent = len(wire.sent[-1]), []
            in_use = 0
            for _ in range(100):  # the event loop, or a thread of the SDK, may still have what it did last
                await asyncio.sleep(0.01)
                gc.collect()
                in_use = tracemalloc.get_traced_memory()[0]
                if in_use < 1.2 * body:
                    break
            return in_use, body
        finally:
            tracemalloc.stop()

    in_use, body = asyncio.run(main())
    least = 0.4 if vendor in ('huggingface', 'cohere', 'bedrock') else 0.8  # their plain data refers to the long texts
    assert least * body < in_use < 1.2 * body
    assert body > 2 * size * count


def test_what_a_model_keeps_has_a_bound_that_a_long_history_reaches() -> None:
    model, wire = MAKERS['openai']()
    model._kept = KeptMessages(limit=100_000)
    messages = [ModelRequest.user_text_prompt(f'{number} ' * 1000) for number in range(200)]

    async def main() -> None:
        for _ in range(3):
            await model.request(messages, None, ModelRequestParameters())
            assert model._kept.size <= 100_000

    asyncio.run(main())
    assert json.loads(wire.sent[0]) == json.loads(wire.sent[-1])
    del messages[:]
    gc.collect()
    assert len(model._kept) <= 1  # of the message that was checked last


def test_a_model_can_be_copied_with_what_it_keeps() -> None:
    message = ModelRequest.user_text_prompt('x')
    kept = keep(message)
    assert len(kept) == 1
    for copied in (copy.deepcopy(kept), pickle.loads(pickle.dumps(kept))):
        assert len(copied) == 0


class Opaque:
    pass


@pytest.mark.parametrize(
    'content',
    [Opaque(), {'a': Opaque()}, list(range(1000)), {str(n): n for n in range(1000)}, {1, 2}],
    ids=['object', 'inside', 'long list', 'long dict', 'set'],
)
def test_what_cannot_be_compared_is_not_kept(content: Any) -> None:
    message = ModelRequest([ToolReturnPart('t', content, 'c')])
    assert found(keep(message), message) is None


def test_a_result_that_contains_itself_is_not_kept() -> None:
    content: list[Any] = []
    content.append(content)
    message = ModelRequest([ToolReturnPart('t', content, 'c')])
    assert found(keep(message), message) is None


def nested_in_itself(content: dict[str, Any]) -> None:
    content['inside'] = [content]


@pytest.mark.parametrize(
    'change',
    [
        lambda content: content.update(inside=Opaque()),
        lambda content: content.update({str(number): number for number in range(1000)}),
        lambda content: content['list'].append(Opaque()),
        nested_in_itself,
    ],
    ids=['object', 'long dict', 'inside of a list', 'itself'],
)
def test_what_is_changed_in_place_to_something_that_cannot_be_compared_is_written_again(change: Any) -> None:
    content: dict[str, Any] = {'inside': 1, 'list': []}
    message = ModelRequest([ToolReturnPart('t', content, 'c')])
    kept = keep(message)
    assert found(kept, message) == X
    change(content)
    assert found(kept, message) is None


def in_another_order(first: dict[str, Any], second: dict[str, Any]) -> None:
    first['a'] = first.pop('a')


@pytest.mark.parametrize(
    'change',
    [
        lambda first, second: first.update(a=True),
        lambda first, second: first.update(a=1.0),
        lambda first, second: first.update(b=-0.0),
        lambda first, second: first.update(a='text'),
        lambda first, second: first.update(more=1),
        lambda first, second: first.update(more='text'),
        lambda first, second: first.pop('b'),
        lambda first, second: first.clear(),
        in_another_order,
        lambda first, second: [
            second.update(b=first.pop('b')),
            second.update(c=second.pop('c')),
        ],  # the keys as a whole stay
    ],
    ids=['bool', 'float', 'sign', 'text', 'number more', 'text more', 'less', 'none', 'order', 'from one to the next'],
)
def test_arguments_without_text_are_looked_at_as_closely_as_others(change: Any) -> None:
    first: dict[str, Any] = {'a': 1, 'b': 0.0}
    second: dict[str, Any] = {'c': 3}
    message = ModelResponse([ToolCallPart('t', first, 'x'), ToolCallPart('t', second, 'y')])
    kept = keep(message)
    assert found(kept, message) == X
    change(first, second)
    assert found(kept, message) is None


def test_a_file_is_downloaded_for_each_request() -> None:
    with Wire() as files, Wire(completion()) as wire:
        files.expect(Reply(pieces=[b'RIFF'], content_type='audio/wav'))
        messages = [ModelRequest([UserPromptPart([AudioUrl(f'{files.url}/a.wav', force_download='allow-local')])])]

        async def main() -> None:
            model = chat_model(wire)
            for _ in range(2):
                await model.request(messages, None, ModelRequestParameters())

        asyncio.run(main())
    assert len(files.requests) == 2
    assert wire.bodies[0] == wire.bodies[1]
