"""Typed calls and returns of tool search and of loading capabilities."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from stead.messages import (
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessagesTypeAdapter,
    NativeToolCallPart,
    NativeToolReturnPart,
    NativeToolSearchCallPart,
    NativeToolSearchReturnPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchCallPart,
    ToolSearchReturnPart,
)

FOUND = {'discovered_tools': [{'name': 'cat', 'description': None}], 'message': 'one'}

# base class, kind, name of the tool, payload, typed class
TYPED: list[tuple[Any, str, str, Any, Any]] = [
    (ToolCallPart, 'tool-search', 'search_tools', {'queries': ['a']}, ToolSearchCallPart),
    (ToolReturnPart, 'tool-search', 'search_tools', FOUND, ToolSearchReturnPart),
    (NativeToolCallPart, 'tool-search', 'tool_search', {'queries': ['a']}, NativeToolSearchCallPart),
    (NativeToolReturnPart, 'tool-search', 'tool_search', FOUND, NativeToolSearchReturnPart),
    (ToolCallPart, 'capability-load', 'load_capability', {'id': 'x'}, LoadCapabilityCallPart),
    (ToolReturnPart, 'capability-load', 'load_capability', {'instructions': 'Do.'}, LoadCapabilityReturnPart),
]
IDS = [row[4].__name__ for row in TYPED]


def part_of(cls: Any, payload: Any, **more: Any) -> Any:
    return cls(
        **{'tool_name': 't', 'args' if 'Call' in cls.__name__ else 'content': payload, 'tool_call_id': 'i', **more}
    )


def payload_of(part: Any) -> Any:
    return part.args if hasattr(part, 'args') else part.content


@pytest.mark.parametrize(('base', 'kind', 'name', 'payload', 'typed'), TYPED, ids=IDS)
def test_narrowing_keeps_everything_but_the_class(base: Any, kind: Any, name: str, payload: Any, typed: Any) -> None:
    plain = (
        part_of(base, {**payload, 'unknown': 1}, provider_name='p')
        if 'Native' in base.__name__
        else part_of(base, {**payload, 'unknown': 1})
    )
    for narrowed, expected in (
        (base.narrow_type(plain, tool_kind=kind), {**payload, 'unknown': 1}),
        (base.narrow_type(part_of(base, payload, tool_kind=kind)), payload),
    ):
        assert type(narrowed) is typed
        assert (narrowed.tool_name, narrowed.tool_call_id, narrowed.tool_kind) == ('t', 'i', kind)
        assert payload_of(narrowed) == expected
    assert plain.tool_kind is None
    assert base.narrow_type(plain) is plain
    assert typed.narrow_type(narrowed) is narrowed


@pytest.mark.parametrize(('base', 'kind', 'name', 'payload', 'typed'), TYPED, ids=IDS)
def test_payloads_of_another_form_are_refused(base: Any, kind: Any, name: str, payload: Any, typed: Any) -> None:
    for wrong in ([], 5, {'queries': 5, 'discovered_tools': 5, 'id': 5, 'instructions': 5}):
        with pytest.raises(ValidationError):
            base.narrow_type(part_of(base, wrong), tool_kind=kind)


def test_kinds_without_a_typed_part_stay_what_they_are() -> None:
    for part in (
        part_of(NativeToolCallPart, {}, tool_kind='capability-load'),
        part_of(NativeToolReturnPart, 1, tool_kind='capability-load'),
    ):
        assert type(part).narrow_type(part) is part


def stored(cls: Any, kind: str | None, name: str, payload: Any) -> str:
    part: Any = {'part_kind': cls.part_kind, 'tool_name': name, 'tool_call_id': 'i', 'tool_kind': kind}
    part['args' if 'Call' in cls.__name__ else 'content'] = payload
    in_request = cls is ToolReturnPart
    return json.dumps([{'kind': 'request' if in_request else 'response', 'parts': [part]}])


@pytest.mark.parametrize(('base', 'kind', 'name', 'payload', 'typed'), TYPED, ids=IDS)
def test_stored_parts_come_back_typed(base: Any, kind: str, name: str, payload: Any, typed: Any) -> None:
    read = ModelMessagesTypeAdapter.validate_json
    (message,) = read(stored(base, kind, name, payload))
    assert type(message.parts[0]) is typed
    assert payload_of(message.parts[0]) == payload
    assert read(ModelMessagesTypeAdapter.dump_json([message])) == [message]
    # The name alone says nothing: it may be a tool of the user.
    assert type(read(stored(base, None, name, payload))[0].parts[0]) is base
    # What does not have the form of its kind is kept as it is.
    assert type(read(stored(base, kind, 'another', payload))[0].parts[0]) is base
    assert type(read(stored(base, kind, name, {'discovered_tools': 1, 'instructions': 2}))[0].parts[0]) is base
    (unknown,) = read(stored(base, 'unknown', name, payload))
    assert (type(unknown.parts[0]), unknown.parts[0].tool_kind) == (base, 'unknown')


@pytest.mark.parametrize(
    'args',
    [None, '', '{"queries":["a', '"x"', '[1]', '{}', '{"zz":1}', {'queries': 5}, {'queries': None}, {'queries': [1]}],
)
@pytest.mark.parametrize('cls', [ToolSearchCallPart, NativeToolSearchCallPart])
def test_searches_that_are_incomplete_or_wrong_look_for_nothing(cls: Any, args: Any) -> None:
    assert cls(args=args).queries == []


def test_arguments_of_a_search() -> None:
    assert ToolSearchCallPart(args='{"queries":["a","b"]}').queries == ['a', 'b']
    assert ToolSearchCallPart(args={'queries': ['a']}).typed_args == {'queries': ['a']}
    assert ToolSearchCallPart(args='{"queries":').typed_args is None
    assert ToolSearchCallPart().typed_args is None


def test_results_of_a_search() -> None:
    for cls in (ToolSearchReturnPart, NativeToolSearchReturnPart):
        part = cls(content=FOUND)  # type: ignore[arg-type]
        assert part.discovered_tools == FOUND['discovered_tools']
        assert part.message == 'one'
        assert cls(content={'discovered_tools': []}).message is None


def test_loading_a_capability() -> None:
    assert LoadCapabilityCallPart(args='{"id":"x"}').capability_id == 'x'
    for args in (None, '{"id', {'id': 5}, {}):
        assert LoadCapabilityCallPart(args=args).capability_id is None  # type: ignore[arg-type]
    assert LoadCapabilityReturnPart(content={'instructions': 'Do.'}).instructions == 'Do.'
    assert LoadCapabilityReturnPart(content={}).instructions is None


def test_what_a_typed_part_needs_to_be_built() -> None:
    assert repr(ToolSearchCallPart(tool_call_id='i')) == "ToolSearchCallPart(tool_call_id='i')"
    assert ToolSearchCallPart('search_tools', {'queries': []}, 'i').args == {'queries': []}
    with pytest.raises(TypeError):
        LoadCapabilityCallPart('load_capability', {'id': 'x'}, 'i')  # type: ignore[misc]
    with pytest.raises(TypeError):
        ToolSearchReturnPart()  # type: ignore[call-arg]
