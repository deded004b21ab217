"""`AnthropicCompaction`: Anthropic makes long conversations shorter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from ..._contracts.capability import AbstractCapability
from ..._contracts.run_context import AgentDepsT, RunContext
from ..._kit.plain import as_dict, as_list
from ...settings import ModelSettings


@dataclass(init=False)
class AnthropicCompaction(AbstractCapability[AgentDepsT]):
    """Has Anthropic replace the earlier messages of a long conversation by a summary, which stays in the history.

    The summary is a `CompactionPart`. Other models leave the setting alone.
    """

    token_threshold: int
    """The input tokens from which on messages are summed up."""
    instructions: str | None
    """How they are summed up."""
    pause_after_compaction: bool
    """Whether the response ends with the summary."""

    def __init__(
        self,
        *,
        token_threshold: int = 150_000,
        instructions: str | None = None,
        pause_after_compaction: bool = False,
    ) -> None:
        """Choose when messages are summed up, and how.

        Args:
            token_threshold: The input tokens from which on; Anthropic takes 50,000 at least.
            instructions: How to sum up, in place of Anthropic's own instructions.
            pause_after_compaction: Whether the response ends with the summary.
        """
        self.token_threshold = token_threshold
        self.instructions = instructions
        self.pause_after_compaction = pause_after_compaction

    def get_model_settings(self) -> Callable[[RunContext[AgentDepsT]], ModelSettings]:
        """Return settings that ask for compaction, besides other ways to manage the context that are set."""
        edit: dict[str, Any] = {
            'type': 'compact_20260112',
            'trigger': {'type': 'input_tokens', 'value': self.token_threshold},
        }
        if self.pause_after_compaction:
            edit['pause_after_compaction'] = True
        if self.instructions is not None:
            edit['instructions'] = self.instructions

        def resolve(ctx: RunContext[AgentDepsT]) -> ModelSettings:
            given = as_dict(as_dict(ctx.model_settings).get('anthropic_context_management'))
            managed = {**given, 'edits': [*as_list(given.get('edits')), edit]}
            return cast(ModelSettings, {'anthropic_context_management': managed})

        return resolve
