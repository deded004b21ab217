"""`ModelSettings`: the settings of model requests, and how layers of them are merged."""

from dataclasses import dataclass
from typing import Any, Literal, Union

from typing_extensions import TypeAlias, TypedDict

ThinkingEffort: TypeAlias = Literal['minimal', 'low', 'medium', 'high', 'xhigh']
"""The effort of thinking."""
ThinkingLevel: TypeAlias = Union[bool, ThinkingEffort]
"""Whether a model thinks, or with how much effort."""
ToolChoiceScalar: TypeAlias = Literal['none', 'required', 'auto']
"""Whether a model may, must, or must not call tools."""
ServiceTier: TypeAlias = Literal['auto', 'default', 'flex', 'priority']
"""The tier of service, which determines speed and price."""


@dataclass
class ToolOrOutput:
    """A tool choice: some function tools, or the output."""

    function_tools: list[str]
    """Names of the function tools."""


ToolChoice: TypeAlias = Union[ToolChoiceScalar, list[str], ToolOrOutput, None]
"""Which tools a model may or must call."""


class ModelSettings(TypedDict, total=False):
    """Settings of a model request. Models ignore unknown settings."""

    max_tokens: int
    """The maximum number of tokens to generate."""
    temperature: float
    """The randomness of the response; 0 is the least."""
    top_p: float
    """The cumulative probability of the tokens to choose from."""
    top_k: int
    """The number of most probable tokens to choose from."""
    timeout: Any
    """The time limit of the request in seconds, or an `httpx.Timeout`."""
    parallel_tool_calls: bool
    """Whether the model may call several tools at once."""
    tool_choice: ToolChoice
    """Which tools the model may or must call."""
    seed: int
    """Makes responses reproducible, if the provider supports it."""
    presence_penalty: float
    """Makes tokens that have been used less likely."""
    frequency_penalty: float
    """Makes tokens less likely in proportion to how often they have been used."""
    logit_bias: dict[str, int]
    """Makes tokens more or less likely, by their ids."""
    stop_sequences: list[str]
    """Strings at which the model stops."""
    extra_headers: dict[str, str]
    """Additional HTTP headers."""
    extra_body: object
    """Additional fields in the body of the request."""
    thinking: ThinkingLevel
    """Whether the model thinks, or with how much effort."""
    service_tier: ServiceTier
    """The tier of service, which determines speed and price."""


NOT_KEPT = frozenset({'extra_headers'})
"""Settings that are neither recorded nor shown: they often hold secrets, or values for a single process."""


def merge_model_settings(base: ModelSettings | None, overrides: ModelSettings | None) -> ModelSettings | None:
    """Merge two layers of settings; neither argument is changed.

    Args:
        base: The lower layer.
        overrides: The upper layer, whose values replace those of the lower one.
    """
    if base and overrides:
        return {**base, **overrides}  # type: ignore[return-value]
    return base or overrides


class RecordedModelSettings(TypedDict, total=False):
    """Those settings whose changes are recorded in the history."""

    thinking: Union[str, None]
    """How much the model thinks, as a word; `None` if it is left to the model."""


__all__ = (
    'ModelSettings',
    'RecordedModelSettings',
    'ServiceTier',
    'ThinkingEffort',
    'ThinkingLevel',
    'ToolChoice',
    'ToolChoiceScalar',
    'ToolOrOutput',
    'merge_model_settings',
)
