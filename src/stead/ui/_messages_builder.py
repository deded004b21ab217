"""Builds messages from parts: adjacent parts for the model become one request, and adjacent parts from it one response."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from ..messages import (
    CapabilityLoadDeltaPart,
    InstructionBaselinePart,
    InstructionDeltaPart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    ModelSettingsDeltaPart,
    RetryFeedbackPart,
    RetryPromptPart,
    SystemPromptPart,
    ToolAvailabilityDeltaPart,
    ToolReturnPart,
    UserPromptPart,
)

_OF_REQUESTS = (
    SystemPromptPart,
    UserPromptPart,
    ToolReturnPart,
    RetryPromptPart,
    RetryFeedbackPart,
    ToolAvailabilityDeltaPart,
    CapabilityLoadDeltaPart,
    ModelSettingsDeltaPart,
    InstructionBaselinePart,
    InstructionDeltaPart,
)
"""The parts that only requests have."""


@dataclass
class BuilderCheckpoint:
    """How far a builder was; see `MessagesBuilder.checkpoint`."""

    message_count: int
    """The number of messages."""
    last_message: ModelMessage | None
    """The last message, if there was one."""
    last_message_part_count: int
    """The number of its parts."""


@dataclass
class MessagesBuilder:
    """A list of messages that grows by parts, for protocols whose messages are cut differently."""

    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])
    """The messages so far."""

    def add(self, part: ModelRequestPart | ModelResponsePart) -> None:
        """Add a part to the last message, or start a new one if it is of the other kind."""
        last = self.messages[-1] if self.messages else None
        if isinstance(part, _OF_REQUESTS):
            if isinstance(last, ModelRequest):
                cast('list[ModelRequestPart]', last.parts).append(part)
            else:
                self.messages.append(ModelRequest(parts=[part]))
        elif isinstance(last, ModelResponse):
            cast('list[ModelResponsePart]', last.parts).append(part)
        else:
            self.messages.append(ModelResponse(parts=[part]))

    def checkpoint(self) -> BuilderCheckpoint:
        """Return how far the builder is, to ask `last_modified` later."""
        last = self.messages[-1] if self.messages else None
        return BuilderCheckpoint(len(self.messages), last, len(last.parts) if last is not None else 0)

    def last_modified(
        self, checkpoint: BuilderCheckpoint, *, of_type: type[ModelRequest] | type[ModelResponse]
    ) -> ModelMessage | None:
        """Return the first message of a type that has been added or has grown since a checkpoint; `None` if none has.

        Args:
            checkpoint: How far the builder was.
            of_type: The type of the message.
        """
        last = checkpoint.last_message
        if isinstance(last, of_type) and len(last.parts) > checkpoint.last_message_part_count:
            return last
        return next((item for item in self.messages[checkpoint.message_count :] if isinstance(item, of_type)), None)
