"""What models write, read in pieces of any size; stop sequences too. No engine is needed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stead.models.llamacpp._prompt import call_text
from stead.models.llamacpp._reader import GrammarViolation, Reader
from stead.models.llamacpp._stop_sequences import StopSequences

CALL = {'city': 'Zürich "ZH"', 'deep': [{'a': '}]'}, [], ''], 'n': -1.5, 'none': None, '\n': '\\'}


def read(text: str, size: int, *, plain: bool = True) -> tuple[list[tuple[str, str]], bool]:
    """Return what a reader makes of a text in pieces, with the pieces of a kind joined."""
    reader = Reader(text=plain)
    found: list[Any] = []
    for place in range(0, len(text), size):
        for kind, piece in reader.feed(text[place : place + size]):
            if found and found[-1][0] == kind != 'call':
                found[-1] = (kind, found[-1][1] + piece)
            else:
                found.append((kind, piece))
    return found, reader.done


@pytest.mark.parametrize('size', [1, 2, 3, 7, 1000])
@pytest.mark.parametrize('space', ['', ' '])
def test_a_call_is_read_in_pieces_of_any_size(size: int, space: str) -> None:
    arguments = json.dumps(CALL, ensure_ascii=False)
    expected = [('call', 'get "x"'), ('arguments', arguments)]
    assert read(space + call_text('get "x"', CALL), size) == (expected, True)


@pytest.mark.parametrize('size', [1, 2, 5, 1000])
def test_several_calls_are_read_in_their_order(size: int) -> None:
    text = f'[{call_text("a", {})}, {call_text("b", {"x": [1]})}]'
    assert read(text, size) == ([('call', 'a'), ('arguments', '{}'), ('call', 'b'), ('arguments', '{"x": [1]}')], True)


@pytest.mark.parametrize('size', [1, 2, 5, 1000])
@pytest.mark.parametrize('answer', ['', 'Yes.', 'a "b" \\ \n\t c', '日本 \u00e9', '{"tool": '])
def test_an_answer_is_read_without_escapes(size: int, answer: str) -> None:
    for ascii_only in (False, True):
        found, is_done = read(' ' + json.dumps({'answer': answer}, ensure_ascii=ascii_only), size)
        assert (''.join(text for _, text in found), is_done) == (answer, True)


@pytest.mark.parametrize('size', [1, 2, 5, 1000])
@pytest.mark.parametrize('value', [{'a': [1, {'b': '}'}]}, 'text', 12.5, True, None, []])
def test_an_answer_that_is_json_stays_json(size: int, value: Any) -> None:
    found, is_done = read(json.dumps({'answer': value}), size, plain=False)
    assert (found, is_done) == ([('text', json.dumps(value))], True)


@pytest.mark.parametrize(
    'text', ['Hello', '{"tool" : "a"}', '{"answer": "a"} and', '[{"answer": "a"}]', '{"answer": "a", ']
)
def test_what_is_no_response_is_an_error(text: str) -> None:
    with pytest.raises(GrammarViolation, match='where|after'):
        read(text, 3)


def test_what_is_cut_is_not_done() -> None:
    text = call_text('get', {'city': 'Paris'})
    assert read(text[:-3], 4) == ([('call', 'get'), ('arguments', '{"city": "Paris')], False)
    assert read(text[:12], 4) == ([], False)


def test_text_ends_before_a_stop_sequence() -> None:
    stops = StopSequences(['END', '\n\n'])
    assert [stops.feed(piece) for piece in ('on', 'e E', 'NN EN', 'D more', 'x')] == ['on', 'e ', 'ENN ', '', '']
    assert (stops.found, stops.rest()) == (True, '')


def test_what_only_began_like_a_stop_sequence_is_not_lost() -> None:
    stops = StopSequences(['', 'END'])
    assert [stops.feed('the EN'), stops.rest(), stops.found] == ['the ', 'EN', False]
