"""Messages as they are compared with others: without what differs from run to run, and what only their vendor knows."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import from_json

from .._kit.json_types import JsonObject
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


def compared_messages(messages: Sequence[ModelMessage]) -> list[JsonObject]:
    """Return messages as data, with the kind and the parts of each; calls are known by their place."""
    ids: dict[str, str] = {}
    return [
        {'kind': message['kind'], 'parts': [compared_part(part, ids) for part in message['parts']]}
        for message in ModelMessagesTypeAdapter.dump_python([*messages], mode='json')
    ]
