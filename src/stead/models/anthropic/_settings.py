"""Settings of Anthropic's models."""

from __future__ import annotations

from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from ...profiles.anthropic import AnthropicCodeExecutionToolVersion, AnthropicEffort
from ...settings import ModelSettings

LatestAnthropicModelNames: TypeAlias = Literal[
    'claude-fable-5',
    'claude-mythos-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-mythos-preview',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-haiku-4-5',
    'claude-haiku-4-5-20251001',
    'claude-opus-4-5',
    'claude-opus-4-5-20251101',
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-1',
    'claude-opus-4-1-20250805',
    'claude-opus-4-0',
    'claude-opus-4-20250514',
    'claude-sonnet-4-0',
    'claude-sonnet-4-20250514',
    'claude-3-haiku-20240307',
]
"""Names that are known."""
AnthropicModelName: TypeAlias = Union[LatestAnthropicModelNames, str]
"""The name of a model; those that are known, or any other."""
CacheFor: TypeAlias = Union[bool, Literal['5m', '1h']]
"""Whether something is cached, or for how long; `True` for five minutes."""


class AnthropicModelSettings(ModelSettings, total=False):
    """Settings of Anthropic's models."""

    anthropic_metadata: Any
    """Metadata of the request, such as the id of your user."""
    anthropic_thinking: Any
    """How the model thinks, as its API has it; goes over `thinking`."""
    anthropic_cache_tool_definitions: CacheFor
    """Whether the definitions of tools are cached."""
    anthropic_service_tier: Literal['auto', 'standard_only']
    """How fast, and at what price, the answer comes; goes over `service_tier`."""
    anthropic_cache_instructions: CacheFor
    """Whether system prompts and static instructions are cached."""
    anthropic_cache_messages: CacheFor
    """Whether the conversation is cached up to its last message."""
    anthropic_cache: CacheFor
    """Whether Anthropic decides by itself what to cache."""
    anthropic_effort: AnthropicEffort | None
    """How much effort the model makes; goes over `thinking`."""
    anthropic_task_budget: Any
    """The budget of a task, as its API has it."""
    anthropic_container: Union[Any, str, Literal[False]]
    """The container that code runs in: an id, or `False` for a new one; else that of the history."""
    anthropic_code_execution_tool_version: Union[AnthropicCodeExecutionToolVersion, Literal['auto']]
    """The version of the tool that runs code."""
    anthropic_eager_input_streaming: bool
    """Whether arguments of tools stream before they are complete."""
    anthropic_betas: list[str]
    """Features in beta to turn on."""
    anthropic_speed: Literal['standard', 'fast']
    """How fast the model answers, where it can choose."""
    anthropic_context_management: Any
    """How Anthropic keeps the context small, as its API has it."""


__all__ = ('AnthropicModelName', 'AnthropicModelSettings', 'CacheFor', 'LatestAnthropicModelNames')
