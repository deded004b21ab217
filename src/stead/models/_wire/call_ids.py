"""Ids of calls as a vendor accepts them: histories hold those of other vendors, whose rules differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from ..._kit.json_types import as_dict
from ...messages import ModelResponse, ModelResponsePart, NativeToolCallPart, NativeToolReturnPart

PAUSED = 'pause_turn'
"""The reason for the end of a response that is to be continued."""


@dataclass(frozen=True)
class CallIds:
    """The rules of a vendor for the ids of calls."""

    longest: int
    """The most characters."""
    characters: str = ''
    """The characters that are allowed, as a class of a pattern; all are, if it is empty."""

    def fit(self, call_id: str) -> str:
        """Return an id itself if the vendor accepts it, else one that stands for it in all requests."""
        return (
            call_id if len(call_id) <= 29 and call_id.isascii() and call_id.isidentifier() else _fitted(call_id, self)
        )


@lru_cache(maxsize=4096)
def _fitted(call_id: str, rules: CallIds) -> str:
    known = len(call_id) <= rules.longest and (not rules.characters or re.fullmatch(rules.characters, call_id))
    return call_id if known else f'call_{sha256(call_id.encode(errors="replace")).hexdigest()[:24]}'


ANTHROPIC_IDS = CallIds(256, '[a-zA-Z0-9_-]+')
BEDROCK_IDS = CallIds(64, '[a-zA-Z0-9_-]+')
CHAT_IDS = CallIds(40)
RESPONSES_IDS = CallIds(64)


def without_half_calls(message: ModelResponse) -> Sequence[ModelResponsePart]:
    """Return the parts of a response without the native calls that have no result, as in one that broke off.

    A response that its provider paused continues in the next one, which has the result.
    """
    calls = {part.tool_call_id for part in message.parts if isinstance(part, NativeToolCallPart)}
    calls -= {part.tool_call_id for part in message.parts if isinstance(part, NativeToolReturnPart)}
    if not calls or as_dict(message.provider_details).get('finish_reason') == PAUSED:
        return message.parts
    return [part for part in message.parts if not (isinstance(part, NativeToolCallPart) and part.tool_call_id in calls)]
