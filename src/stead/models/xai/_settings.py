"""Settings of xAI's models."""

from __future__ import annotations

from typing import Literal, Union

from typing_extensions import TypeAlias

from ...profiles.grok import GrokReasoningEffort
from ...settings import ModelSettings

KnownXaiModelName: TypeAlias = Literal[
    'grok-4',
    'grok-4-0709',
    'grok-4-latest',
    'grok-4-1-fast',
    'grok-4-1-fast-reasoning',
    'grok-4-1-fast-reasoning-latest',
    'grok-4-1-fast-non-reasoning',
    'grok-4-1-fast-non-reasoning-latest',
    'grok-4-fast',
    'grok-4-fast-reasoning',
    'grok-4-fast-reasoning-latest',
    'grok-4-fast-non-reasoning',
    'grok-4-fast-non-reasoning-latest',
    'grok-4.20-0309-reasoning',
    'grok-4.20',
    'grok-4.20-0309',
    'grok-4.20-reasoning-latest',
    'grok-4.20-0309-non-reasoning',
    'grok-4.20-non-reasoning',
    'grok-4.20-non-reasoning-latest',
    'grok-4.20-multi-agent',
    'grok-4.20-multi-agent-0309',
    'grok-4.20-multi-agent-latest',
    'grok-4.3',
    'grok-4.3-latest',
    'grok-code-fast-1',
    'grok-3',
    'grok-3-latest',
    'grok-3-mini',
    'grok-3-fast',
    'grok-3-fast-latest',
    'grok-3-mini-fast',
    'grok-3-mini-fast-latest',
]
"""The names of models that stead knows."""
XaiModelName: TypeAlias = Union[str, KnownXaiModelName]
"""The name of a model: a known one, or any other."""


class XaiModelSettings(ModelSettings, total=False):
    """Settings of xAI's models."""

    xai_logprobs: bool
    """Whether the response has the log probabilities of its tokens."""
    xai_top_logprobs: int
    """The number of most likely tokens to report at each position, from 0 to 8."""
    xai_user: str
    """The id of your user."""
    xai_store_messages: bool
    """Whether xAI stores the conversation."""
    xai_previous_response_id: str
    """The id of a stored response to continue from."""
    xai_include_encrypted_content: bool
    """Whether the response has the model's thinking in encrypted form, so that it can be sent back."""
    xai_include_code_execution_output: bool
    """Whether the response has the output of native code execution."""
    xai_include_web_search_output: bool
    """Whether the response has the results of native web searches."""
    xai_include_inline_citations: bool
    """Whether the text of the response has inline citations."""
    xai_include_mcp_output: bool
    """Whether the response has the results of MCP servers."""
    xai_include_x_search_output: bool
    """Whether the response has the results of native X searches."""
    xai_include_collections_search_output: bool
    """Whether the response has the results of native collection searches."""
    xai_include_attachment_search_output: bool
    """Whether the response has the results of searches of attached files."""
    xai_max_turns: int
    """How many rounds of native tools the model may have."""
    xai_agent_count: Literal[4, 16]
    """How many agents a model with several of them has."""
    xai_reasoning_effort: GrokReasoningEffort
    """How much the model reasons; takes precedence over `thinking`."""


__all__ = ('KnownXaiModelName', 'XaiModelName', 'XaiModelSettings')
