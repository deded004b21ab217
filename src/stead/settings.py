"""`ModelSettings`: what can be asked of a model besides the messages, and how layers of it are merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

from typing_extensions import TypeAlias, TypedDict

ThinkingEffort: TypeAlias = Literal['minimal', 'low', 'medium', 'high', 'xhigh']
"""How hard a model thinks."""
ThinkingLevel: TypeAlias = Union[bool, ThinkingEffort]
"""Whether a model thinks, or how hard."""
ToolChoiceScalar: TypeAlias = Literal['none', 'required', 'auto']
"""Whether a model may, must, or must not call a tool."""
ServiceTier: TypeAlias = Literal['auto', 'default', 'flex', 'priority']
"""How fast, and at what price, the provider answers."""


@dataclass
class ToolOrOutput:
    """A tool choice: some function tools, or the output."""

    function_tools: list[str]
    """Names of the function tools."""


ToolChoice: TypeAlias = Union[ToolChoiceScalar, list[str], ToolOrOutput, None]
"""Which tools a model may or must call."""


class ModelSettings(TypedDict, total=False):
    """Settings of a model request. Models ignore the settings they do not know."""

    max_tokens: int
    """The most tokens to generate."""
    temperature: float
    """How random the answer is; 0 is as little as can be."""
    top_p: float
    """The share of probable tokens to choose from."""
    top_k: int
    """The number of probable tokens to choose from."""
    timeout: Any
    """Seconds the request may take, or an `httpx.Timeout`."""
    parallel_tool_calls: bool
    """Whether the model may call several tools at once."""
    tool_choice: ToolChoice
    """Which tools the model may or must call."""
    seed: int
    """Makes answers repeatable, where the provider can do that."""
    presence_penalty: float
    """Makes tokens that were used at all less likely."""
    frequency_penalty: float
    """Makes tokens less likely the more often they were used."""
    logit_bias: dict[str, int]
    """Makes tokens more or less likely."""
    stop_sequences: list[str]
    """Text at which the model stops."""
    extra_headers: dict[str, str]
    """HTTP headers to send along."""
    extra_body: object
    """Fields to add to the body of the request."""
    thinking: ThinkingLevel
    """Whether the model thinks, or how hard."""
    service_tier: ServiceTier
    """How fast, and at what price, the provider answers."""


def merge_model_settings(base: ModelSettings | None, overrides: ModelSettings | None) -> ModelSettings | None:
    """Return settings with others over them; neither argument is changed.

    Args:
        base: The lower layer.
        overrides: The upper layer; it replaces whole values.
    """
    if base and overrides:
        return {**base, **overrides}  # type: ignore[return-value]
    return base or overrides


__all__ = (
    'ModelSettings',
    'ServiceTier',
    'ThinkingEffort',
    'ThinkingLevel',
    'ToolChoice',
    'ToolChoiceScalar',
    'ToolOrOutput',
    'merge_model_settings',
)
