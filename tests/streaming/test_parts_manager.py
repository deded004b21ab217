"""`ModelResponsePartsManager`: one response, cut into pieces at any places and interleaved, always gives the same parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from stead import UnexpectedModelBehavior
from stead.messages import (
    ModelResponsePart,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from stead.models import ModelRequestParameters, StreamedResponse
from stead.models._streaming.parts import ModelResponsePartsManager

Op = Callable[[ModelResponsePartsManager, Any], Any]
"""Gives a manager one piece, under a vendor id."""

texts = st.text(max_size=12)
json_texts = st.dictionaries(
    st.text(max_size=3), st.integers() | texts | st.none() | st.lists(st.booleans(), max_size=2), max_size=3
).map(json.dumps)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """Cut a text at random places; pieces may be empty."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]


@st.composite
def text_part(draw: st.DrawFn) -> tuple[ModelResponsePart, list[Op]]:
    content = draw(texts)
    ops: list[Op] = [
        lambda manager, key, piece=piece: list(manager.handle_text_delta(vendor_part_id=key, content=piece))
        for piece in draw(cut(content))
    ]
    return TextPart(content), ops


@st.composite
def thinking_part(draw: st.DrawFn) -> tuple[ModelResponsePart, list[Op]]:
    content, signature = draw(texts), draw(st.none() | st.text(min_size=1, max_size=4))
    ops: list[Op] = [
        lambda manager, key, piece=piece: list(manager.handle_thinking_delta(vendor_part_id=key, content=piece))
        for piece in draw(cut(content))
    ]
    if signature is not None:
        ops.append(lambda manager, key: list(manager.handle_thinking_delta(vendor_part_id=key, signature=signature)))
    return ThinkingPart(content, signature=signature), ops


@st.composite
def tool_call_part(draw: st.DrawFn) -> tuple[ModelResponsePart, list[Op]]:
    name, args = draw(st.text(min_size=1, max_size=6)), draw(json_texts)
    call_id = draw(st.uuids()).hex
    first, *names = [piece for piece in draw(cut(name)) if piece]

    def piece(**what: Any) -> Op:
        return lambda manager, key: [manager.handle_tool_call_delta(vendor_part_id=key, **what)]

    begin = [piece(tool_name=first, tool_call_id=call_id), *(piece(tool_name=rest) for rest in names)]
    return ToolCallPart(name, args, call_id), [*begin, *(piece(args=rest) for rest in draw(cut(args)))]


@st.composite
def whole_part(draw: st.DrawFn) -> tuple[ModelResponsePart, list[Op]]:
    kind = draw(st.sampled_from(['call', 'return', 'tool call']))
    if kind == 'tool call':
        args, call_id = draw(json_texts), draw(st.uuids()).hex
        part: Any = ToolCallPart('t', args, call_id)
        return part, [
            lambda manager, key: [
                manager.handle_tool_call_part(vendor_part_id=key, tool_name='t', args=args, tool_call_id=call_id)
            ]
        ]
    if kind == 'call':
        part = NativeToolCallPart('web_search', draw(json_texts), 'id_w', provider_name='p')
    else:
        part = NativeToolReturnPart('web_search', draw(texts), 'id_w', provider_name='p')
    return part, [lambda manager, key: [manager.handle_part(vendor_part_id=key, part=part)]]


parts = st.lists(text_part() | thinking_part() | tool_call_part() | whole_part(), min_size=1, max_size=5)


def manager() -> ModelResponsePartsManager:
    return ModelResponsePartsManager(ModelRequestParameters())


def same(part: Any) -> Any:
    """Return what is to be the same in every chunking."""
    return {**vars(part), 'timestamp': None}


def replayed(events: list[Any]) -> list[Any]:
    """Return the parts that a reader of the events comes to."""
    found: dict[int, Any] = {}
    for event in events:
        if isinstance(event, PartStartEvent):
            found[event.index] = event.part
        elif isinstance(event, PartDeltaEvent):
            found[event.index] = event.delta.apply(found[event.index])
    return [found[index] for index in sorted(found)]


@given(parts=parts, data=st.data())
def test_any_chunking_and_interleaving_gives_the_same_parts(parts: Any, data: st.DataObject):
    fed, events = manager(), []
    todo = {index: list(ops) for index, (_, ops) in enumerate(parts)}
    begun = 0
    while todo:
        # Any part that has started may continue, or the next one begins.
        index = data.draw(st.sampled_from(sorted(index for index in todo if index <= begun)))
        begun = max(begun, index + 1)
        events += todo[index].pop(0)(fed, f'vendor {index}')
        if not todo[index]:
            del todo[index]
        for key in range(begun):
            assert fed.get_part_by_vendor_id(f'vendor {key}') is not None
        if data.draw(st.booleans()):
            fed.get_parts()  # looking does not change anything
    events = [event for event in events if event is not None]
    expected = [same(part) for part, _ in parts]
    assert [same(part) for part in fed.get_parts()] == expected
    assert [same(part) for part in replayed(events)] == expected


