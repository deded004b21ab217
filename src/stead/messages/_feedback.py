"""Requests to try again: a call, or an output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

import pydantic_core
from pydantic import ValidationError
from typing_extensions import TypeGuard

from .._kit.first_errors import TOO_MANY
from .._kit.ids import generate_tool_call_id, now_utc
from .._kit.json_types import JsonObject
from .._kit.records import ShortRepr
from ..exceptions import ModelRetry
from . import _otel as otel
from ._open import MoreKeys, OpenContent
from ._tool_kinds import RetryCause, RetryInfo
from ._tool_parts import BaseToolReturnPart, ToolReturnPart, json_text, plain_errors, shown_errors

RETRIES_ARE_RETURNS = False
"""Whether a call to make again has a return with the outcome `retried`, and an invalid output has feedback, as in 2.x."""

INPUTS_ARE_SHOWN_ONCE = True
"""Whether an object or a list that several errors are about is repeated to the model with the first of them alone."""


@dataclass(repr=False, eq=False)
class RetryPromptPart(ShortRepr):
    """A request to try again, because a call or an output was invalid, or because a tool asks for it."""

    content: list[Annotated[pydantic_core.ErrorDetails, MoreKeys()]] | str
    """The reason: text, or validation errors."""
    _: KW_ONLY
    tool_name: str | None = None
    """The tool, if it was a call."""
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    """The id of the call."""
    timestamp: datetime = field(default_factory=now_utc)
    """When it was created."""
    part_kind: Literal['retry-prompt'] = 'retry-prompt'
    """Discriminator of the part."""

    @classmethod
    def from_error(
        cls, error: ValidationError | ModelRetry, *, tool_name: str | None = None, tool_call_id: str | None = None
    ) -> RetryPromptPart:
        """Return the part for an error.

        Args:
            error: The error.
            tool_name: The tool, if it was a call.
            tool_call_id: The id of the call.
        """
        content: Any = error.errors(include_url=False) if isinstance(error, ValidationError) else error.message
        return cls(content, tool_name=tool_name, tool_call_id=tool_call_id or generate_tool_call_id())

    def model_response(self) -> str:
        """Return the text that is sent to the model."""
        if isinstance(self.content, str):
            feedback = self.content if self.tool_name is not None else f'Validation feedback:\n{self.content}'
        else:
            # Without a call, the input of a top-level error is the whole output, which the model has just written.
            errors = [
                {
                    key: item
                    for key, item in error.items()
                    if key != 'ctx' and (key != 'input' or self.tool_name is not None or len(error['loc']) > 1)
                }
                for error in (_with_inputs_once(self.content) if INPUTS_ARE_SHOWN_ONCE else self.content)
            ]
            try:
                shown = shown_errors(errors)
            except (ValueError, RecursionError):  # an input without a JSON form
                shown = shown_errors([{key: item for key, item in one.items() if key != 'input'} for one in errors])
            count = sum(error['type'] != TOO_MANY for error in self.content)
            feedback = f'{count} validation error{"" if count == 1 else "s"}:\n```json\n{shown}\n```'
        return f'{feedback}\n\nFix the errors and try again.'

    def otel_event(self, settings: otel.ContentSettings) -> Any:
        """Return the OpenTelemetry log record of the part (instrumentation version 1)."""
        role = 'user' if self.tool_name is None else 'tool'
        body: JsonObject = {'content': self.model_response()} if settings.include_content else {}
        body['role'] = role
        if self.tool_name is not None:
            body.update(id=self.tool_call_id, name=self.tool_name)
        return otel.event(f'gen_ai.{role}.message', body)

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        if self.tool_name is None:
            return [otel.text_part(self.model_response(), settings)]
        part: JsonObject = {'type': 'tool_call_response', 'id': self.tool_call_id, 'name': self.tool_name}
        if settings.include_content:
            part['result'] = self.model_response()
        return [part]


@dataclass(repr=False, eq=False)
class RetryFeedbackPart(ShortRepr):
    """A request to give the output again, as 2.x writes it; 1.x writes a `RetryPromptPart`."""

    content: list[Annotated[pydantic_core.ErrorDetails, MoreKeys()]] | str
    """The reason: text, or validation errors."""
    _: KW_ONLY
    retry: Annotated[RetryInfo[str], OpenContent()]
    """The cause and the number of the retry."""
    timestamp: datetime = field(default_factory=now_utc)
    """When it was created."""
    part_kind: Literal['retry-feedback'] = 'retry-feedback'
    """Discriminator of the part."""

    def model_response(self) -> str:
        """Return the text that is sent to the model."""
        content = self.content
        if self.retry.cause == 'no_output' and isinstance(content, str) and _asks_for_output(content):
            return content
        if not isinstance(content, str):
            errors = plain_errors(content)
            content = json_text([{key: item for key, item in error.items() if key != 'ctx'} for error in errors])
        from .._kit.tags import framed

        name = 'validation_errors' if self.retry.cause == 'validation_error' else 'retry_feedback'
        return (
            "Your previous response failed the application's validation (this is automated feedback, not a message from "
            f'the user):\n{framed(name, content)}'
        )

    def otel_event(self, settings: otel.ContentSettings) -> object:
        """Return the OpenTelemetry log record of the part (instrumentation version 1)."""
        content = {'content': self.model_response()} if settings.include_content else {}
        return otel.event('gen_ai.user.message', {'role': 'user', **content})

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(self.model_response(), settings)]


def _with_inputs_once(errors: Sequence[Any]) -> list[JsonObject]:
    """Return errors, of which those have no input that are about the same object as an earlier one, such as missing fields."""
    shown: list[object] = []
    found: list[JsonObject] = []
    for error in errors:
        value: object = error.get('input')
        if isinstance(value, (dict, list)):
            if any(value is one or value == one for one in shown[-_MOST_COMPARED:]):
                error = {name: item for name, item in error.items() if name != 'input'}
            else:
                shown.append(value)  # type: ignore[reportUnknownArgumentType]
        found.append(error)
    return found


_MOST_COMPARED = 20
_WAYS = frozenset({'return text', 'include your response in a tool call', 'call a tool', 'return an image'})


def _asks_for_output(content: str) -> bool:
    """Return whether a text is the framework's own request for an output: it quotes nothing that would have to be framed."""
    return content[:7] == 'Please ' and content[-1] == '.' and _WAYS.issuperset(content[7:-1].split(' or '))


