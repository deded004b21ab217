"""What is different in a request that no recording fits, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from .._kit.json_types import JsonObject
from .._kit.short import short_repr
from ._tape import Sent, Take, Tape

_AROUND = 30
_MOST = 12


def nearest(tape: Tape, messages: Sequence[JsonObject], chain: Sequence[str], sent: Sent) -> Take | None:
    """Return the recorded request that is most like one: that shares most of the conversation, and then most else."""

    def likeness(take: Take) -> tuple[float, ...]:
        other = tape.conversation(take)
        shared = next((at for at, pair in enumerate(zip(messages, other)) if pair[0] != pair[1]), None)
        shared = min(len(messages), len(other)) if shared is None else shared
        same = sum(take.sent is not None and take.sent.get(name) == value for name, value in sent.data.items())
        alike = _alike(messages[shared], other[shared]) if shared < min(len(messages), len(other)) else 0
        return shared, -abs(len(messages) - len(other)), alike, same

    return max(tape.sharing_most(chain), key=likeness, default=None)


def _alike(one: JsonObject, other: JsonObject) -> int:
    pairs = zip(one['parts'], other['parts'])
    return sum(a.get('part_kind') == b.get('part_kind') and a.get('tool_name') == b.get('tool_name') for a, b in pairs)


def changes_of(tape: Tape, take: Take, messages: Sequence[JsonObject], sent: Sent) -> list[str]:
    """Return what is different in a request from a recorded one, a sentence for each change."""
    known = take.sent or {}
    data = {name: value if known.get(name) != sent.cut[name] else sent.cut[name] for name, value in sent.data.items()}
    found = [*_sent_changes(take.sent, data), *_message_changes(tape.conversation(take), messages)]
    return found if len(found) <= _MOST else [*found[:_MOST], f'{len(found) - _MOST} more changes']


def _sent_changes(old: JsonObject | None, new: JsonObject) -> Iterator[str]:
    if old is None:
        return
    yield from _list_changes('instructions', old['instructions'], new['instructions'])
    before, after = old['tools'], new['tools']
    for name in {**before, **after}:
        if name not in after:
            yield f'tool `{name}` is gone'
        elif name not in before:
            yield f'tool `{name}` is new'
        else:
            yield from _tool_changes(f'tool `{name}`', before[name], after[name])
    if old['order of tools'] != new['order of tools'] and before.keys() == after.keys():
        yield f'order of tools: {", ".join(old["order of tools"])} → {", ".join(new["order of tools"])}'
    for name in ('settings', 'output'):
        yield from _key_changes(name, old[name], new[name])
    kinds: list[JsonObject] = [{tool['kind']: tool for tool in one['native tools']} for one in (old, new)]
    yield from _key_changes('native tool', kinds[0], kinds[1])


def _list_changes(name: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if sorted(old) == sorted(new) and old != new:
        yield f'{name} are in another order'
        return
    # What stands in both is not a change, wherever it stands.
    kept = [text for text in old if text in new]
    before = [(at, text) for at, text in enumerate(old, 1) if text not in kept]
    after = [(at, text) for at, text in enumerate(new, 1) if text not in kept]
    for (_, text), (at, other) in zip(before, after):
        yield f'{name} changed in part {at}: {_texts(text, other)}'
    for at, text in before[len(after) :]:
        yield f'{name} lost part {at}: {short_repr(text)}'
    for at, text in after[len(before) :]:
        yield f'{name} gained part {at}: {short_repr(text)}'


def _tool_changes(where: str, old: JsonObject, new: JsonObject) -> Iterator[str]:
    schemas: list[JsonObject] = [tool.get('parameters_json_schema') or {} for tool in (old, new)]
    properties: list[JsonObject] = [schema.get('properties') or {} for schema in schemas]
    first, second = properties
    for name in {**first, **second}:
        if name not in second:
            yield f'{where} lost the parameter `{name}`'
        elif name not in first:
            yield f'{where} gained the parameter `{name}`'
        elif first[name] != second[name]:
            yield from _key_changes(f'{where}, parameter `{name}`', first[name], second[name])
    if first.keys() == second.keys() and [*first] != [*second]:
        yield f'{where} has its parameters in another order: {", ".join(first)} → {", ".join(second)}'
    # What is required changes with the parameters.
    left_out = ('properties', 'required') if first.keys() != second.keys() else ('properties',)
    rest: list[JsonObject] = [
        {name: value for name, value in schema.items() if name not in left_out} for schema in schemas
    ]
    yield from _key_changes(where, rest[0], rest[1])
    others: list[JsonObject] = [
        {name: value for name, value in tool.items() if name != 'parameters_json_schema'} for tool in (old, new)
    ]
    yield from _key_changes(where, others[0], others[1])


def _key_changes(where: str, old: Any, new: Any) -> Iterator[str]:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        if old != new:
            yield f'{where}: {_texts(cast(object, old), cast(object, new))}'
        return
    before, after = cast('JsonObject', old), cast('JsonObject', new)
    for name in {**before, **after}:
        if name not in after:
            yield f'{where}: `{name}` is gone, which was {short_repr(before[name])}'
        elif name not in before:
            yield f'{where}: `{name}` is new: {short_repr(after[name])}'
        elif before[name] != after[name]:
            yield f'{where}: `{name}` changed: {_texts(before[name], after[name])}'


def _message_changes(old: Sequence[JsonObject], new: Sequence[JsonObject]) -> Iterator[str]:
    for at, (before, after) in enumerate(zip(old, new), 1):
        if before == after:
            continue
        where = f'message {at}'
        if before['kind'] != after['kind']:
            yield f'{where} is a {after["kind"]}, not a {before["kind"]}'
            return
        gone = [part for part in before['parts'] if part not in after['parts']]
        come = [part for part in after['parts'] if part not in before['parts']]
        for part, other in zip(gone, come):
            yield f'{where}: {_part_change(part, other)}'
        for part in gone[len(come) :]:
            yield f'{where} lost {_named(part)}'
        for part in come[len(gone) :]:
            yield f'{where} gained {_named(part)}'
        if not gone and not come:
            yield f'{where} has its parts in another order'
        return  # what follows is another conversation
    if len(old) != len(new):
        yield f'the conversation has {len(new)} messages, not {len(old)}'


def _part_change(old: JsonObject, new: JsonObject) -> str:
    if old.get('part_kind') != new.get('part_kind') or old.get('tool_name') != new.get('tool_name'):
        return f'{_named(new)}, not {_named(old)}'
    name = next((name for name in {**old, **new} if old.get(name) != new.get(name)), 'content')
    field = '' if name in ('content', 'args') else f' has another `{name}`'
    return f'{_named(new)}{field}: {_texts(old.get(name), new.get(name))}'


_KINDS = {
    'user-prompt': 'the prompt',
    'system-prompt': 'the system prompt',
    'text': 'the text',
    'thinking': 'the thought',
    'tool-call': 'the call of',
    'tool-return': 'the result of',
    'retry-prompt': 'the retry of',
}


def _named(part: JsonObject) -> str:
    kind = str(part.get('part_kind'))
    name = f' `{part["tool_name"]}`' if part.get('tool_name') else ''
    return f'{_KINDS.get(kind, kind)}{name}'


def _texts(old: object, new: object) -> str:
    """Return two values, from shortly before the place at which they differ."""
    if not (isinstance(old, str) and isinstance(new, str)):
        return f'{short_repr(old)} → {short_repr(new)}'
    same = next((at for at, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    if same <= _AROUND:
        return f'{short_repr(old)} → {short_repr(new)}'
    begin = same - _AROUND // 2
    return f'…{short_repr(old[begin:])} → …{short_repr(new[begin:])}'
