"""What a provider could read from its cache of the requests of a recorded run, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, cast

from .._kit.json_types import JsonObject
from .changes import cut_down
from .prefixes import (
    FOLDED,
    NOT_SENT,
    READ_DIFFERENTLY,
    Parting,
    PromptPiece,
    changed_by,
    cost_to_read_again,
    parting,
    piece_of,
)


@dataclass(frozen=True)
class CachedStep:
    """What a provider could read from its cache of the request of a step, and what it says it did."""

    step: int
    bytes: int
    """The bytes of the request, as JSON."""
    same: int
    """The bytes at its beginning that the request before had, too."""
    read: int | None
    """The tokens that the provider read, by its count; `None` if there is no response."""
    cached: int
    """How many of them came from its cache."""
    written: int
    """How many tokens it put into its cache."""
    folded_by: tuple[str, ...]
    """The capabilities that folded messages for the request."""
    found: Parting | None
    """Why it does not continue the request before; `None` if it does."""
    by: str
    """The part of the agent that changed it, as far as that is known."""
    cost: float | None
    """What it cost more, in US dollars, if the price is known."""


def cached_steps(trace: Mapping[str, Any]) -> list[CachedStep]:
    """Return the steps of a run, as `stead.journal.traces.trace_of` returns it."""
    steps: list[CachedStep] = []
    before: list[PromptPiece] | None = None
    rows: list[JsonObject] = trace['steps']
    for step in rows:
        response: JsonObject = trace['messages'][step['response']] if step['response'] is not None else {}
        sent: JsonObject = trace['sent'][step['sent']] if step.get('sent') is not None else {}
        pieces = [*_before_messages(sent, response), *_of_messages(_messages(trace, step, sent))]
        found = parting(before, pieces) if before is not None else None
        by, cost = '', None
        if found is not None:
            hooks = [_hook(trace['acts'][number]) for number in step.get('acts') or ()]
            by = changed_by(found, sent.get('settings_from') or {}, hooks)
            cost = cost_to_read_again(response.get('model_name'), response.get('provider_name'), found.tokens)
        pairs = takewhile(lambda pair: pair[0].digest == pair[1].digest, zip(before or (), pieces))
        same = found.byte if found is not None else sum(new.size for _, new in pairs)
        usage: JsonObject = response.get('usage') or {}
        metadata: JsonObject = response.get('metadata') or {}
        folds: list[JsonObject] = metadata.get(FOLDED) or []
        steps.append(
            CachedStep(
                step['step'],
                sum(piece.size for piece in pieces),
                same,
                usage.get('input_tokens') if response else None,
                usage.get('cache_read_tokens') or 0,
                usage.get('cache_write_tokens') or 0,
                tuple(str(fold.get('by')) for fold in folds),
                found,
                by,
                cost,
            )
        )
        before = pieces
    return steps


def _hook(act: JsonObject) -> tuple[str, str, list[str]]:
    changes: list[JsonObject] = act.get('changes') or []
    return act['by'], act['hook'], [change['what'] for change in changes]


def _before_messages(sent: JsonObject, response: JsonObject) -> Iterator[PromptPiece]:
    """Yield the pieces of a request that come before its messages."""
    yield piece_of('model', 'the model', sent.get('model') or response.get('model_name') or '')
    settings: JsonObject = sent.get('settings') or {}
    for name in READ_DIFFERENTLY:
        if name in settings:
            yield piece_of('setting', name, settings[name])
    tools: JsonObject = sent.get('tools') or {}
    for name, tool in tools.items():
        yield piece_of('tool', name, {'name': name, **(cast(JsonObject, tool) if isinstance(tool, dict) else {})})
    native_tools: list[JsonObject] = sent.get('native_tools') or []
    for tool in native_tools:
        yield piece_of('native tool', str(tool.get('kind')), tool)
    sources: list[JsonObject] = sent.get('instructions_from') or []
    known: list[tuple[str, str]] = [(one['by'], one['text']) for one in sources]
    texts: list[str] = sent.get('instructions') or []
    for number, text in enumerate(texts):
        yield piece_of('instructions', ', '.join(by for by, own in known if own in text) or f'part {number}', text)


def _messages(trace: Mapping[str, Any], step: JsonObject, sent: JsonObject) -> list[JsonObject]:
    """Return the messages that a step sent: those of the history, with what was sent in place of some of them."""
    place, end = step.get('after_hooks') or step['request']
    history = [trace['messages'][number] for number in trace['lists'][place][:end]]
    fitted: list[JsonObject] = sent.get('fitted') or []
    for change in fitted:
        if change['what'] == 'messages' and isinstance(change.get('after'), list):
            gone, come = cast('list[Any]', change.get('before') or []), cast('list[Any]', change['after'])
            more_gone, more_come = change.get('left_out') or (0, 0)
            # Records have no more than the first of what came; the last of what was there stand for the others.
            begin, until = change['at'], change['at'] + len(gone) + more_gone
            history[begin : max(begin, until - more_come)] = come
    return history


def _of_messages(messages: Sequence[Any]) -> Iterator[PromptPiece]:
    for index, message in enumerate(messages):
        parts: Any = cast(JsonObject, message).get('parts') if isinstance(message, dict) else None
        for place, part in enumerate(cast('list[Any]', parts) if isinstance(parts, list) else [message]):
            values = cast(JsonObject, part) if isinstance(part, dict) else {'content': part}
            kind = str(values.get('part_kind') or '')
            # The two forms of a message, in the history and as it was sent, have other fields that are empty.
            shown = {name: values[name] for name in sorted(values) if name not in NOT_SENT and values[name]}
            is_system = kind == 'system-prompt'
            name = f'message {index}' if is_system else f'message {index}, part {place} ({kind})'
            yield piece_of('system prompt' if is_system else 'message', name, cut_down(shown), keep=False)
