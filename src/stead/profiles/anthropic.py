"""Profiles of Anthropic's models."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from typing_extensions import TypeAlias

from .._kit.keywords import renamed
from ..native_tools import (
    AbstractNativeTool,
    AdvisorTool,
    CodeExecutionTool,
    MCPServerTool,
    MemoryTool,
    ToolSearchTool,
    WebFetchTool,
    WebSearchTool,
)
from ..settings import CacheRetention, ThinkingLevel
from . import ModelProfile

AnthropicCodeExecutionToolVersion: TypeAlias = Literal['20250825', '20260120']
"""A version of the code execution tool."""
AnthropicEffort: TypeAlias = Literal['low', 'medium', 'high', 'xhigh', 'max']
"""The effort of a model."""

ANTHROPIC_THINKING_BUDGET_MAP: dict[ThinkingLevel, int] = {
    True: 10000,
    'minimal': 1024,
    'low': 2048,
    'medium': 10000,
    'high': 16384,
    'xhigh': 32768,
}
"""The thinking budget, in tokens, for each level of the setting `thinking`."""
ANTHROPIC_THINKING_EFFORT_MAP: dict[ThinkingLevel, AnthropicEffort] = {
    'minimal': 'low',
    'low': 'low',
    'medium': 'medium',
    'high': 'high',
    'xhigh': 'max',
}
"""The effort for each level of the setting `thinking`."""

_NATIVE_TOOLS: frozenset[type[AbstractNativeTool]] = frozenset(
    {AdvisorTool, CodeExecutionTool, MCPServerTool, MemoryTool, WebFetchTool, WebSearchTool}
)


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(kw_only=True)
class AnthropicModelProfile(ModelProfile):
    """The capabilities of an Anthropic model."""

    supports_cache: bool = True
    """Whether requests decide what of a prompt is cached."""
    supported_cache_retentions: tuple[CacheRetention, ...] = ('5m', '1h')
    """How long a prompt can be cached."""
    default_cache_retention: timedelta | None = timedelta(minutes=5)
    """How long a prompt is cached if nothing else is asked for."""
    anthropic_supports_fast_speed: bool = False
    """Whether it supports the fast speed."""
    anthropic_supports_adaptive_thinking: bool = False
    """Whether it can decide how long to think."""
    anthropic_supports_effort: bool = False
    """Whether its effort can be set."""
    anthropic_supports_xhigh_effort: bool = False
    """Whether it supports the effort `xhigh`."""
    anthropic_disallows_budget_thinking: bool = False
    """Whether it rejects thinking budgets."""
    anthropic_disallows_sampling_settings: bool = False
    """Whether it rejects sampling settings."""
    anthropic_default_code_execution_tool_version: AnthropicCodeExecutionToolVersion = '20250825'
    """The default version of the code execution tool."""
    anthropic_supported_code_execution_tool_versions: tuple[AnthropicCodeExecutionToolVersion, ...] = ('20250825',)
    """The supported versions of the code execution tool."""
    anthropic_supports_task_budgets: bool = False
    """Whether it accepts task budgets."""
    anthropic_supports_forced_tool_choice: bool = True
    """Whether it can be forced to call a tool."""


def resolve_anthropic_effort(level: ThinkingLevel | None, *, supports_xhigh: bool) -> AnthropicEffort | None:
    """Return the effort for a level of the setting `thinking`; `None` leaves it to the model.

    Args:
        level: The level.
        supports_xhigh: Whether the model supports the effort `xhigh`.
    """
    if level == 'xhigh' and supports_xhigh:
        return 'xhigh'
    return None if level is None or isinstance(level, bool) else ANTHROPIC_THINKING_EFFORT_MAP.get(level)


# Capabilities depend on family and version. Unknown families have those that all models share.
_NAME = re.compile(r'claude-(opus|sonnet|haiku|mythos|fable)-(\d+)(?:-(\d{1,2}))?(?!\d)')


def _between(low: tuple[int, int], version: tuple[int, int], high: tuple[int, int]) -> bool:
    return low <= version < high


def anthropic_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of an Anthropic model by its name."""
    match = _NAME.search(model_name)
    family = match.group(1) if match else ''
    version: tuple[int, int] = (int(match.group(2)), int(match.group(3) or 0)) if match else (0, 0)
    newest = family in ('mythos', 'fable') and version == (5, 0)
    recent = newest or (family in ('opus', 'sonnet', 'haiku') and _between((4, 5), version, (5, 0)))
    strict = recent or (family == 'opus' and version == (4, 1))
    adaptive = newest or (family in ('opus', 'sonnet') and _between((4, 6), version, (5, 0)))
    late_opus = newest or (family == 'opus' and _between((4, 7), version, (5, 0)))
    new_code = recent and family != 'haiku'
    return AnthropicModelProfile(
        thinking_tags=('<thinking>', '</thinking>'),
        supports_thinking=True,
        supports_json_schema_output=strict,
        supported_native_tools=_NATIVE_TOOLS | {ToolSearchTool} if recent else _NATIVE_TOOLS,
        anthropic_supports_fast_speed=family == 'opus' and _between((4, 6), version, (5, 0)),
        anthropic_supports_adaptive_thinking=adaptive,
        anthropic_supports_effort=adaptive or (family == 'opus' and version == (4, 5)),
        anthropic_supports_xhigh_effort=late_opus,
        anthropic_disallows_budget_thinking=late_opus,
        anthropic_disallows_sampling_settings=late_opus,
        anthropic_supports_task_budgets=late_opus,
        anthropic_default_code_execution_tool_version='20260120' if new_code else '20250825',
        anthropic_supported_code_execution_tool_versions=('20250825', '20260120') if new_code else ('20250825',),
        anthropic_supports_forced_tool_choice=not (newest or 'claude-mythos' in model_name),
    )


__all__ = (
    'ANTHROPIC_THINKING_BUDGET_MAP',
    'ANTHROPIC_THINKING_EFFORT_MAP',
    'AnthropicCodeExecutionToolVersion',
    'AnthropicEffort',
    'AnthropicModelProfile',
    'anthropic_model_profile',
    'resolve_anthropic_effort',
)
