"""What a request begins with, piece by piece, and where two requests part: providers read from their caches up to there.

The pieces stand in the order in which providers read a request: model, settings that change how it is read, tools,
instructions, messages. Each is the JSON of what is sent, without times and ids that only stead knows. A vendor writes it in
another form, but one that is the same for the same pieces, so that a request whose pieces continue those of the one before does
so on the wire, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from operator import is_
from typing import Any, NamedTuple, cast

from .._contracts.model import ModelRequestContext
from .._kit.shown_json import shown_json
from ..messages import ModelMessage, ModelResponse, SystemPromptPart
from ..usage import RequestUsage
from .changes import model_label, view_tool

FOLDED = 'stead_folded'
"""The key in the metadata of a response for what was folded for its request: a list with an object for each capability."""
READ_DIFFERENTLY = ('thinking', 'tool_choice', 'parallel_tool_calls', 'anthropic_thinking', 'openai_reasoning_effort')
"""Settings that change how a provider reads what comes after them."""
NOT_SENT = frozenset(
    {'timestamp', 'run_id', 'conversation_id', 'usage', 'metadata', 'dynamic_ref', 'tool_kind', 'instructions'}
)
"""Fields of parts that are not sent."""
_CLOCK = re.compile(r'\d{1,2}:\d\d|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|^\d{9,}')
_RANDOM = re.compile(r'[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-fA-F]{12,}|[A-Za-z0-9_-]{20,}')


class PromptPiece(NamedTuple):
    """A piece of a request."""

    kind: str
    """`'model'`, `'setting'`, `'tool'`, `'native tool'`, `'instructions'`, `'system prompt'` or `'message'`."""
    name: str
    """Which one it is."""
    digest: bytes
    """A digest of it."""
    size: int
    """Its bytes."""
    text: str | None
    """Its JSON; `None` for messages, whose pieces are kept for long."""


def piece_of(kind: str, name: str, value: object, *, keep: bool = True) -> PromptPiece:
    """Return a piece of a request; `keep` says whether to keep its text, too."""
    data = value.encode(errors='replace') if isinstance(value, str) else shown_json(value)
    text = data.decode(errors='replace') if keep else None
    return PromptPiece(kind, name, blake2b(data, digest_size=8).digest(), len(data), text)


class PromptPieces:
    """Makes the pieces of the requests of a run; those of messages that were seen before are not made again."""

    def __init__(self) -> None:
        self._messages: list[tuple[list[Any], list[PromptPiece]]] = []

    def of(self, request: ModelRequestContext, instructions: Sequence[tuple[str, str]]) -> list[PromptPiece]:
        """Return the pieces of a request.

        Args:
            request: The request, after all hooks.
            instructions: The parts of the agent with instructions, and their texts; hooks may have changed the latter.
        """
        parameters = request.model_request_parameters
        settings = cast('Mapping[str, object]', request.model_settings or {})
        pieces = [piece_of('model', 'the model', model_label(request.model))]
        pieces += [piece_of('setting', name, settings[name]) for name in READ_DIFFERENTLY if name in settings]
        tools = [*parameters.function_tools, *parameters.output_tools]
        pieces += [piece_of('tool', tool.name, {'name': tool.name, **view_tool(tool)}) for tool in tools]
        pieces += [piece_of('native tool', tool.kind, vars(tool)) for tool in parameters.native_tools]
        sent = [part.content for part in parameters.instruction_parts or ()]
        for number, text in enumerate(sent):
            by = ', '.join(source for source, own in instructions if own in text) or f'part {number}'
            pieces.append(piece_of('instructions', by, text))
        return [*pieces, *self._of_messages(request.messages)]

    def _of_messages(self, messages: Sequence[ModelMessage]) -> Iterator[PromptPiece]:
        known = self._messages
        del known[len(messages) :]
        for index, message in enumerate(messages):
            # Hooks may change a part in place: it is the same one, with other values.
            values = [value for part in message.parts for value in (part, *vars(part).values())]
            if index < len(known) and len(known[index][0]) == len(values) and all(map(is_, known[index][0], values)):
                yield from known[index][1]
                continue
            pieces = [
                piece_of(*_name_of(part, index, place), _sent(part), keep=False)
                for place, part in enumerate(message.parts)
            ]
            entry = (values, pieces)
            if index < len(known):
                known[index] = entry
            else:
                known.append(entry)
            yield from pieces


def _name_of(part: object, index: int, place: int) -> tuple[str, str]:
    if isinstance(part, SystemPromptPart):
        return 'system prompt', part.dynamic_ref or f'message {index}'
    return 'message', f'message {index}, part {place} ({getattr(part, "part_kind", "")})'


def _sent(part: object) -> Mapping[str, object]:
    return {name: value for name, value in vars(part).items() if name not in NOT_SENT and value is not None}


class Parting(NamedTuple):
    """Where two requests part; the fields are those of `CacheBust`."""

    kind: str
    name: str
    change: str
    advice: str
    byte: int
    bytes: int

    @property
    def tokens(self) -> int:
        """About how many tokens are read again that were in the cache."""
        return (self.bytes - self.byte) // 4


def parting(before: Sequence[PromptPiece], after: Sequence[PromptPiece]) -> Parting | None:
    """Return where a request parts from the one before it; `None` if it continues that one."""
    index, byte = 0, 0
    for old, new in zip(before, after):
        if old.digest != new.digest or old.kind != new.kind:
            break
        index, byte = index + 1, byte + old.size
    if index == len(before):
        return None
    size = sum(piece.size for piece in before)
    old = before[index]
    new = after[index] if index < len(after) else None
    if new is None or _RANK[new.kind] > _RANK[old.kind]:
        kind, name, change = old.kind, old.name, 'is no longer sent'
    elif _RANK[new.kind] < _RANK[old.kind]:
        kind, name, change = new.kind, new.name, 'was not sent before'
    else:
        kind, name, change = new.kind, new.name, 'is not what it was'
    if kind == 'tool':
        return Parting(kind, *_tools(before, after), byte, size)
    advice = _ADVICE[kind]
    if change == 'is not what it was' and new is not None and old.text is not None and new.text is not None:
        change, advice, at = _difference(old.text, new.text, kind)
        byte += at
    return Parting(kind, name, change, advice, byte, size)


_RANK = {'model': 0, 'setting': 1, 'tool': 2, 'native tool': 3, 'instructions': 4, 'system prompt': 5, 'message': 5}
_ADVICE = {
    'model': 'Another model has no cache of it; let a conversation stay with one model where you can.',
    'setting': 'Set it once for the agent, or expect one such change.',
    'native tool': 'List native tools in each request, in one order.',
    'message': 'Leave earlier messages as they were sent: `KeepLast` and `Summarise` fold them in large steps.',
    'system prompt': 'Leave out what changes, or put it into the prompt of the user.',
    'tool': 'Keep the definitions of tools the same from step to step.',
    'instructions': 'Put what changes into the prompt of the user, or after everything else.',
}


def _tools(before: Sequence[PromptPiece], after: Sequence[PromptPiece]) -> tuple[str, str, str]:
    old = {piece.name: piece for piece in before if piece.kind == 'tool'}
    new = {piece.name: piece for piece in after if piece.kind == 'tool'}
    gone, come = [name for name in old if name not in new], [name for name in new if name not in old]
    if gone or come:
        change = ' and '.join(
            text
            for text in (
                'was added' if come else '',
                f'{gone[0]!r} was removed' if gone and come else 'was removed' if gone else '',
            )
            if text
        )
        return (
            (come or gone)[0],
            change,
            'List the same tools in each step, or let tool search load them: they follow the others then.',
        )
    changed = [name for name in new if new[name].digest != old[name].digest]
    if not changed:
        return 'order', 'of the list is another', 'Sort the tools: a set or a server gives them in any order.'
    change, advice, _ = _difference(old[changed[0]].text or '', new[changed[0]].text or '', 'tool')
    return changed[0], f'has another definition: it {change}', advice


def _difference(old: str, new: str, kind: str) -> tuple[str, str, int]:
    """Return how one text differs from another, what to do about it, and the byte at which it does."""
    at = next((n for n, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    begin = max(new.rfind(' ', 0, at), new.rfind('\n', 0, at), at - 30) + 1
    was, now = old[begin : at + 30], new[begin : at + 30]
    byte = len(new[:at].encode(errors='replace'))
    change = f'changed from {was!r} to {now!r}'
    if sorted(re.findall(r'\w+', old)) == sorted(re.findall(r'\w+', new)):
        return f'{change}: the same words in another order', 'Sort what comes from a set or a mapping.', byte
    if _CLOCK.search(now) and _CLOCK.search(was):
        return (
            f'{change}: a clock',
            'Leave the time out, round it to the day, or put it into the prompt of the user.',
            byte,
        )
    if _RANDOM.search(now) and _RANDOM.search(was):
        return f'{change}: an id that is new each time', 'Leave it out, or make it once for the conversation.', byte
    return change, _ADVICE[kind], byte


_WHAT = {
    'tool': 'tools',
    'native tool': 'native tools',
    'message': 'messages',
    'system prompt': 'messages',
    'setting': 'settings',
}


def changed_by(
    found: Parting, settings_from: Mapping[str, str], hooks: Sequence[tuple[str, str, Sequence[str]]]
) -> str:
    """Return the part of the agent that changed a piece of a request, as far as that is known.

    Args:
        found: What changed.
        settings_from: The parts of the agent that set the settings.
        hooks: What hooks changed for the request: the capability, the hook, and what of the request.
    """
    what = _WHAT.get(found.kind, found.kind)
    by = [f'{capability} ({hook})' for capability, hook, changed in hooks if what in changed]
    if by:
        return by[-1]
    if found.kind == 'setting':
        return settings_from.get(found.name, '')
    return found.name if found.kind == 'instructions' else ''


def cost_to_read_again(model_name: str | None, provider_name: str | None, tokens: int) -> float | None:
    """Return what it costs more to read tokens than to read them from the cache, in US dollars, if the price is known."""
    prices: list[float] = []
    for cached in (0, tokens):
        response = ModelResponse(
            [],
            usage=RequestUsage(input_tokens=tokens, cache_read_tokens=cached),
            model_name=model_name,
            provider_name=provider_name,
        )
        try:
            prices.append(float(response.cost().total_price))
        except (ImportError, LookupError):
            return None
    return prices[0] - prices[1]
