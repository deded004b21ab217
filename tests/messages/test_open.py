"""What others write and this version does not know: it is read, kept, and written again as it was."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given, strategies as st
from pydantic import TypeAdapter

import stead.dropin
from stead import Agent
from stead.messages import (
    AgentStreamEvent,
    AudioUrl,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    Open,
    PartStartEvent,
    RetryFeedbackPart,
    RetryInfo,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UnknownContent,
    UnknownEvent,
    UnknownPart,
    UserPromptPart,
    VideoUrl,
)
from stead.models.function import FunctionModel
from stead.models.test import TestModel
from stead.usage import RequestUsage, RunUsage

HERE = Path(__file__).parent
LEVEL_2: dict[str, Any] = {}
for line in (HERE.parent / 'parity/cases/level2/histories.jsonl').read_text().splitlines():
    LEVEL_2.update(json.loads(line))
DRAWN = (HERE.parent / 'parity/cases/level2/histories_drawn.jsonl').read_text().splitlines()
OWN: dict[str, Any] = {
    name: json.loads((HERE / f'data/{name}.json').read_text()) for name in ('every_part', 'agent_run')
}

read_json = ModelMessagesTypeAdapter.validate_json
read = ModelMessagesTypeAdapter.validate_python


@pytest.fixture(autouse=True)
def removed() -> Iterator[None]:
    yield
    stead.dropin.uninstall()


pytestmark = pytest.mark.filterwarnings('ignore:What was stored has values')


def written(messages: list[ModelMessage]) -> Any:
    data = json.loads(ModelMessagesTypeAdapter.dump_json(messages))
    assert ModelMessagesTypeAdapter.dump_python(messages, mode='json') == data
    return data


def lost(stored: Any, again: Any, path: str = '') -> list[str]:
    """Return where data is gone or changed; what is new, such as a default, is not lost."""
    if isinstance(stored, dict) and isinstance(again, dict):
        gone = [f'{path}.{key}' for key in stored if key not in again]
        return gone + [at for key in stored if key in again for at in lost(stored[key], again[key], f'{path}.{key}')]
    if isinstance(stored, list) and isinstance(again, list) and len(stored) == len(again):
        return [at for i, (a, b) in enumerate(zip(stored, again)) for at in lost(a, b, f'{path}[{i}]')]
    return [] if stored == again else [f'{path}: {stored!r:.60} became {again!r:.60}']


@pytest.mark.parametrize('name', LEVEL_2)
def test_histories_of_level_2_come_back_equal(name: str) -> None:
    stored = LEVEL_2[name]
    for messages in (read_json(json.dumps(stored)), read(stored)):
        assert len(messages) == len(stored)
        assert not lost(stored, written(messages))
    messages = read_json(json.dumps(stored))
    assert read_json(json.dumps(written(messages))) == messages


def test_histories_that_are_drawn_come_back_equal_at_every_level() -> None:
    assert len(DRAWN) >= 90
    for level in (None, 1, 2):
        if level:
            stead.dropin.install(level=level)
        for text in DRAWN:
            stored = json.loads(text)
            for messages in (read_json(text), read(stored)):
                assert written(messages) == stored


@pytest.mark.parametrize('name', LEVEL_2)
def test_histories_of_level_2_are_continued(name: str) -> None:
    sent: list[ModelMessage] = []

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        sent.extend(messages)
        return ModelResponse(parts=[TextPart('done')])

    result = Agent(FunctionModel(answer)).run_sync('and now?', message_history=read(LEVEL_2[name]))
    assert result.output == 'done'
    kinds = {part.part_kind for message in sent for part in message.parts}
    assert 'unknown' not in kinds
    assert not lost(LEVEL_2[name], written(result.all_messages())[: len(LEVEL_2[name])])


@pytest.mark.parametrize('name', ['cache_write_1h_tokens', 'output_reasoning_tokens', 'audio_seconds', 'cost', 'x'])
def test_an_empty_count_is_written_where_it_was_stored_and_shows_nowhere_else(name: str) -> None:
    counts = {'input_tokens': 3, name: None if name in ('cost', 'x') else 0}
    moment = '2026-01-01T00:00:00Z'
    attempt = {'error': 'e', 'outcome': 'error', 'timestamp': moment, 'duration': 'PT1S', 'usage': counts}
    stored = [{'kind': 'response', 'parts': [], 'usage': counts, 'failed_attempts': [{'model_name': 'm', **attempt}]}]
    for messages in (read_json(json.dumps(stored)), read(stored)):
        (message,) = messages
        assert isinstance(message, ModelResponse) and message.failed_attempts
        fresh = RequestUsage(input_tokens=3)
        for usage in (message.usage, copy(message.usage), pickle.loads(pickle.dumps(message.usage))):
            assert (usage, repr(usage)) == (fresh, repr(fresh))
        assert message.usage + fresh == fresh + message.usage == fresh + fresh
        assert not lost(stored, written(messages))
        (again,) = written([ModelResponse(parts=[], usage=fresh)])
        assert name not in again['usage']


def test_totals_that_were_stored_with_empty_counts_have_no_values() -> None:
    adapter: TypeAdapter[RunUsage] = TypeAdapter(Annotated[RunUsage, Open()])
    stored = {'requests': 0, 'cache_write_1h_tokens': 0, 'cost': None, 'audio_seconds': 0.0, 'unmeasured_requests': 0}
    usage = adapter.validate_python(stored)
    assert not usage.has_values() and usage == RunUsage()
    assert not lost(stored, adapter.dump_python(usage, mode='json'))


def test_a_retry_of_level_2_is_a_result_that_says_so() -> None:
    part = read(LEVEL_2['retries'])[2].parts[0]
    assert isinstance(part, ToolReturnPart)
    assert (part.outcome, part.content, part.model_response_str()) == ('retried', 'not 1', 'not 1')


def test_feedback_of_level_2_is_read_and_models_see_it_as_text() -> None:
    sent: list[ModelMessage] = []

    def answer(messages: list[ModelMessage], info: Any) -> ModelResponse:
        sent.extend(messages)
        return ModelResponse(parts=[TextPart('done')])

    history = read(LEVEL_2['prompted_output'])
    first, second = history[2].parts[0], history[4].parts[0]
    assert isinstance(first, RetryFeedbackPart) and isinstance(second, RetryFeedbackPart)
    assert first.retry == RetryInfo('validation_error', attempt=1, max_retries=3)
    assert second == RetryFeedbackPart(
        'again', retry=RetryInfo('model_retry', attempt=2, max_retries=3), timestamp=second.timestamp
    )
    Agent(FunctionModel(answer)).run_sync('and now?', message_history=history)
    seen = [sent[2].parts[0], sent[4].parts[0]]
    intro = "Your previous response failed the application's validation (this is automated feedback, not a message from the user):\n"
    errors = (
        '[{"type":"int_parsing","loc":["x"],"msg":"Input should be a valid integer, unable to parse string as an integer",'
        '"input":"a"}]'
    )
    assert [part.content for part in seen if isinstance(part, UserPromptPart)] == [
        f'{intro}<pyai:validation_errors>\n{errors}\n</pyai:validation_errors>',
        f'{intro}<pyai:retry_feedback>\nagain\n</pyai:retry_feedback>',
    ]


def places(data: Any) -> list[Any]:
    """Return every object in data whose fields may become more."""
    if isinstance(data, list):
        return [found for item in data for found in places(item)]
    if not isinstance(data, dict):
        return []
    own = [data] if {'kind', 'part_kind', 'input_tokens'} & set(data) else []
    return own + [found for key, item in data.items() if key not in ('metadata', 'args') for found in places(item)]


NEW = st.dictionaries(
    st.text('xyz', min_size=1, max_size=3), st.recursive(st.integers() | st.text('ab'), st.lists), max_size=3
)


@given(st.sampled_from([*LEVEL_2.values(), *OWN.values()]), st.data())
def test_no_field_and_no_kind_is_lost(history: Any, data: st.DataObject) -> None:
    stored = json.loads(json.dumps(history))
    for place in data.draw(st.lists(st.sampled_from(places(stored)), max_size=4)):
        kind = 'part_kind' if 'part_kind' in place else 'kind'
        if (
            place.get(kind) not in ('request', 'response', None)
            and place.get('kind') != 'binary'
            and data.draw(st.booleans())
        ):
            place[kind] = data.draw(st.text('xyz', min_size=1, max_size=3))
        place.update({f'new_{name}': item for name, item in data.draw(NEW).items()})
    trusted = {'allow_local': True}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for messages in (read_json(json.dumps(stored), context=trusted), read(stored, context=trusted)):
            assert not lost(stored, written(messages))
            users_own: TypeAdapter[Any] = TypeAdapter(list[ModelMessage])
            assert not lost(
                written(messages),
                users_own.dump_python(users_own.validate_python(stored, context=trusted), mode='json'),
            )


def test_what_is_unknown_is_named_once_with_its_message() -> None:
    part = {'part_kind': 'scent', 'x': 1}
    stored = [
        {
            'kind': 'request',
            'parts': [{'part_kind': 'user-prompt', 'content': [{'kind': 'smell', 'y': 2}, 'b']}, part, part],
        },
        {'kind': 'response', 'parts': [part], 'finish_reason': 'tired'},
    ]
    with pytest.warns(UserWarning) as caught:
        messages = read_json(json.dumps(stored))
    (warning,) = caught
    assert "kind 'smell' in message 0, part_kind 'scent' in message 0, finish_reason 'tired' in message 1." in str(
        warning.message
    )
    assert messages[1].parts == [UnknownPart('scent', part)]
    assert not messages[1].parts[0].has_content()
    assert messages[0].parts[0].content == [UnknownContent('smell', {'kind': 'smell', 'y': 2}), 'b']
    assert isinstance(messages[1], ModelResponse) and messages[1].finish_reason == 'tired'


def test_unknown_fields_shadow_no_method_and_are_not_shown() -> None:
    stored = [{'kind': 'response', 'parts': [{'part_kind': 'text', 'content': 'x', 'has_content': 5, '_unread': 6}]}]
    (message,) = read(stored)
    assert message.parts == [TextPart('x')]
    assert message.parts[0].has_content()
    assert repr(message.parts[0]) == "TextPart(content='x')"
    assert not lost(stored, written([message]))


def test_media_in_a_result_keeps_its_unknown_fields() -> None:
    image = {'kind': 'binary', 'data': 'YWJj', 'media_type': 'image/png', 'width': 3}
    stored = [
        {
            'kind': 'request',
            'parts': [{'part_kind': 'tool-return', 'tool_name': 't', 'tool_call_id': 'c', 'content': image}],
        }
    ]
    (message,) = read_json(json.dumps(stored))
    assert isinstance(message.parts[0], ToolReturnPart) and message.parts[0].files
    assert not lost(stored, written([message]))


@pytest.mark.parametrize(
    ('tool_name', 'content'),
    [('other', {'discovered_tools': []}), ('search_tools', 'free'), ('search_tools', {'discovered_tools': [{}]})],
)
def test_a_part_whose_tool_or_payload_is_not_that_of_its_kind_stays_plain(tool_name: str, content: Any) -> None:
    part = {'part_kind': 'tool-return', 'tool_name': tool_name, 'content': content, 'tool_kind': 'tool-search'}
    stored = [{'kind': 'request', 'parts': [{**part, 'tool_call_id': 'c'}]}]
    for messages in (read_json(json.dumps(stored)), read(stored)):
        assert type(messages[0].parts[0]) is ToolReturnPart
        assert not lost(stored, written(messages))
        assert Agent(TestModel()).run_sync('go', message_history=messages).output


def test_a_call_whose_arguments_are_not_those_of_its_kind_stays_plain() -> None:
    part = {'part_kind': 'tool-call', 'tool_name': 'search_tools', 'tool_call_id': 'c', 'tool_kind': 'tool-search'}
    stored = [{'kind': 'response', 'parts': [{**part, 'args': {'a': 1}}]}]
    (message,) = read(stored)
    assert type(message.parts[0]) is ToolCallPart
    assert not lost(stored, written([message]))


@pytest.mark.parametrize('make', [ImageUrl, AudioUrl, VideoUrl, DocumentUrl])
def test_a_link_that_does_not_tell_its_media_type_is_stored_without_one(make: Any) -> None:
    link = make('https://example.com/cat', identifier='i')
    data = {'url': 'https://example.com/cat', 'media_type': None, 'identifier': 'i', 'force_download': False}
    parts = [UserPromptPart(['see', link]), ToolReturnPart('t', {'a': [link]}, 'c')]
    messages: list[ModelMessage] = [ModelRequest(parts=parts)]
    prompt, result = written(messages)[0]['parts']
    for stored in (prompt['content'][1], result['content']['a'][0]):
        assert stored == {**data, 'vendor_metadata': None, 'kind': link.kind}
    for again in (read_json(json.dumps(written(messages))), read(written(messages))):
        assert written(again) == written(messages)
        assert again[0].parts[1].content == {'a': [link]}
        with pytest.raises(ValueError, match='cannot be inferred'):
            again[0].parts[1].content['a'][0].media_type


def test_permission_to_reach_local_addresses_is_kept_in_results_that_are_trusted() -> None:
    link = {'kind': 'image-url', 'url': 'https://example.com/a.png', 'force_download': 'allow-local'}
    part = {'part_kind': 'tool-return', 'tool_name': 't', 'tool_call_id': 'c', 'content': [link]}
    stored = [{'kind': 'request', 'parts': [part]}]
    for context, expected in (({'allow_local': True}, 'allow-local'), (None, True)):
        for messages in (read_json(json.dumps(stored), context=context), read(stored, context=context)):
            assert messages[0].parts[0].content[0].force_download == expected


def test_calls_without_an_id_and_their_results_get_the_same() -> None:
    messages = read(
        [
            {'kind': 'response', 'parts': [{'part_kind': 'tool-call', 'tool_name': 't', 'tool_call_id': None}]},
            {
                'kind': 'request',
                'parts': [{'part_kind': 'tool-return', 'tool_name': 't', 'content': 1, 'tool_call_id': None}],
            },
        ]
    )
    call, result = messages[0].parts[0], messages[1].parts[0]
    assert isinstance(call, ToolCallPart) and isinstance(result, ToolReturnPart)
    assert call.tool_call_id == result.tool_call_id


def test_events_of_unknown_kinds_and_about_unknown_things_are_kept() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(AgentStreamEvent)
    for stored in (
        {'event_kind': 'weather', 'x': 1},
        {'event_kind': 'part_delta', 'index': 0, 'delta': {'part_delta_kind': 'scent', 'x': 1}},
    ):
        with pytest.warns(UserWarning, match=f"event_kind '{stored['event_kind']}'"):
            event = adapter.validate_json(json.dumps(stored))
        assert event == UnknownEvent(stored['event_kind'], stored)
        assert json.loads(adapter.dump_json(event)) == stored
    stored = {
        'event_kind': 'part_start',
        'index': 0,
        'part': {'part_kind': 'scent', 'x': 1},
        'previous_part_kind': 'smell',
        'z': 1,
    }
    event = adapter.validate_python(stored)
    assert event == PartStartEvent(index=0, part=UnknownPart('scent', stored['part']), previous_part_kind='smell')  # type: ignore[arg-type]
    assert adapter.dump_python(event, mode='json') == stored


def test_parts_that_are_there_already_are_taken_as_they_are() -> None:
    part = UnknownPart('scent', {'part_kind': 'scent'})
    request = ModelRequest(parts=[part])
    assert read([request]) == [request]
    assert TypeAdapter(ModelRequest).validate_python({'parts': [part]}).parts == [part]
