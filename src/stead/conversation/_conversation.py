"""A conversation as one value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Optional

from pydantic import PlainSerializer, TypeAdapter, ValidationInfo, WrapValidator
from pydantic_core import from_json, to_json

from .._kit.ids import uuid7_str
from ..messages import DeferredToolRequests, ModelMessage, ModelMessagesTypeAdapter
from ..usage import RunUsage


def _read(data: object, _: object, info: ValidationInfo) -> list[ModelMessage]:
    """Return a history from its data, as a stored history is read: what this version does not know is kept."""
    if info.mode == 'json':
        return ModelMessagesTypeAdapter.validate_json(to_json(data))
    return ModelMessagesTypeAdapter.validate_python(data)


def _write(messages: list[ModelMessage]) -> Any:
    return from_json(ModelMessagesTypeAdapter.dump_json(messages))


@dataclass(kw_only=True)
class Conversation:
    """What was said so far: pass it to a run, and take `result.conversation` to continue.

    A run changes nothing in it: it returns another one.
    """

    messages: Annotated[list[ModelMessage], WrapValidator(_read), PlainSerializer(_write, when_used='json')] = field(
        default_factory=lambda: []
    )
    """The messages, the oldest first."""
    usage: RunUsage = field(default_factory=RunUsage)
    """What all its runs have used."""
    conversation_id: str = field(default_factory=uuid7_str)
    """Its id."""
    deferred_tool_requests: Optional[DeferredToolRequests] = None
    """The calls that it waits for, if its last run ended with such."""
    revision: Optional[str] = None
    """The revision of the store that it was loaded from or saved in; `None` if it never was."""
    new_message_index: Optional[int] = None
    """How many of the messages that store has; `None` if it was never stored."""


ConversationTypeAdapter: TypeAdapter[Conversation] = TypeAdapter(Conversation)
"""Converts conversations to and from JSON; messages are read as `ModelMessagesTypeAdapter` reads them."""