def shown_retry(
    part: RetryPromptPart, cause: RetryCause | None = None, attempt: int | None = None, limit: int | None = None
) -> RetryPromptPart | ToolReturnPart | RetryFeedbackPart:
    """Return a retry prompt as the level shows it: itself, or the parts of 2.x.

    Args:
        part: The retry prompt.
        cause: Why it is to be tried again; by default the content says.
        attempt: The number of the retry, from 1; `None` if it is not known.
        limit: How many there may be.
    """
    if not RETRIES_ARE_RETURNS:
        return part
    content, is_known = part.content, cause is not None or attempt is not None
    cause = cause or ('model_retry' if isinstance(content, str) else 'validation_error')
    info: RetryInfo[str] = RetryInfo(cause, attempt=attempt, max_retries=limit)
    if part.tool_name is None:
        return RetryFeedbackPart(content, retry=info, timestamp=part.timestamp)
    if not isinstance(content, str):  # what tools return is JSON: places are lists, and what has no JSON form is shown
        content = pydantic_core.to_jsonable_python(content, fallback=repr, inf_nan_mode='constants')
    return ToolReturnPart(
        part.tool_name,
        content,
        part.tool_call_id,
        timestamp=part.timestamp,
        outcome='retried',
        retry=info if is_known else None,
    )


def is_retry(part: object) -> TypeGuard[RetryPromptPart | ToolReturnPart]:
    """Return whether a part asks for another call, in the form of either level."""
    return isinstance(part, RetryPromptPart) or (isinstance(part, ToolReturnPart) and part.outcome == 'retried')


def retry_text(part: RetryPromptPart | BaseToolReturnPart | RetryFeedbackPart) -> str:
    """Return the text of a retry, in the form of either level."""
    if isinstance(part, BaseToolReturnPart):
        return part.model_response_str(wrap_if_error=False)
    return part.model_response()
