"""Profiles of xAI's models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from typing_extensions import TypeAlias

from .._kit.keywords import renamed
from ..native_tools import SUPPORTED_NATIVE_TOOLS
from . import ModelProfile

GrokReasoningEffort: TypeAlias = Literal['none', 'low', 'medium', 'high']
"""The reasoning effort of a model."""

_ALL: frozenset[GrokReasoningEffort] = frozenset({'none', 'low', 'medium', 'high'})
_MINI: frozenset[GrokReasoningEffort] = frozenset({'low', 'high'})
# The names of models that accept all efforts follow no pattern.
_WITH_ALL_EFFORTS = frozenset(
    {
        'grok-latest',
        'grok-3',
        'grok-4-0709',
        'grok-4-fast-reasoning',
        'grok-4-fast-non-reasoning',
        'grok-4-1-fast-reasoning',
        'grok-4-1-fast-non-reasoning',
        'grok-4.3',
        'grok-4.3-latest',
    }
)


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(kw_only=True)
class GrokModelProfile(ModelProfile):
    """The capabilities of an xAI model."""

    grok_supports_builtin_tools: bool = False
    """Whether it supports native tools."""
    grok_supports_tool_choice_required: bool = True
    """Whether it can be forced to call a tool."""
    grok_reasoning_efforts: frozenset[GrokReasoningEffort] = frozenset()
    """The reasoning efforts that it accepts."""


def grok_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of an xAI model by its name."""
    mini = model_name.startswith('grok-3-mini')
    tools = model_name in ('grok-3', 'grok-latest') or model_name.startswith(('grok-4', 'grok-code', 'grok-build'))
    full = model_name in _WITH_ALL_EFFORTS
    return GrokModelProfile(
        supports_json_schema_output=True,
        supports_json_object_output=True,
        supports_thinking=mini or full,
        thinking_always_enabled=mini,
        supported_native_tools=SUPPORTED_NATIVE_TOOLS if tools else frozenset(),
        grok_supports_builtin_tools=tools,
        grok_reasoning_efforts=_MINI if mini else _ALL if full else frozenset(),
    )


__all__ = ('GrokModelProfile', 'GrokReasoningEffort', 'grok_model_profile')
