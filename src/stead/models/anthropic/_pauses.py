"""Turns that Anthropic pauses while its own tools take long: an answer continues in further messages. No I/O."""

from __future__ import annotations

from dataclasses import replace

from ..._kit.json_types import as_dict
from ...exceptions import UnexpectedModelBehavior
from ...messages import ModelResponse, ModelResponsePart, NativeToolCallPart, NativeToolReturnPart
from .._wire.call_ids import PAUSED
from ._request import MCP_PREFIX

MOST_PAUSES = 100
"""How often a turn may be paused. The API does so after about ten calls of its tools."""


def is_paused(response: ModelResponse) -> bool:
    """Return whether the turn of a response is to be continued: it was paused, and no call waits for its result."""
    return as_dict(response.provider_details).get('finish_reason') == PAUSED and not response.tool_calls


def check_pauses(count: int, model_name: str) -> int:
    """Return how often a turn was paused.

    Raises:
        UnexpectedModelBehavior: It was too often.
    """
    if count > MOST_PAUSES:
        raise UnexpectedModelBehavior(
            f'{model_name!r} paused its turn {count} times, and did not end it. Give it a smaller task, or bound its native '
            'tools, as with `max_uses`.'
        )
    return count


def continued(before: ModelResponse, after: ModelResponse) -> ModelResponse:
    """Return the response that a paused one and its continuation are together."""
    names = {part.tool_call_id: part.tool_name for part in before.parts if isinstance(part, NativeToolCallPart)}
    parts: list[ModelResponsePart] = [*before.parts]
    for part in after.parts:
        if (
            isinstance(part, NativeToolReturnPart) and part.tool_name == MCP_PREFIX
        ):  # its call was in the message before
            part = replace(part, tool_name=names.get(part.tool_call_id, MCP_PREFIX))
        parts.append(part)
    return replace(
        after,
        parts=parts,
        usage=before.usage + after.usage,
        provider_details={**as_dict(before.provider_details), **as_dict(after.provider_details)},
    )
