"""Pieces of parts: what they make of parts and of each other."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stead.exceptions import UnexpectedModelBehavior
from stead.messages import (
    ModelResponsePartDelta,
    NativeToolCallPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolSearchCallPart,
)

Call, Text, Think = ToolCallPartDelta, TextPartDelta, ThinkingPartDelta

APPLIED: list[tuple[Any, Any, Any]] = [
    (Text('b'), TextPart('a'), TextPart('ab')),
    (Text('b', provider_name='p'), TextPart('a', id='i', provider_name='q'), TextPart('ab', id='i', provider_name='p')),
    (
        Text('', provider_details={'a': 1}),
        TextPart('a', provider_details={'a': 0, 'b': 2}),
        TextPart('a', provider_details={'a': 1, 'b': 2}),
    ),
    (Text('b', provider_details={}), TextPart('a', provider_details={}), TextPart('ab')),
    (Think(content_delta='b'), ThinkingPart('a', signature='s'), ThinkingPart('ab', signature='s')),
    (Think(signature_delta='t'), ThinkingPart('a', signature='s'), ThinkingPart('a', signature='t')),
    (Think(provider_name='p'), ThinkingPart('a'), ThinkingPart('a', provider_name='p')),
    (
        Think(content_delta='b', provider_details=lambda old: {**(old or {}), 'z': 1}),
        ThinkingPart('a', provider_details={'y': 0}),
        ThinkingPart('ab', provider_details={'y': 0, 'z': 1}),
    ),
    (
        Think(content_delta='b'),
        Think(content_delta='a', signature_delta='s'),
        Think(content_delta='ab', signature_delta='s'),
    ),
    (Think(signature_delta='t'), Think(), Think(signature_delta='t')),
    (
        Think(content_delta='b', provider_details={'b': 1}),
        Think(provider_details={'a': 1}),
        Think(content_delta='b', provider_details={'a': 1, 'b': 1}),
    ),
    (Call(args_delta='1}'), ToolCallPart('t', '{"a":', 'i'), ToolCallPart('t', '{"a":1}', 'i')),
    (Call(args_delta='{'), ToolCallPart('t', None, 'i'), ToolCallPart('t', '{', 'i')),
    (Call(args_delta={'b': 1}), ToolCallPart('t', {'a': 0}, 'i'), ToolCallPart('t', {'a': 0, 'b': 1}, 'i')),
    (Call(tool_name_delta='b', tool_call_id='j'), ToolCallPart('a', 'x', 'i'), ToolCallPart('ab', 'x', 'j')),
    (
        Call(args_delta='y', provider_name='p', provider_details={'k': 1}),
        NativeToolCallPart('t', 'x', 'i'),
        NativeToolCallPart('t', 'xy', 'i', provider_name='p', provider_details={'k': 1}),
    ),
    (
        Call(args_delta='"a"]}'),
        ToolSearchCallPart(args='{"queries":[', tool_call_id='i'),
        ToolSearchCallPart(args='{"queries":["a"]}', tool_call_id='i'),
    ),
    (Call(args_delta='b'), Call(args_delta='a'), Call(args_delta='ab')),
    (Call(tool_call_id='i'), Call(args_delta='a'), Call(args_delta='a', tool_call_id='i')),
    (Call(tool_name_delta='t', tool_call_id='i'), Call(args_delta='a'), ToolCallPart('t', 'a', 'i')),
    (
        Call(),
        Call(tool_name_delta='t', args_delta='a', tool_call_id='i', provider_name='p'),
        ToolCallPart('t', 'a', 'i', provider_name='p'),
    ),
]


@pytest.mark.parametrize(('delta', 'target', 'expected'), APPLIED)
def test_a_delta_is_applied_and_its_target_is_not_changed(delta: Any, target: Any, expected: Any) -> None:
    before = copy.deepcopy(target)
    result = delta.apply(target)
    assert result == expected
    assert type(result) is type(expected)
    assert target == before, 'the target is not changed'


@pytest.mark.parametrize('delta', [Call(), Call(tool_name_delta='', tool_call_id='', provider_details={})])
@pytest.mark.parametrize('target', [ToolCallPart('t', 'a'), NativeToolCallPart('t'), Call(args_delta='a')])
def test_pieces_that_say_nothing_return_their_target(delta: Any, target: Any) -> None:
    assert delta.apply(target) is target


@pytest.mark.parametrize(
    ('delta', 'target'),
    [
        (Text('a'), ThinkingPart('a')),
        (Text('a'), Text('a')),
        (Think(content_delta='a'), TextPart('a')),
        (Think(content_delta='a'), Call()),
        (Think(), Think(content_delta='a')),
        (Think(provider_details={'a': 1}), Think(content_delta='a')),
        (Call(), TextPart('a')),
        (Call(args_delta='a'), Text('a')),
        (Call(args_delta='a'), None),
    ],
)
def test_pieces_that_do_not_fit(delta: Any, target: Any) -> None:
    with pytest.raises(ValueError):
        delta.apply(target)


@pytest.mark.parametrize(('piece', 'args'), [('x', {'a': 1}), ({'a': 1}, 'x'), ('x', {}), ({}, 'x')])
def test_text_and_objects_do_not_mix(piece: Any, args: Any) -> None:
    for target in (ToolCallPart('weather', args), Call(tool_name_delta='weather', args_delta=args)):
        with pytest.raises(UnexpectedModelBehavior, match='weather'):
            Call(args_delta=piece).apply(target)


def test_details_functions_of_two_deltas_follow_each_other() -> None:
    first = Think(content_delta='a', provider_details=lambda old: {**(old or {}), 'order': ['first']})
    second = Think(
        content_delta='b', provider_details=lambda old: {**(old or {}), 'order': [*(old or {})['order'], 'second']}
    )
    joined = second.apply(first)
    assert joined.apply(ThinkingPart('', provider_details={'kept': 1})) == ThinkingPart(
        'ab', provider_details={'kept': 1, 'order': ['first', 'second']}
    )
    third = Think(content_delta='c', provider_details=lambda old: {**(old or {}), 'third': 3})
    from_dict = third.apply(Think(provider_details={'dict': 1}))
    assert from_dict.apply(ThinkingPart('')).provider_details == {'dict': 1, 'third': 3}


def test_a_delta_with_a_name_becomes_a_call() -> None:
    assert Call(args_delta='a').as_part() is None
    part = Call(tool_name_delta='t', args_delta={'a': 1}, provider_details={'k': 1}).as_part()
    assert part is not None
    assert (part.tool_name, part.args, part.provider_details) == ('t', {'a': 1}, {'k': 1})
    assert part.tool_call_id.startswith('pyd_ai_')


def test_deltas_come_back_from_json() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(ModelResponsePartDelta)
    for delta in (
        Text('a', provider_details={'a': 1}),
        Think(signature_delta='s'),
        Call(args_delta={'a': 1}, tool_call_id='i'),
    ):
        assert adapter.validate_json(adapter.dump_json(delta)) == delta
    for wrong in ('{}', '{"part_delta_kind":"no"}', '{"part_delta_kind":"text"}', '{"content_delta":"x"}'):
        with pytest.raises(ValidationError):
            adapter.validate_json(wrong)
