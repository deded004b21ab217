"""Requests, responses, and the parts other than tool calls."""

from __future__ import annotations

import builtins
from datetime import datetime, timezone
from typing import Any

import pytest

import stead.messages
from stead.messages import (
    BinaryContent,
    BinaryImage,
    CompactionPart,
    FilePart,
    InstructionPart,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    PydanticAIDeprecationWarning,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from stead.usage import RequestUsage

T = datetime(2025, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
IMAGE = BinaryImage(b'1', media_type='image/png')
PAPER = BinaryContent(b'2', media_type='application/pdf')

PARTS: dict[str, Any] = {
    'T': TextPart('x'),
    'e': TextPart(''),
    'H': ThinkingPart('h'),
    'C': ToolCallPart('t', '{}', 'c'),
    'N': NativeToolCallPart('n', {}, 'n'),
    'R': NativeToolReturnPart('n', 1, 'n'),
    'r': NativeToolReturnPart('n', 1, 'another'),
    'I': FilePart(IMAGE),
    'P': FilePart(PAPER),
    'K': CompactionPart('k'),
}


@pytest.mark.parametrize(
    ('parts', 'text'),
    [
        ('', None),
        ('HC', None),
        ('T', 'x'),
        ('TT', 'xx'),
        ('e', ''),
        ('TeT', 'xx'),
        ('THT', 'x\n\nx'),
        ('TCT', 'x\n\nx'),
        ('TNRT', 'x\n\nx'),
        ('TKTT', 'x\n\nxx'),
    ],
)
def test_text_is_joined_where_nothing_comes_between(parts: str, text: str | None) -> None:
    assert ModelResponse([PARTS[key] for key in parts]).text == text


def test_what_a_response_holds() -> None:
    response = ModelResponse([PARTS[key] for key in 'HTHCIPNRr'])
    assert response.thinking == 'h\n\nh'
    assert response.files == [IMAGE, PAPER]
    assert response.images == [IMAGE]
    assert response.tool_calls == [PARTS['C']]
    assert response.native_tool_calls == [(PARTS['N'], PARTS['R'])]
    assert ModelResponse([PARTS['T']]).thinking is None


@pytest.mark.parametrize(('parts', 'pairs'), [('NNR', 2), ('NRR', 1), ('RN', 1), ('Nr', 0), ('R', 0)])
def test_native_calls_pair_with_their_returns(parts: str, pairs: int) -> None:
    assert len(ModelResponse([PARTS[key] for key in parts]).native_tool_calls) == pairs


@pytest.mark.parametrize(
    ('old', 'new', 'category'),
    [
        ('vendor_details', 'provider_details', DeprecationWarning),
        ('vendor_id', 'provider_response_id', DeprecationWarning),
        ('provider_request_id', 'provider_response_id', DeprecationWarning),
        ('builtin_tool_calls', 'native_tool_calls', PydanticAIDeprecationWarning),
    ],
)
def test_old_names_of_a_response(old: str, new: str, category: type[Warning]) -> None:
    response = ModelResponse([PARTS['N'], PARTS['R']], provider_details={'a': 1}, provider_response_id='r')
    with pytest.warns(category, match=new):
        assert getattr(response, old) == getattr(response, new)


@pytest.mark.parametrize('new', ['NativeToolCallPart', 'NativeToolReturnPart'])
def test_old_names_of_parts(new: str) -> None:
    with pytest.warns(PydanticAIDeprecationWarning, match=new):
        assert getattr(stead.messages, new.replace('Native', 'Builtin')) is getattr(stead.messages, new)
    with pytest.raises(AttributeError, match='nothing_of_the_kind'):
        stead.messages.nothing_of_the_kind  # type: ignore[attr-defined]


def test_prices_need_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_prices(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith('genai_prices'):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, '__import__', without_prices)
    with pytest.raises(ImportError, match=r'stead\[prices\]'):
        ModelResponse([], model_name='gpt-4o').cost()


@pytest.mark.parametrize(
    'names',
    [
        {'provider_name': 'openai'},
        {'provider_url': 'https://api.openai.com/v1/'},
        {'provider_name': 'openai', 'provider_url': 'https://gateway.example/'},
        {'provider_name': 'unheard-of', 'provider_url': 'https://api.openai.com/v1/'},
    ],
)
def test_a_response_of_a_known_model_has_a_price(names: Any) -> None:
    pytest.importorskip('genai_prices', reason='the extra `prices` is not installed')
    usage = RequestUsage(input_tokens=1_000_000, output_tokens=0)
    response = ModelResponse([], usage=usage, model_name='gpt-4o', timestamp=T, **names)
    assert response.cost().total_price > 0
    with pytest.deprecated_call():
        assert response.price().total_price == response.cost().total_price


def test_prices_that_are_not_known() -> None:
    pytest.importorskip('genai_prices', reason='the extra `prices` is not installed')
    for names in (
        {},
        {'model_name': 'unheard-of', 'provider_name': 'openai'},
        {'model_name': 'gpt-4o', 'provider_name': 'no'},
    ):
        with pytest.raises(LookupError):
            ModelResponse([], usage=RequestUsage(input_tokens=1), **names).cost()


def test_a_text_prompt() -> None:
    request = ModelRequest.user_text_prompt('hi', instructions='Be kind.')
    assert [part.content for part in request.parts] == ['hi']
    assert (request.instructions, request.timestamp) == ('Be kind.', None)


@pytest.mark.parametrize(
    ('texts', 'joined'),
    [
        ([], None),
        (['a'], 'a'),
        ([' a '], 'a'),
        (['', '\n'], None),
        (['a', ' b '], 'a\n\n b'),
        (['a', '', 'b'], 'a\n\n\n\nb'),
    ],
)
def test_instructions_are_joined(texts: list[str], joined: str | None) -> None:
    assert InstructionPart.join([InstructionPart(text) for text in texts]) == joined


def test_static_instructions_come_first() -> None:
    parts = [InstructionPart(text, dynamic=text.isupper()) for text in 'AbCd']
    assert ''.join(part.content for part in InstructionPart.sorted(parts)) == 'bdAC'


@pytest.mark.parametrize(
    ('value', 'text'),
    [
        (TextPart('x'), "TextPart(content='x')"),
        (ThinkingPart('x', id='i', signature='s'), "ThinkingPart(content='x', id='i', signature='s')"),
        (CompactionPart(), 'CompactionPart()'),
        (
            SystemPromptPart('s', timestamp=T, dynamic_ref='d'),
            f"SystemPromptPart(content='s', timestamp={T!r}, dynamic_ref='d')",
        ),
        (
            ModelRequest([UserPromptPart('a', timestamp=T)], run_id='r', metadata={}),
            f"ModelRequest(parts=[UserPromptPart(content='a', timestamp={T!r})], run_id='r', metadata={{}})",
        ),
        (ModelResponse([], timestamp=T), f'ModelResponse(parts=[], usage=RequestUsage(), timestamp={T!r})'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_repr_leaves_out_defaults(value: Any, text: str) -> None:
    assert repr(value) == text


def test_parts_are_equal_if_their_fields_are() -> None:
    assert TextPart('x') == TextPart('x') != TextPart('x', id='i')
    assert TextPart('x') != ThinkingPart('x')
    assert UserPromptPart('a', timestamp=T) == UserPromptPart('a', timestamp=T) != UserPromptPart('a')


@pytest.mark.parametrize(
    ('part', 'content'),
    [
        (TextPart(''), False),
        (TextPart(' '), True),
        (ThinkingPart(''), False),
        (CompactionPart(), False),
        (CompactionPart('x'), True),
        (FilePart(BinaryContent(b'', media_type='a/b')), False),
        (FilePart(PAPER), True),
    ],
)
def test_empty_parts_have_no_content(part: Any, content: bool) -> None:
    assert part.has_content() is content
