"""Promises about histories: whatever is in one, it can be stored, loaded and continued, and no message is lost."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from importlib import import_module
from typing import Any

import anthropic
import openai
import pytest
from hypothesis import given, settings, strategies as st
from pydantic_core import PydanticSerializationError

from stead import Agent, ModelRetry, UnexpectedModelBehavior, UserError
from stead.direct import model_request_sync
from stead.messages import (
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
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
    UnknownContent,
    UnknownPart,
    UserPromptPart,
)
from stead.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.models.test import TestModel
from stead.usage import RequestUsage

EXAMPLES = 3000 if os.environ.get('STEAD_TRUST_FULL') == '1' else 60
HALF = '\ud83d'
NAN, INFINITY = float('nan'), float('inf')

CHARACTERS = st.characters() | st.sampled_from([HALF, '\ude00', '\udcff', '\x00', '\n', '\u2028', '\ufeff', '<', '"'])
TEXT = st.text(CHARACTERS, max_size=6)
IDS = st.sampled_from(['c1', 'c2', 'c3', f'c{HALF}'])
NAMES = st.sampled_from(['look', 'final_result', 'nothing', f'n{HALF}', ''])
DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([NAN, INFINITY, -INFINITY, 1e308])
    | st.sampled_from([400, 4299, 6000]).map(lambda digits: 10**digits)
    | st.floats()
    | TEXT
    | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, DATA, max_size=3)
MAYBE_OBJECT = st.none() | OBJECTS
MAYBE = st.none() | TEXT
FILES = st.builds(
    lambda data, kind: BinaryContent(data, media_type=kind),
    st.binary(max_size=4),
    st.sampled_from(['image/png', 'text/plain']),
)
LINKS = st.builds(lambda name: ImageUrl(f'https://example.com/{name}', media_type='image/png'), TEXT)
DOCUMENTS = st.builds(lambda text: DocumentUrl('https://example.com/a.pdf', vendor_metadata={'x': text}), DATA)
CONTENT = TEXT | st.lists(
    TEXT | FILES | LINKS | DOCUMENTS | st.builds(TextContent, TEXT, metadata=DATA) | st.builds(CachePoint), max_size=3
)
ARGUMENTS = (
    MAYBE_OBJECT | TEXT | st.sampled_from(['{"a": NaN}', '{"a"', '[1]', f'{{"a": "{HALF}"}}', '{"a": "\\ud83d"}'])
)
OUTCOMES = st.sampled_from(['success', 'failed', 'denied'])
REQUEST_PARTS: Any = st.one_of(
    st.builds(SystemPromptPart, TEXT, dynamic_ref=MAYBE),
    st.builds(UserPromptPart, CONTENT),
    st.builds(ToolReturnPart, NAMES, DATA | FILES | st.lists(DATA | FILES | LINKS, max_size=2), IDS, outcome=OUTCOMES),
    st.builds(RetryPromptPart, TEXT, tool_name=st.none() | NAMES, tool_call_id=IDS),
    st.builds(
        RetryPromptPart,
        st.builds(lambda data: [{'type': 'missing', 'loc': ('a', 0), 'msg': 'no', 'input': data}], DATA),
        tool_name=st.none() | NAMES,
        tool_call_id=IDS,
    ),
)
RESPONSE_PARTS: Any = st.one_of(
    st.builds(TextPart, TEXT, id=MAYBE, provider_details=MAYBE_OBJECT),
    st.builds(ThinkingPart, TEXT, signature=MAYBE),
    st.builds(CompactionPart, MAYBE, provider_details=MAYBE_OBJECT),
    st.builds(FilePart, FILES),
    st.builds(ToolCallPart, NAMES, ARGUMENTS, IDS),
    st.builds(NativeToolCallPart, NAMES, ARGUMENTS, IDS, provider_name=MAYBE),
    st.builds(NativeToolReturnPart, NAMES, DATA, IDS, provider_name=MAYBE),
)
USAGE = st.builds(RequestUsage, input_tokens=st.integers(-1000, 1000), output_tokens=st.integers(-1000, 1000))
REQUESTS = st.builds(ModelRequest, st.lists(REQUEST_PARTS, max_size=3), instructions=MAYBE, metadata=MAYBE_OBJECT)
RESPONSES = st.builds(
    ModelResponse,
    st.lists(RESPONSE_PARTS, max_size=3),
    usage=USAGE,
    model_name=MAYBE,
    provider_response_id=MAYBE,
    provider_details=MAYBE_OBJECT,
    state=st.sampled_from(['complete', 'interrupted', 'incomplete']),
)
HISTORIES: Any = st.lists(REQUESTS | RESPONSES, max_size=5)


def shape(messages: list[ModelMessage]) -> list[tuple[str, list[str]]]:
    return [(message.kind, [part.part_kind for part in message.parts]) for message in messages]


def kinds(shapes: list[tuple[str, list[str]]]) -> list[str]:
    return [kind for _, parts in shapes for kind in parts]


def agent_with(model: Any) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(model, retries=5)

    @agent.tool_plain
    def look(a: object = None) -> str:
        return 'seen'

    return agent


async def stream(messages: list[ModelMessage], info: Any) -> Any:
    yield 'done'


DONE = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('done')]), stream_function=stream)


@settings(max_examples=EXAMPLES)
@given(HISTORIES)
def test_whatever_a_history_holds_is_stored_and_read_back_without_losing_a_part(messages: list[ModelMessage]) -> None:
    stored = ModelMessagesTypeAdapter.dump_json(messages)
    stored.decode()
    loaded = ModelMessagesTypeAdapter.validate_json(stored)
    assert shape(loaded) == shape(messages)
    # What was stored once is stored again as it is.
    assert ModelMessagesTypeAdapter.dump_json(loaded) == ModelMessagesTypeAdapter.dump_json(
        ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(loaded))
    )


@settings(max_examples=EXAMPLES)
@given(HISTORIES, st.sampled_from(['run', 'stream', 'test model']), st.booleans(), st.booleans())
def test_whatever_a_history_holds_it_is_continued_or_refused_by_name(
    messages: list[ModelMessage], way: str, by_store: bool, with_prompt: bool
) -> None:
    if by_store:
        messages = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))
    before = shape(messages)
    agent = agent_with(TestModel(call_tools=[]) if way == 'test model' else DONE)
    prompt = 'go on' if with_prompt else None
    try:
        if way == 'stream':
            result: Any = agent.run_stream_sync(prompt, message_history=messages)
            result.get_output()
        else:
            result = agent.run_sync(prompt, message_history=messages)
    except UserError as error:
        assert 'history' in str(error) or 'prompt' in str(error)
        return
    assert shape(messages) == before
    after = result.all_messages()
    # Neighbours of one kind may have become one message, but no part is gone.
    assert Counter(kinds(before)) <= Counter(kinds(shape(after)))
    assert shape(ModelMessagesTypeAdapter.validate_json(result.all_messages_json())) == shape(after)


KINDS = st.text(st.characters(exclude_categories=['Cs']), max_size=8).map(lambda text: f'later-{text}')


@settings(max_examples=EXAMPLES)
@given(HISTORIES, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), KINDS, DATA), min_size=1, max_size=3))
def test_parts_of_unknown_kinds_are_kept_in_their_places(messages: list[ModelMessage], unknown: Any) -> None:
    readable = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))
    plain = json.loads(ModelMessagesTypeAdapter.dump_json(readable))
    inserted = 0
    for message, place, kind, data in unknown:
        if message < len(plain):
            plain[message]['parts'].insert(place, {'part_kind': kind, 'data': str(type(data))})
            inserted += 1
    if not inserted:
        return
    with pytest.warns(UserWarning, match='later-'):
        loaded = ModelMessagesTypeAdapter.validate_json(json.dumps(plain))
    assert json.loads(ModelMessagesTypeAdapter.dump_json(loaded)) == plain
    with pytest.warns(UserWarning, match='later-'):
        from_plain_data = ModelMessagesTypeAdapter.validate_python(plain)
    assert ModelMessagesTypeAdapter.dump_python(from_plain_data, mode='json') == plain
    seen: list[Any] = []

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        seen.extend(messages)
        return ModelResponse(parts=[TextPart('done')])

    try:
        result = Agent(FunctionModel(answer)).run_sync('go on', message_history=loaded)
    except UserError:
        return
    assert not [part for message in seen for part in message.parts if isinstance(part, UnknownPart)]
    after = [part for message in result.all_messages() for part in message.parts if isinstance(part, UnknownPart)]
    assert len(after) == inserted


def test_content_of_an_unknown_kind_is_kept_and_the_rest_of_the_prompt_is_read() -> None:
    content = ['a', {'kind': 'smell', 'x': 1}]
    plain = [{'kind': 'request', 'parts': [{'part_kind': 'user-prompt', 'content': content}]}]
    with pytest.warns(UserWarning, match="'smell' in message 0"):
        (message,) = ModelMessagesTypeAdapter.validate_json(json.dumps(plain))
    assert message.parts[0].content == ['a', UnknownContent('smell', {'kind': 'smell', 'x': 1})]
    stored = json.loads(ModelMessagesTypeAdapter.dump_json([message]))
    assert stored[0]['parts'][0]['content'] == content


def test_what_cannot_be_stored_says_where_it_is() -> None:
    messages: list[ModelMessage] = [
        ModelRequest([UserPromptPart('hi')]),
        ModelRequest([ToolReturnPart('look', 'fine', 'c1'), ToolReturnPart('lock', object(), 'c2')]),
    ]
    for dump in (ModelMessagesTypeAdapter.dump_json, lambda it: ModelMessagesTypeAdapter.dump_python(it, mode='json')):
        with pytest.raises(PydanticSerializationError, match="Message 1 .* its part 'tool-return' of the tool 'lock'"):
            dump(messages)


# Results of tools


def answers_with(value: object, *, streamed: bool = False) -> list[ModelMessage]:
    """Return the history of a run whose tool returns a value."""
    calls: list[Any] = [ToolCallPart('look', {}, 'c1')]

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart('done')] if len(messages) > 1 else calls)

    async def answer_streamed(messages: list[ModelMessage], info: Any) -> Any:
        yield 'done' if len(messages) > 1 else {0: DeltaToolCall('look', '{}', tool_call_id='c1')}

    agent: Agent[None, str] = Agent(FunctionModel(answer, stream_function=answer_streamed))
    agent.tool_plain(name='look')(lambda: value)
    if not streamed:
        return agent.run_sync('go').all_messages()
    result = agent.run_stream_sync('go')
    assert result.get_output() == 'done'
    return result.all_messages()


class Handle:
    """Something that only this process can use."""


def cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


WITHOUT_JSON: dict[str, object] = {
    'object': Handle(),
    'object in a list': [Handle()],
    'object in a dict': {'a': Handle()},
    'object for a key': {Handle: 1},
    'itself': cyclic(),
    'deep': deep(230),
    'very deep': deep(5000),
    'long integer': 10**5000,
    'long integer in a list': [10**5000],
}


@pytest.mark.parametrize('streamed', [False, True])
@pytest.mark.parametrize('name', WITHOUT_JSON)
def test_a_result_without_a_json_form_is_a_failure_of_its_call(name: str, streamed: bool) -> None:
    messages = answers_with(WITHOUT_JSON[name], streamed=streamed)
    (part,) = messages[2].parts
    assert isinstance(part, ToolReturnPart) and part.outcome == 'failed'
    assert part.content == "Tool 'look' ran, but what it returned cannot be read: there is no JSON for it."
    assert 'Return text, numbers' in part.metadata['message']
    assert shape(ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))) == shape(
        messages
    )


ODD: Any = [
    (f'a{HALF}', 'a\ufffd'),
    ([f'a{HALF}', {'\udcff': '\udcff.txt'}], '["a\ufffd",{"\ufffd":"\ufffd.txt"}]'),
    (TextPart(HALF), None),
    ({'a': NAN, 'b': [INFINITY]}, '{"a":null,"b":[null]}'),
    (b'\xff', '_w=='),
    (deep(100), None),
    (10**1000, str(10**1000)),
]


@pytest.mark.parametrize('place', range(len(ODD)))
def test_a_result_that_is_only_odd_is_read(place: int) -> None:
    value, read = ODD[place]
    messages = answers_with(value)
    (part,) = messages[2].parts
    assert isinstance(part, ToolReturnPart) and part.outcome == 'success'
    if read is not None:
        assert part.model_response_str() == read
    part.model_response_str().encode()
    assert shape(ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))) == shape(
        messages
    )


def test_plain_results_are_looked_at_with_few_calls() -> None:
    import cProfile
    import pstats

    from stead.messages import without_json

    for value, most in (('text', 2), (3, 3), (None, 2), ({'a': 1, 'b': 'x', 'c': None}, 12)):
        part = ToolReturnPart('look', value, 'c1')
        profile = cProfile.Profile()
        profile.runcall(without_json, part)
        assert pstats.Stats(profile).total_calls <= most + 1, value  # type: ignore[attr-defined]


# Answers of models


def test_halves_of_surrogate_pairs_from_a_model_never_get_into_a_history() -> None:
    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart(f'x{HALF}'), ThinkingPart(HALF)], provider_response_id=HALF)
        return ModelResponse(parts=[ToolCallPart(f'l{HALF}', {f'a{HALF}': [HALF]}, f'c{HALF}')])

    messages = Agent(FunctionModel(answer)).run_sync('go').all_messages()
    assert HALF not in repr(messages) and "'l\ufffd'" in repr(messages)
    assert ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))


def test_nor_from_one_that_streams() -> None:
    async def pieces(messages: list[ModelMessage], info: Any) -> Any:
        if len(messages) == 1:
            yield {0: DeltaToolCall(f'l{HALF}', '{"a": ', tool_call_id=f'c{HALF}')}
            yield {0: DeltaToolCall(json_args=f'"{HALF}"}}')}
            return
        yield {0: DeltaThinkingPart(content=HALF)}
        yield {0: DeltaThinkingPart(content=HALF)}
        yield f'x{HALF}'
        yield HALF

    seen: list[str] = []

    async def handle(ctx: Any, events: Any) -> None:
        async for event in events:
            seen.append(repr(event))

    agent = Agent(FunctionModel(stream_function=pieces))
    result = agent.run_sync('go', event_stream_handler=handle)
    assert result.output == 'x\ufffd\ufffd'
    assert seen and not [text for text in [*seen, repr(result.all_messages())] if 'ud83d' in text]


@pytest.mark.parametrize('levels', [240, 300, 5_000])
def test_arguments_that_are_nested_too_deep_become_text_that_the_model_reads_about(levels: int) -> None:
    calls: list[Any] = [ToolCallPart('look', {'a': deep(levels)}, 'c1')]
    model = FunctionModel(
        lambda messages, info: ModelResponse(parts=[TextPart('done')] if len(messages) > 1 else calls)
    )
    messages = agent_with(model).run_sync('go').all_messages()
    assert isinstance(messages[2].parts[0], RetryPromptPart)
    assert ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages))


def on_wire(sdk: Any, answers: list[dict[str, Any]], raw: tuple[str, str] = ('', '')) -> tuple[Any, list[Any]]:
    """Return an HTTP client for an SDK that answers with JSON, in which a text is replaced, and the bodies it was sent."""
    bodies: list[Any] = []
    http: Any = import_module(sdk.DefaultAsyncHttpxClient.__mro__[1].__module__.partition('.')[0])

    def handle(request: Any) -> Any:
        bodies.append(json.loads(request.content))
        text = json.dumps(answers[min(len(bodies), len(answers)) - 1])
        text = text.replace(*raw) if raw[0] else text
        return http.Response(200, text=text, headers={'content-type': 'application/json'})

    return http.AsyncClient(transport=http.MockTransport(handle)), bodies


def openai_answer(text: str, **usage: int) -> dict[str, Any]:
    choice = {'index': 0, 'message': {'role': 'assistant', 'content': text}, 'finish_reason': 'stop'}
    counts = {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2, **usage}
    return {'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': 'm', 'choices': [choice], 'usage': counts}


def openai_model(client: Any) -> Any:
    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    return OpenAIChatModel('m', provider=OpenAIProvider(api_key='key', http_client=client))


def anthropic_model(client: Any) -> Any:
    from stead.models.anthropic import AnthropicModel
    from stead.providers.anthropic import AnthropicProvider

    return AnthropicModel('m', provider=AnthropicProvider(api_key='key', http_client=client))


def anthropic_answer(*content: dict[str, Any]) -> dict[str, Any]:
    head = {'id': 'x', 'type': 'message', 'role': 'assistant', 'model': 'm', 'content': list(content)}
    return {**head, 'stop_reason': 'end_turn', 'usage': {'input_tokens': 1, 'output_tokens': 1}}


def test_an_answer_that_no_parser_follows_is_an_error_of_the_model() -> None:
    levels = 50_000 if sys.version_info < (3, 14) else 2_000_000  # as far as the stack reaches
    nested = '[' * levels + ']' * levels
    call = {'type': 'tool_use', 'id': 'c1', 'name': 'look', 'input': {'a': 'DEEP'}}
    client, _ = on_wire(anthropic, [anthropic_answer(call)], ('"DEEP"', nested))
    with pytest.raises(UnexpectedModelBehavior, match="'m' gave an invalid response: it cannot be parsed"):
        Agent(anthropic_model(client)).run_sync('x')


def test_half_an_emoji_from_a_provider_is_stored_and_continued() -> None:
    client, bodies = on_wire(openai, [openai_answer('broken HALF emoji')], ('HALF', '\\ud83d'))
    agent = Agent(openai_model(client))
    first = agent.run_sync('x')
    assert first.output == 'broken \ufffd emoji'
    history = ModelMessagesTypeAdapter.validate_json(first.all_messages_json())
    agent.run_sync('y', message_history=history)
    assert 'broken \ufffd emoji' in json.dumps(bodies[-1], ensure_ascii=False)


BROKEN: list[ModelMessage] = [
    ModelRequest([SystemPromptPart(HALF), UserPromptPart([HALF, TextContent(HALF)])], instructions=HALF),
    ModelResponse([TextPart(HALF), ToolCallPart('look', {'a': NAN, 'b': [INFINITY, HALF, b'\xff']}, f'c{HALF}')]),
    ModelRequest([ToolReturnPart('look', {HALF: [NAN, HALF]}, f'c{HALF}')]),
    ModelResponse([TextPart('ok'), ToolCallPart('look', '{"a": NaN}', 'c2')]),
    ModelRequest([RetryPromptPart(HALF, tool_name='look', tool_call_id='c2')]),
]


@pytest.mark.filterwarnings('ignore:What was stored has values')
def test_models_that_are_asked_directly_see_nothing_of_unknown_kinds() -> None:
    prompt = {'part_kind': 'user-prompt', 'content': [{'kind': 'smell'}, 'b']}
    history = ModelMessagesTypeAdapter.validate_python([{'kind': 'request', 'parts': [{'part_kind': 'scent'}, prompt]}])
    for sdk, model, answer in (
        (openai, openai_model, openai_answer('done')),
        (anthropic, anthropic_model, anthropic_answer({'type': 'text', 'text': 'done'})),
    ):
        client, bodies = on_wire(sdk, [answer])
        model_request_sync(model(client), history)
        sent = json.dumps(bodies[0]['messages'])
        assert '"b"' in sent and 'scent' not in sent and 'smell' not in sent


@pytest.mark.parametrize('vendor', ['openai', 'anthropic'])
def test_broken_histories_are_sent_to_providers_as_json(vendor: str) -> None:
    if vendor == 'openai':
        client, bodies = on_wire(openai, [openai_answer('done')])
        model = openai_model(client)
    else:
        client, bodies = on_wire(anthropic, [anthropic_answer({'type': 'text', 'text': 'done'})])
        model = anthropic_model(client)
    agent = Agent(model, instructions=f'Be {HALF}.')
    before = repr(BROKEN)
    assert agent.run_sync(f'and {HALF}?', message_history=BROKEN).output == 'done'
    assert repr(BROKEN) == before
    sent = json.dumps(bodies[-1], ensure_ascii=False)
    assert 'and \ufffd?' in sent and 'Be \ufffd.' in sent and HALF not in sent
    # The next request takes the messages that were found sound for granted, and only those.
    assert (
        agent.run_sync(f'again {HALF}', message_history=[ModelRequest([UserPromptPart('a')]), *BROKEN]).output == 'done'
    )


def test_nan_in_arguments_from_a_provider_does_not_break_the_next_request() -> None:
    call = {'type': 'tool_use', 'id': 'c1', 'name': 'look', 'input': {'a': 'NAN'}}
    answers = [anthropic_answer(call), anthropic_answer({'type': 'text', 'text': 'done'})]
    client, bodies = on_wire(anthropic, answers, ('"NAN"', 'NaN'))
    assert agent_with(anthropic_model(client)).run_sync('x').output == 'done'
    assert bodies[1]['messages'][1]['content'][0]['input'] == {'a': None}


def test_a_tool_may_ask_again_with_any_text() -> None:
    tried: list[int] = []
    calls: list[Any] = [ToolCallPart('look', {}, 'c1')]
    model = FunctionModel(
        lambda messages, info: ModelResponse(parts=[TextPart('done')] if len(messages) > 1 else calls)
    )
    agent = Agent(model)

    @agent.tool_plain
    def look() -> str:
        tried.append(1)
        raise ModelRetry(f'no {HALF}')

    stored = agent.run_sync('x').all_messages_json()
    assert 'no \ufffd' in stored.decode() and tried == [1]


def test_an_interrupted_call_with_half_an_emoji_in_its_arguments_is_read() -> None:
    call = ToolCallPart('look', '{"a": "\ud83d"}', 'c1')
    assert call.args_as_dict(raise_if_invalid=True) == {'a': '\ufffd'}
