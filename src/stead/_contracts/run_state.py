"""`RunState`: what a run is, as plain data.

Whatever a run must know again after a crash, in another process or in another engine is a field here. Dependencies, models
and functions never are: they come from the program that continues the run. What only saves work, such as whether the history
is known to be sound, is not part of it either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from .._kit.ids import uuid7_str
from .._kit.json_types import JsonObject
from ..usage import RunUsage

if TYPE_CHECKING:
    from ..conversation import Conversation
    from ..messages import (
        DeferredToolResults,
        ModelMessage,
        ModelRequestPart,
        RetryPromptPart,
        ToolReturnPart,
        UserContent,
    )
    from .pending import PendingMessage


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The answer that a call has got before."""

    answer: ToolReturnPart | RetryPromptPart
    """What the model will read."""
    additions: Sequence[ModelRequestPart] = ()
    """What its tool adds to the conversation."""


@dataclass(frozen=True, slots=True)
class RecordedOutput:
    """The output that a run has returned before."""

    data: object
    """Its JSON data."""


@dataclass(slots=True, kw_only=True)
class RunState:
    """What a run is, as plain data; `None` stands for an empty mapping."""

    message_history: list[ModelMessage] = field(default_factory=lambda: [])
    """Messages so far, including those passed in; the list grows in place."""
    usage: RunUsage = field(default_factory=RunUsage)
    """Usage so far."""
    output_retries_used: int = 0
    """How many times the model was asked to give its output again."""
    run_step: int = 0
    """Number of the current step; the first request is step 1."""
    run_id: str = field(default_factory=uuid7_str)
    """Unique id of the run."""
    conversation_id: str = field(default_factory=uuid7_str)
    """Unique id of the conversation."""
    metadata: JsonObject | None = None
    """Metadata of the run."""
    last_max_tokens: int | None = None
    """`max_tokens` of the last request, for error messages."""
    pending_messages: list[PendingMessage] = field(default_factory=lambda: [])
    """Messages that wait to be delivered."""
    new_message_index: int = 0
    """Where in the history the messages of this run begin."""
    prompt: str | Sequence[UserContent] | None = None
    """The prompt, as run contexts show it."""
    retries: Mapping[str, int] | None = None
    """How many times each tool had been retried when the step began, by tool name."""
    call_counts: Mapping[str, int] | None = None
    """How many times each tool with a limit had been called when the step began, by tool name."""
    calls_of_step: Mapping[str, int] | None = None
    """How many times each of them was called since."""
    is_fresh: bool = True
    """Whether nothing has happened since the run was set up, so that it starts with its prompt."""
    following: int = 0
    """How many messages of the history follow the request that has no response yet."""
    answers_calls: bool = False
    """Whether the run was given decisions about calls of its history, so that its prompt follows the answers to them."""
    answers: dict[str, Sequence[ModelRequestPart]] = field(
        default_factory=cast('type[dict[str, Sequence[ModelRequestPart]]]', dict)
    )
    """What calls of the last response were answered with, by call id: the answer, and what the tool adds to the conversation. It
    is part of the history when the next request is."""
    decisions: DeferredToolResults | None = None
    """Decisions about calls of the last response."""
    conversation: Conversation | None = None
    """The conversation that was passed to the run, without its messages."""
    result: RecordedOutput | None = None
    """What the run has returned, if it has ended: nothing is done for it any more."""
