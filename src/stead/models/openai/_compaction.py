"""`OpenAICompaction`: OpenAI replaces earlier messages of long conversations by a summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

from ..._contracts.capability import AbstractCapability
from ..._contracts.model import ModelRequestContext
from ..._contracts.run_context import AgentDepsT, RunContext
from ..._kit.deprecated import warn_deprecated
from ..._kit.json_types import as_dict
from ...exceptions import UserError
from ...messages import ModelMessage, ModelRequest, RetryPromptPart, ToolReturnPart
from ...settings import ModelSettings
from ..wrapper import WrapperModel
from ._responses import OpenAIResponsesModel


@dataclass(init=False)
class OpenAICompaction(AbstractCapability[AgentDepsT]):
    """Capability that has OpenAI replace the earlier messages of a long conversation by an encrypted summary.

    OpenAI does it by itself while it answers, unless `message_count_threshold` or `trigger` say when: then its endpoint for
    compactions is asked before the request, and what it returns takes the place of the messages in the history. That keeps
    nothing with OpenAI.
    """

    stateless: bool
    """Whether the endpoint for compactions is used."""
    token_threshold: int | None
    """The number of input tokens from which OpenAI compacts by itself."""
    message_count_threshold: int | None
    """The number of messages from which the endpoint is used."""
    trigger: Callable[[list[ModelMessage]], bool] | None
    """A function of the messages that decides whether the endpoint is used."""
    instructions: str | None
    """The instructions for the endpoint."""

    def __init__(
        self,
        *,
        stateless: bool | None = None,
        token_threshold: int | None = None,
        message_count_threshold: int | None = None,
        trigger: Callable[[list[ModelMessage]], bool] | None = None,
        instructions: str | None = None,
    ) -> None:
        """Choose when and how messages are summarized.

        Args:
            stateless: Whether the endpoint for compactions is asked; by default if one of its conditions is there.
            token_threshold: The input tokens from which on OpenAI does it by itself, in place of its own limit.
            message_count_threshold: The endpoint is asked when there are more messages than that.
            trigger: The endpoint is asked when this says so of the messages, whatever their number.
            instructions: The instructions that the endpoint is told, in place of those of the agent.

        Raises:
            UserError: The conditions do not go with the way.
        """
        asked = message_count_threshold is not None or trigger is not None
        stateless = asked if stateless is None else stateless
        if stateless and token_threshold is not None:
            raise UserError(
                '`OpenAICompaction(token_threshold=...)` is for compaction that OpenAI does by itself. With the endpoint '
                'for compactions (`stateless=True`), use `message_count_threshold` or `trigger`.'
            )
        if stateless and not asked:
            raise UserError(
                '`OpenAICompaction(stateless=True)` does not say when the endpoint for compactions is asked. Add '
                '`message_count_threshold` or `trigger`.'
            )
        if not stateless and asked:
            raise UserError(
                '`message_count_threshold` and `trigger` say when the endpoint for compactions is asked, but '
                '`stateless=False` leaves the compaction to OpenAI. Use `token_threshold`, or leave `stateless` out.'
            )
        if instructions is not None:
            warn_deprecated(
                '`OpenAICompaction(instructions=...)` is deprecated: leave it out, and the instructions of the agent are used.',
                DeprecationWarning,
            )
        self.stateless = stateless
        self.token_threshold = token_threshold
        self.message_count_threshold = message_count_threshold
        self.trigger = trigger
        self.instructions = instructions

    def get_model_settings(self) -> Callable[[RunContext[AgentDepsT]], ModelSettings] | None:
        """Return settings that ask OpenAI to compact by itself, unless the settings manage the context already."""
        if self.stateless:
            return None
        entry: dict[str, Any] = {'type': 'compaction'}
        if self.token_threshold is not None:
            entry['compact_threshold'] = self.token_threshold

        def resolve(ctx: RunContext[AgentDepsT]) -> ModelSettings:
            existing = as_dict(ctx.model_settings).get('openai_context_management')
            return cast(ModelSettings, {} if existing else {'openai_context_management': [entry]})

        return resolve

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Compact the messages through the endpoint if the conditions are met.

        Raises:
            UserError: The model is not one of the Responses API.
            ModelHTTPError: The endpoint answered with an error.
            ModelAPIError: It cannot be reached.
            UnexpectedModelBehavior: It returned no summary.
        """
        messages = request_context.messages
        if not self._is_time(messages):
            return request_context
        inner: Any = request_context.model
        while isinstance(inner, WrapperModel):
            inner = inner.wrapped
        if not isinstance(inner, OpenAIResponsesModel):
            raise UserError(
                f'`OpenAICompaction` asks the endpoint for compactions of an `OpenAIResponsesModel`, but the model is '
                f'{type(inner).__name__}. Use the capability that belongs to it, or leave the compaction out.'
            )
        end = _end_of_past(messages)
        if end == 0:
            return request_context
        past = replace(request_context, messages=messages[:end])
        summary = await request_context.model.compact_messages(past, instructions=self.instructions)
        request_context.messages = [summary, *messages[end:]]
        return request_context

    def _is_time(self, messages: list[ModelMessage]) -> bool:
        if self.trigger is not None:
            return self.trigger(messages)
        return self.message_count_threshold is not None and len(messages) > self.message_count_threshold


def _end_of_past(messages: list[ModelMessage]) -> int:
    """Return where the messages end that can be summarized: a call stays with its return."""
    end = len(messages) - 1
    if end > 0 and isinstance(last := messages[end], ModelRequest) and any(map(_answers_call, last.parts)):
        end -= 1
    return max(end, 0)


def _answers_call(part: Any) -> bool:
    return isinstance(part, ToolReturnPart) or (isinstance(part, RetryPromptPart) and part.tool_name is not None)
