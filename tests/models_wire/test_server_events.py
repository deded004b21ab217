"""Server-sent events are read as the standard has them, wherever the pieces of a response are cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from stead.models._wire.events import EventReader, ServerEvent


def read(*pieces: bytes) -> list[tuple[str, bytes]]:
    reader = EventReader()
    events: list[ServerEvent] = []
    for piece in pieces:
        events.extend(reader.feed(piece))
    events.extend(reader.finish())
    return [(event.name, event.data) for event in events]


@pytest.mark.parametrize(
    'text, events',
    [
        (b'data: a\n\ndata: b\n\n', [('', b'a'), ('', b'b')]),
        (b'data:a\n\n', [('', b'a')]),
        (b'data:  a \n\n', [('', b' a ')]),
        (b'data: a: b\n\n', [('', b'a: b')]),
        (b'data: a\ndata: b\n\n', [('', b'a\nb')]),
        (b'event: e\ndata: a\n\n', [('e', b'a')]),
        (b'data: a\nevent: e\nid: 1\nretry: 5\n\n', [('e', b'a')]),
        (b': hello\n\ndata: a\n\n: bye\n\n', [('', b'a')]),
        (b'event: e\n\ndata: a\n\n', [('', b'a')]),
        (b'data\n\n', [('', b'')]),
        (b'\n\n\n\ndata: a\n\n\n\n', [('', b'a')]),
        (b'\n\n\ndata: a\n\n\ndata: b\n\n', [('', b'a'), ('', b'b')]),
        (b'\xef\xbb\xbfdata: a\n\n', [('', b'a')]),
        (b'data: \xef\xbb\xbf\n\n', [('', b'\xef\xbb\xbf')]),
        (b'data: \xf0\x9f\x98\x80\n\n', [('', b'\xf0\x9f\x98\x80')]),
        (b'event: \xff\ndata: a\n\n', [('\ufffd', b'a')]),
        (b'data: an event that does not end', []),
        (b'data: one line that ends\n', []),
        (b'', []),
    ],
)
@pytest.mark.parametrize('line_end', [b'\n', b'\r\n', b'\r'], ids=['lf', 'crlf', 'cr'])
def test_events_are_read_however_they_are_cut(text: bytes, events: list[tuple[str, bytes]], line_end: bytes) -> None:
    text = text.replace(b'\n', line_end)
    assert read(text) == events
    assert read(*(text[place : place + 1] for place in range(len(text)))) == events


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([b'data: x', b'data:', b'event: e', b':', b'\n', b'\r', b'\r\n', b'y', b'\xef\xbb\xbf'])),
    st.data(),
)
def test_events_do_not_depend_on_where_pieces_are_cut(tokens: list[bytes], data: st.DataObject) -> None:
    text = b''.join(tokens)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
    assert read(*pieces) == read(text)


@pytest.mark.parametrize('after', [b'', b'y'], ids=['nothing', 'a line that is open'])
def test_a_carriage_return_ends_an_event_whatever_comes_after_it(after: bytes) -> None:
    text = b'data: x\n\r'
    assert read(text, after) == read(text + after) == [('', b'x')]


def test_an_event_in_many_pieces_is_joined_once() -> None:
    piece = b'x' * 1000
    reader = EventReader()
    assert list(reader.feed(b'data: ')) == []
    for _ in range(20_000):  # 20 MB; joining them at each piece would copy 200 GB
        assert list(reader.feed(piece)) == []
    (event,) = reader.feed(b'\n\n')
    assert len(event.data) == 20_000_000
