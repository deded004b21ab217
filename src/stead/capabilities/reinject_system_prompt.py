"""`ReinjectSystemPrompt`: adds the agent's system prompt to histories that lack it."""

from __future__ import annotations

from dataclasses import field, replace

from .._contracts.capability import AbstractCapability
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.keywords import dataclass
from ..messages import ModelMessage, ModelRequest, SystemPromptPart
from ._ids import id_of_level


@dataclass
class ReinjectSystemPrompt(AbstractCapability[AnyDepsT]):
    """Capability that puts the agent's system prompt before a history without one, such as one from a user interface."""

    id: str | None = field(default_factory=id_of_level('reinject_system_prompt'), kw_only=True)
    replace_existing: bool = field(default=False, kw_only=False)
    """Whether system prompts in the history are removed first, for histories that are not to be trusted; otherwise a
    history with a system prompt is left unchanged."""

    async def before_model_request(
        self, ctx: RunContext[AnyDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put the system prompt before the parts of the first request."""
        messages = request_context.messages
        if self.replace_existing:
            messages = without_system_prompts(messages)
        elif any(_has_system_prompt(message) for message in messages):
            return request_context
        prompt: list[SystemPromptPart] = []
        if ctx.agent is not None:
            prompt = await ctx.agent.system_prompt_parts(
                deps=ctx.deps,
                model=ctx.model,
                message_history=ctx.messages,
                prompt=ctx.prompt,
                usage=ctx.usage,
                model_settings=ctx.model_settings,
            )
        request_context.messages = with_system_prompt(messages, prompt) if prompt else messages
        return request_context


def without_system_prompts(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Return messages without system prompts, and without requests that consist of nothing else."""
    kept: list[ModelMessage] = []
    for message in messages:
        if isinstance(message, ModelRequest) and _has_system_prompt(message):
            parts = [part for part in message.parts if not isinstance(part, SystemPromptPart)]
            if not parts:
                continue
            message = replace(message, parts=parts)
        kept.append(message)
    return kept


def with_system_prompt(messages: list[ModelMessage], prompt: list[SystemPromptPart]) -> list[ModelMessage]:
    """Return messages with a system prompt before the parts of the first request."""
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            return [*messages[:index], replace(message, parts=[*prompt, *message.parts]), *messages[index + 1 :]]
    return [ModelRequest(parts=[*prompt]), *messages]


def _has_system_prompt(message: ModelMessage) -> bool:
    return isinstance(message, ModelRequest) and any(isinstance(part, SystemPromptPart) for part in message.parts)
