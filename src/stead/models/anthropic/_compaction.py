"""`AnthropicCompaction`: long conversations that Anthropic summarizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from ..._contracts.capability import AbstractCapability
from ..._contracts.run_context import AgentDepsT, RunContext
from ..._kit.json_types import JsonObject, as_dict, as_list
from ...settings import ModelSettings


@dataclass(init=False)
class AnthropicCompaction(AbstractCapability[AgentDepsT]):
    """A capability that lets Anthropic replace the earlier messages of a long conversation with a summary.

    The summary stays in the history as a `CompactionPart`. Other models ignore the setting.
    """

    token_threshold: int
    """The number of input tokens at which messages are summarized."""
    instructions: str | None
    """Instructions for the summary, in place of Anthropic's own."""
    pause_after_compaction: bool
    """Whether the response ends with the summary."""

    def __init__(
        self,
        *,
        token_threshold: int = 150_000,
        instructions: str | None = None,
        pause_after_compaction: bool = False,
    ) -> None:
        """Choose when and how messages are summarized.

        Args:
            token_threshold: The number of input tokens at which messages are summarized; Anthropic requires at least
                50,000.
            instructions: Instructions for the summary, in place of Anthropic's own.
            pause_after_compaction: Whether the response ends with the summary.
        """
        self.token_threshold = token_threshold
        self.instructions = instructions
        self.pause_after_compaction = pause_after_compaction

    def get_model_settings(self) -> Callable[[RunContext[AgentDepsT]], ModelSettings]:
        """Return a function of the run context that adds compaction to the context management in the settings."""
        edit: JsonObject = {
            'type': 'compact_20260112',
            'trigger': {'type': 'input_tokens', 'value': self.token_threshold},
        }
        if self.pause_after_compaction:
            edit['pause_after_compaction'] = True
        if self.instructions is not None:
            edit['instructions'] = self.instructions

        def resolve(ctx: RunContext[AgentDepsT]) -> ModelSettings:
            current = as_dict(as_dict(ctx.model_settings).get('anthropic_context_management'))
            managed = {**current, 'edits': [*as_list(current.get('edits')), edit]}
            return cast(ModelSettings, {'anthropic_context_management': managed})

        return resolve
