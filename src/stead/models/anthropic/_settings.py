"""Settings of Anthropic's models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Union

from typing_extensions import TypeAlias, TypedDict

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
"""The names of models that stead knows."""
AnthropicModelName: TypeAlias = Union[LatestAnthropicModelNames, str]
"""The name of a model: a known one, or any other."""
CacheFor: TypeAlias = Union[bool, Literal['5m', '1h']]
"""Whether to cache something, or for how long; `True` means five minutes."""


AnthropicWebToolCaller: TypeAlias = Literal[
    'direct', 'code_execution_20250825', 'code_execution_20260120', 'code_execution_20260521'
]
"""What may call the tools that search and fetch: the model itself, or code that it runs."""
DEPRECATED_ANTHROPIC_MODELS: frozenset[str] = frozenset(
    {
        'claude-opus-4-0',
        'claude-sonnet-4-0',
        'claude-3-haiku-20240307',
        'claude-sonnet-4-20250514',
        'claude-opus-4-20250514',
    }
)
"""The names of models that Anthropic is about to withdraw."""


class AnthropicTaskBudget(TypedDict, total=False):
    """How many tokens the model has for a task, which it sees."""

    type: Literal['tokens']
    """What is counted."""
    total: int
    """The tokens for the whole task."""
    remaining: int | None
    """The tokens that are left of them, in a later request."""


class AnthropicModelSettings(ModelSettings, total=False):
    """Settings of Anthropic's models."""

    anthropic_metadata: Mapping[str, object]
    """Metadata of the request, such as the id of your user."""
    anthropic_thinking: Mapping[str, object]
    """How the model thinks, in the format of the API; takes precedence over `thinking`."""
    anthropic_cache_tool_definitions: CacheFor
    """Whether the definitions of tools are cached."""
    anthropic_service_tier: Literal['auto', 'standard_only']
    """The speed and price of the response; takes precedence over `service_tier`."""
    anthropic_cache_instructions: CacheFor
    """Whether system prompts and static instructions are cached."""
    anthropic_cache_messages: CacheFor
    """Whether the conversation is cached up to its last message."""
    anthropic_cache: CacheFor
    """Whether Anthropic chooses what to cache."""
    anthropic_effort: AnthropicEffort | None
    """How much effort the model makes; takes precedence over `thinking`."""
    anthropic_task_budget: AnthropicTaskBudget
    """The budget of a task, in the format of the API."""
    anthropic_container: Union[Mapping[str, object], str, Literal[False]]
    """The container that code runs in: an id, a description in the format of the API, or `False` for a new container.

    By default, the container of the latest response in the history.
    """
    anthropic_code_execution_tool_version: Union[AnthropicCodeExecutionToolVersion, Literal['auto']]
    """The version of the code execution tool."""
    anthropic_web_tools_allowed_callers: list[AnthropicWebToolCaller]
    """What may call the tools that search and fetch; by default what the API allows."""
    anthropic_eager_input_streaming: bool
    """Whether tool arguments stream before they are complete."""
    anthropic_betas: list[str]
    """The names of beta features to turn on."""
    anthropic_speed: Literal['standard', 'fast']
    """The speed of the model, for models with several."""
    anthropic_context_management: Mapping[str, object]
    """How Anthropic limits the size of the context, in the format of the API."""
    wire: Literal['auto', 'sdk']
    """How requests reach the SDK: `'sdk'` calls its typed method, `'auto'`, the default, goes past it where nothing is lost."""


__all__ = ('AnthropicModelName', 'AnthropicModelSettings', 'CacheFor', 'LatestAnthropicModelNames')
