"""`ModelSettings`: the settings of model requests, and how layers of them are merged."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, Union, cast, get_args

from typing_extensions import TypeAlias, TypedDict

from ._kit.records import DataRecord
from .exceptions import UserError

ThinkingEffort: TypeAlias = Literal['minimal', 'low', 'medium', 'high', 'xhigh']
"""The effort of thinking."""
ThinkingLevel: TypeAlias = Union[bool, ThinkingEffort]
"""Whether a model thinks, or with how much effort."""
ToolChoiceScalar: TypeAlias = Literal['none', 'required', 'auto']
"""Whether a model may, must, or must not call tools."""
ServiceTier: TypeAlias = Literal['auto', 'default', 'flex', 'priority']
"""The tier of service, which determines speed and price."""
CacheRetention: TypeAlias = Literal['5m', '30m', '1h', '12h']
"""How long a provider keeps a cached prompt; the longest that the model has, of those that are no longer, is taken."""
FramingAnnouncement: TypeAlias = Literal['always', 'when_needed', 'never']
"""When the instructions of a request explain the frames around data in it."""


class CacheConfig(TypedDict, total=False):
    """How a provider caches the prompt."""

    retention: Union[bool, CacheRetention]
    """How long it is kept; `True`, the default, leaves that to the provider."""
    messages: bool
    """Whether the conversation is cached, in addition to tools and instructions; by default it is."""


CacheSetting: TypeAlias = Union[bool, CacheRetention, CacheConfig]
"""Whether the prompt is cached, for how long, or what of it."""


@dataclass(repr=False, eq=False)
class ToolOrOutput(DataRecord):
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
    """The time limit of the request in seconds, or an `httpx.Timeout`; the vendor's SDK decides what it applies to."""
    request_timeout: float
    """The most seconds for a request and its whole response, retries of the SDK and pauses of a reader included."""
    first_event_timeout: float
    """The most seconds until a streamed response begins."""
    max_retries: int
    """How often the vendor's SDK sends a failed request again; SDKs that cannot be told ignore it."""
    cache: CacheSetting
    """Whether the provider caches the prompt: tools, instructions and conversation.

    Models without such a choice ignore it; some of them always cache. A vendor's own settings for its cache take precedence.
    """
    citations: bool
    """Whether answers cite the documents and pages that they rely on, for models that can."""
    framing_announcement: FramingAnnouncement
    """When the instructions explain the frames around data."""
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


def cache_choice(setting: object) -> tuple[bool | CacheRetention, bool]:
    """Return how long a prompt is cached, with `True` for the default and `False` for no cache, and whether messages are.

    Args:
        setting: The setting `cache`.

    Raises:
        UserError: It is none of the values of `CacheSetting`.
    """
    messages = True
    if isinstance(setting, dict):
        config = cast('dict[str, object]', setting)
        if unknown := sorted(config.keys() - CacheConfig.__annotations__):
            raise UserError(f'The setting `cache` has no option {unknown[0]!r}. It has `messages` and `retention`.')
        messages, setting = bool(config.get('messages', True)), config.get('retention', True)
    if setting is None:
        return False, messages
    retentions = get_args(CacheRetention)
    if not isinstance(setting, bool) and setting not in retentions:
        raise UserError(f'The setting `cache` is a bool, or how long to cache: one of {retentions}, not {setting!r}.')
    return cast('bool | CacheRetention', setting), messages


def fitting_retention(wanted: bool | CacheRetention, known: Sequence[CacheRetention]) -> bool | CacheRetention:
    """Return the longest retention of a provider that is no longer than the one that is wanted; `True` leaves it to it."""
    if isinstance(wanted, bool):
        return wanted
    in_order = get_args(CacheRetention)
    fitting: list[CacheRetention] = [one for one in known if in_order.index(one) <= in_order.index(wanted)]
    return fitting[-1] if fitting else True


def duration_of(retention: CacheRetention) -> timedelta:
    """Return how long a retention is."""
    return timedelta(**{'hours' if retention[-1] == 'h' else 'minutes': int(retention[:-1])})


__all__ = (
    'CacheConfig',
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