@given(
    contents=st.lists(st.tuples(st.sampled_from(['text', 'thinking', 'tool-call']), json_texts), min_size=1),
    data=st.data(),
)
def test_without_vendor_ids_pieces_go_on_with_the_latest_part(contents: list[tuple[str, str]], data: st.DataObject):
    """Where nothing tells parts apart, neighbours of one kind are one part, and calls begin with a name."""
    fed = manager()
    events: list[Any] = []
    expected: list[tuple[str, str]] = []
    for kind, content in contents:
        for number, piece in enumerate(data.draw(cut(content))):
            if kind == 'text':
                events += fed.handle_text_delta(vendor_part_id=None, content=piece)
            elif kind == 'thinking':
                events += fed.handle_thinking_delta(vendor_part_id=None, content=piece)
            else:
                name = None if number else 't'
                events.append(fed.handle_tool_call_delta(vendor_part_id=None, tool_name=name, args=piece))
        if expected and expected[-1][0] == kind != 'tool-call':
            content = expected.pop()[1] + content
        expected.append((kind, content))
    for final in (fed.get_parts(), replayed(events)):
        assert [(part.part_kind, part.content if hasattr(part, 'content') else part.args) for part in final] == expected


@given(data=st.data())
def test_thinking_between_tags_is_thinking(data: st.DataObject):
    before, thought, after = (data.draw(st.text('abc ', min_size=1, max_size=6)) for _ in range(3))
    fed = manager()
    pieces = [*data.draw(cut(before)), '<think>', *data.draw(cut(thought)), '</think>', *data.draw(cut(after))]
    events = [
        event
        for piece in pieces
        for event in fed.handle_text_delta(
            vendor_part_id='content', content=piece, thinking_tags=('<think>', '</think>')
        )
    ]
    facts = [(part.part_kind, part.content) for part in fed.get_parts()]  # type: ignore[union-attr]
    assert facts == [('text', before), ('thinking', thought), ('text', after)]
    assert [(part.part_kind, part.content) for part in replayed(events)] == facts


@given(args=json_texts, data=st.data())
def test_a_call_whose_name_comes_late(args: str, data: st.DataObject):
    fed = manager()
    pieces = data.draw(cut(args))
    when = data.draw(st.integers(0, len(pieces)))
    events: list[Any] = []
    for number in range(len(pieces) + 1):
        if number == when:
            events.append(fed.handle_tool_call_delta(vendor_part_id=1, tool_name='t', tool_call_id='c'))
        if number < len(pieces):
            events.append(fed.handle_tool_call_delta(vendor_part_id=1, args=pieces[number]))
        if number < when:
            assert fed.get_parts() == [], 'nobody knows yet what it is'
    assert fed.get_parts() == [ToolCallPart('t', args, 'c')]
    assert replayed([event for event in events if event is not None]) == [ToolCallPart('t', args, 'c')]


@given(leading=st.text(' \n\t', max_size=4), content=st.text('ab', min_size=1, max_size=5), data=st.data())
def test_leading_white_space_can_be_dropped(leading: str, content: str, data: st.DataObject):
    fed = manager()
    for piece in [*data.draw(cut(leading)), *data.draw(cut(content))]:
        list(fed.handle_text_delta(vendor_part_id='c', content=piece, ignore_leading_whitespace=True))
    assert fed.get_parts() == [TextPart(content)]


@pytest.mark.parametrize('count', [1000, 20000])
def test_a_piece_costs_the_same_at_any_length(count: int):
    """Joining all text with every piece would take minutes here."""
    fed = manager()
    for number in range(count):
        list(fed.handle_text_delta(vendor_part_id='c', content='word '))
        fed.handle_tool_call_delta(vendor_part_id=1, tool_name=None if number else 't', args='word ')
        list(fed.handle_thinking_delta(vendor_part_id=2, content='word '))
    contents = [part.content if hasattr(part, 'content') else part.args for part in fed.get_parts()]
    assert contents == ['word ' * count] * 3


def test_pieces_of_the_wrong_kind():
    fed = manager()
    list(fed.handle_text_delta(vendor_part_id=1, content='x'))
    with pytest.raises(UnexpectedModelBehavior, match='another part'):
        fed.handle_tool_call_delta(vendor_part_id=1, args='{')
    with pytest.raises(UnexpectedModelBehavior, match='another part'):
        list(fed.handle_thinking_delta(vendor_part_id=1, content='x'))
    assert fed.get_parts() == [TextPart('x')]


async def test_events_of_parts_behind_a_call_without_a_name():
    """A piece that is not a part yet has a place, too."""
    from datetime import datetime, timezone

    class Scripted(StreamedResponse):
        model_name = 'scripted'  # type: ignore[assignment]
        provider_name = provider_url = None  # type: ignore[assignment]
        timestamp = datetime(2026, 1, 1, tzinfo=timezone.utc)  # type: ignore[assignment]

        async def _get_event_iterator(self) -> Any:
            manager = self._parts_manager
            assert manager.handle_tool_call_delta(vendor_part_id='call', args='{"a"') is None
            for event in manager.handle_text_delta(vendor_part_id='text', content='hello'):
                yield event
            yield manager.handle_tool_call_delta(vendor_part_id='call', tool_name='t', args=': 1}', tool_call_id='c')

    response = Scripted(ModelRequestParameters())
    events = [event async for event in response]
    assert [(event.event_kind, getattr(event, 'index', None)) for event in events] == [
        ('part_start', 1),
        ('final_result', None),
        ('part_end', 1),
        ('part_start', 0),
        ('part_end', 0),
    ]
    assert response.get().parts == [ToolCallPart('t', '{"a": 1}', 'c'), TextPart('hello')]
