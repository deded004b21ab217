"""Messages as they are compared with others: without what differs from run to run, and what only their vendor knows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from pydantic_core import from_json

from .._kit.ids import canonical_json
from .._kit.json_types import JsonObject
from .._kit.shown_json import shown_json
from ..messages import ModelMessage, ModelMessagesTypeAdapter

_NOT_IN_PARTS = frozenset(
    (
        'id',
        'identifier',
        'metadata',
        'provider_details',
        'provider_name',
        'provider_url',
        'signature',
        'timestamp',
        'vendor_metadata',
    )
)
"""What a part says of the run, or of the vendor, that it came from."""


def compared_part(part: JsonObject, ids: dict[str, str]) -> JsonObject:
    """Return a part as data; `ids` has the names that calls have had so far."""
    data = {name: value for name, value in part.items() if name not in _NOT_IN_PARTS and value not in (None, {}, [])}
    if isinstance(call_id := data.get('tool_call_id'), str):
        data['tool_call_id'] = ids.setdefault(call_id, f'call {len(ids) + 1}')
    if isinstance(args := data.get('args'), str):
        try:
            data['args'] = from_json(args)
        except ValueError:  # what a model wrote
            pass
    return data


_MOST = 16
"""How many conversations are kept to be continued."""


class Conversation(NamedTuple):
    """Messages as they are compared."""

    messages: list[JsonObject]
    """The kind and the parts of each; calls are known by their place."""
    chain: list[str]
    """A digest of each beginning: of none of the messages, of the first, and so on."""


class _Seen(NamedTuple):
    """A conversation that was compared, and how its messages are recognized."""

    written: list[bytes]
    conversation: Conversation
    ids: dict[str, str]
    counts: list[int]
    """How many ids each beginning has."""


class Conversations:
    """Compares what requests send: messages that the request before had at the same place are only recognized.

    They are recognized by their JSON, since hooks may change a message in place.
    """

    def __init__(self, clean: Callable[[JsonObject], JsonObject] | None = None) -> None:
        """Choose what is kept of a message; by default all."""
        self._clean = clean
        self._seen: dict[bytes, _Seen] = {}

    def of(self, messages: Sequence[ModelMessage]) -> Conversation:
        """Return messages as they are compared."""
        written = [shown_json(message.parts) for message in messages]
        before = self._seen.pop(written[0], None) if written else None
        same = 0
        ids: dict[str, str] = {}
        found, counts = Conversation([], ['']), [0]
        if before is not None:
            pairs = enumerate(zip(before.written, written))
            same = next((at for at, (old, new) in pairs if old != new), min(len(before.written), len(written)))
            counts = before.counts[: same + 1]
            ids = dict(islice(before.ids.items(), counts[-1]))
            found = Conversation(before.conversation.messages[:same], before.conversation.chain[: same + 1])
        for message in ModelMessagesTypeAdapter.dump_python([*messages[same:]], mode='json'):
            data = {'kind': message['kind'], 'parts': [compared_part(part, ids) for part in message['parts']]}
            data = data if self._clean is None else self._clean(data)
            found.messages.append(data)
            found.chain.append(next_digest(found.chain[-1], data))
            counts.append(len(ids))
        if written:
            self._seen[written[0]] = _Seen(written, found, ids, counts)
            for old in [*self._seen][:-_MOST]:
                self._seen.pop(old, None)
        return found


def next_digest(before: str, *values: object) -> str:
    """Return the digest of what continues something by values. Files of cassettes have it: it must stay the same."""
    return hashlib.sha256(f'{before}{canonical_json(values)}'.encode()).hexdigest()[:32]
