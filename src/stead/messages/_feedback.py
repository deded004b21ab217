"""Feedback about an output, in the form in which 2.x stores it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Annotated, Literal

import pydantic_core

from .._kit.ids import now_utc
from .._kit.json_types import JsonObject
from .._kit.records import repr_without_defaults
from . import _otel as otel
from ._open import MoreKeys, OpenContent, OpenWord
from ._tool_parts import json_text, plain_errors


@dataclass
class RetryInfo:
    """Why something is to be made again, and how often it was."""

    cause: Annotated[
        Literal['validation_error', 'no_output', 'model_retry', 'unknown_tool', 'unavailable_tool'], OpenWord('cause')
    ]
    """The cause."""
    _: KW_ONLY
    attempt: int | None = None
    """The number of this retry, from 1."""
    max_retries: int | None = None
    """How many there may be."""


@dataclass(repr=False)
class RetryFeedbackPart:
    """A request to give the output again. Histories of 2.x have it; stead itself writes a `RetryPromptPart`."""

    content: list[Annotated[pydantic_core.ErrorDetails, MoreKeys()]] | str
    """The reason: text, or validation errors."""
    _: KW_ONLY
    retry: Annotated[RetryInfo, OpenContent()]
    """The cause and the number of the retry."""
    timestamp: datetime = field(default_factory=now_utc)
    """When it was created."""
    part_kind: Literal['retry-feedback'] = 'retry-feedback'
    """Discriminator of the part."""

    def model_response(self) -> str:
        """Return the text that is sent to the model."""
        content = self.content
        if not isinstance(content, str):
            errors = plain_errors(content)
            content = json_text([{key: item for key, item in error.items() if key != 'ctx'} for error in errors])
        name = 'validation_errors' if self.retry.cause == 'validation_error' else 'retry_feedback'
        return (
            "Your previous response failed the application's validation (this is automated feedback, not a message from "
            f'the user):\n<pyai:{name}>\n{content}\n</pyai:{name}>'
        )

    def otel_event(self, settings: otel.ContentSettings) -> object:
        """Return the OpenTelemetry log record of the part (instrumentation version 1)."""
        content = {'content': self.model_response()} if settings.include_content else {}
        return otel.event('gen_ai.user.message', {'role': 'user', **content})

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(self.model_response(), settings)]

    __repr__ = repr_without_defaults
