"""Profiles: the capabilities of families of models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from typing import Any, Literal, Union

from typing_extensions import Self, TypeAlias

from .._kit.ids import now_utc
from .._kit.json_schema import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer
from .._kit.keywords import renamed
from .._kit.lazy import import_module, lazy_modules
from .._kit.records import DataRecord
from ..messages import ModelMessage, ModelResponse
from ..native_tools import SUPPORTED_NATIVE_TOOLS, AbstractNativeTool
from ..settings import CacheRetention

StructuredOutputMode: TypeAlias = Literal['tool', 'native', 'prompted']
"""A mode of structured output."""
ToolAdditionMode: TypeAlias = Literal['by_reference', 'with_definitions']
"""How messages add tools to a conversation: by the names of tools that the API has already, or with their definitions."""
ToolDeferralMode: TypeAlias = Literal['standalone', 'with_tool_search']
"""Whether the API takes tools that the model does not see yet: in every request, or only beside its own tool search."""

PromptCacheOutlook: TypeAlias = Literal['warm', 'cold', 'unknown']
"""Whether a provider probably still has the prompt of a conversation in its cache."""

DEFAULT_THINKING_TAGS = ('<think>', '</think>')
"""The tags around thinking in text, where a model has no others."""
DEFAULT_PROMPTED_OUTPUT_TEMPLATE = """
Always respond with a JSON object that's compatible with this schema:

{schema}

Don't include any text or Markdown fencing before or after.
"""
"""The prompt for structured output, where a model has no other."""


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(repr=False, eq=False, kw_only=True)
class ModelProfile(DataRecord):
    """The capabilities of a model, and the format of its requests."""

    supports_tools: bool = True
    """Whether it can call tools."""
    supports_tool_return_schema: bool = False
    """Whether it accepts return schemas of tools."""
    supports_json_schema_output: bool = False
    """Whether its output can be constrained to a JSON schema."""
    supports_json_object_output: bool = False
    """Whether its output can be constrained to JSON objects."""
    supports_image_output: bool = False
    """Whether it can output images."""
    supports_inline_system_prompts: bool = False
    """Whether it accepts system prompts in the middle of a conversation."""
    default_structured_output_mode: StructuredOutputMode = 'tool'
    """The default mode of structured output."""
    prompted_output_template: str = DEFAULT_PROMPTED_OUTPUT_TEMPLATE
    """The prompt for structured output; `{schema}` is replaced by the schema."""
    native_output_requires_schema_in_instructions: bool = False
    """Whether the instructions include the schema even if the output is constrained to it."""
    json_schema_transformer: type[JsonSchemaTransformer] | None = None
    """The transformer of the schemas of tools and output."""
    supports_thinking: bool = False
    """Whether it supports thinking."""
    thinking_always_enabled: bool = False
    """Whether thinking cannot be disabled."""
    thinking_tags: tuple[str, str] = DEFAULT_THINKING_TAGS
    """The tags around thinking in text."""
    ignore_streamed_leading_whitespace: bool = False
    """Whether whitespace at the start of a streamed response is ignored."""
    supports_cache: bool = False
    """Whether requests decide what of a prompt is cached; see the setting `cache`."""
    supported_cache_retentions: tuple[CacheRetention, ...] = ()
    """How long a prompt can be cached, from short to long; empty if that cannot be chosen."""
    default_cache_retention: timedelta | None = None
    """How long a prompt is cached if nothing else is asked for; `None` if that is not known."""
    supported_native_tools: frozenset[type[AbstractNativeTool]] = field(default_factory=lambda: SUPPORTED_NATIVE_TOOLS)
    """The native tools that it supports."""

    @classmethod
    def from_profile(cls, profile: ModelProfile | None) -> Self:
        """Return a profile of this class, updated with another one."""
        if isinstance(profile, cls):
            return profile
        return cls().update(profile)

    # 2.x has dicts instead, so a profile can be read as one.

    def __getitem__(self, name: str) -> object:
        if name not in self:
            raise KeyError(name)
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return any(item.name == name for item in fields(self))

    def __iter__(self) -> Iterator[str]:
        return (item.name for item in fields(self))

    def get(self, name: str, default: object = None) -> object:
        """Return a value by name, or the default if the profile has none of that name."""
        return getattr(self, name) if name in self else default

    def keys(self) -> list[str]:
        """Return the names of the values."""
        return [*self]

    def items(self) -> list[tuple[str, object]]:
        """Return the names of the values with the values."""
        return [(name, getattr(self, name)) for name in self]

    def update(self, profile: ModelProfile | None) -> Self:
        """Return this profile with the values of another one that are not defaults."""
        if profile is None:
            return self
        own_names = {item.name for item in fields(self)}
        changes: dict[str, Any] = {}
        for item in fields(profile):
            value = getattr(profile, item.name)
            if item.name in own_names and not _is_default(item, value):
                changes[item.name] = value
        return replace(self, **changes)


def merge_profile(base: AnyProfile | None, *overrides: AnyProfile | None) -> ModelProfile | dict[str, object]:
    """Return a profile with the values of others over it: a `ModelProfile` if one of them is, otherwise a dict.

    Args:
        base: The profile.
        overrides: What is known better: of a dict all values, of a `ModelProfile` those that are not defaults. Names that no
            profile of stead has are left out of a `ModelProfile`.
    """
    merged: Any = base if isinstance(base, ModelProfile) else {**(base or {})}
    for override in overrides:
        if isinstance(override, ModelProfile):
            if not isinstance(merged, ModelProfile):
                merged = _with_values(ModelProfile(), merged)
            merged = type(override).from_profile(merged).update(override)
        elif override:
            merged = _with_values(merged, override) if isinstance(merged, ModelProfile) else {**merged, **override}
    return merged


def _with_values(profile: ModelProfile, values: Mapping[str, object]) -> ModelProfile:
    """Return a profile with some values; if one is a vendor's, it becomes a profile of that vendor."""
    vendors = {vendor for name in values if name not in profile and (vendor := name.partition('_')[0]) in _VENDORS}
    for vendor in sorted(vendors):
        profile = getattr(import_module(f'.{vendor}', __name__), _VENDORS[vendor]).from_profile(profile)
    known: dict[str, Any] = {name: value for name, value in values.items() if name in profile}
    return replace(profile, **known)


_VENDORS = {
    'anthropic': 'AnthropicModelProfile',
    'google': 'GoogleModelProfile',
    'grok': 'GrokModelProfile',
    'groq': 'GroqModelProfile',
    'openai': 'OpenAIModelProfile',
}
"""The profiles with values of a vendor, by the module, which is also the beginning of the names of these values."""


def _is_default(item: Any, value: object) -> bool:
    from dataclasses import MISSING

    default = item.default if item.default is not MISSING else item.default_factory()
    return value == default


def prompt_cache_outlook(
    messages: Sequence[ModelMessage],
    *,
    profile: AnyProfile | None = None,
    retention: timedelta | None = None,
    now: datetime | None = None,
) -> PromptCacheOutlook:
    """Return whether a provider probably still has the prompt of a conversation in its cache.

    Programs that may shorten a history do it best when its cache is cold.

    Args:
        messages: The conversation. Its cache is as old as its last response.
        profile: That of the model, whose `default_cache_retention` says how long a prompt is kept.
        retention: How long it is kept, if that was chosen.
        now: The time to ask about; by default it is now.
    """
    kept = retention if retention is not None else (profile or {}).get('default_cache_retention')
    last = next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)
    if last is None or not isinstance(kept, timedelta):
        return 'unknown'
    return 'warm' if (now or now_utc()) - last.timestamp <= kept else 'cold'


AnyProfile: TypeAlias = Union[ModelProfile, Mapping[str, object]]
"""A profile, or some values for one, as in 2.x."""
ModelProfileSpec: TypeAlias = Union[AnyProfile, Callable[[str], Union[AnyProfile, None]]]
"""A profile or some values for one, or a function that returns these for the name of a model."""

DEFAULT_PROFILE = ModelProfile()
"""The profile of an unknown model."""

__all__ = (
    'DEFAULT_PROFILE',
    'DEFAULT_PROMPTED_OUTPUT_TEMPLATE',
    'DEFAULT_THINKING_TAGS',
    'InlineDefsJsonSchemaTransformer',
    'JsonSchemaTransformer',
    'ModelProfile',
    'ModelProfileSpec',
    'PromptCacheOutlook',
    'StructuredOutputMode',
    'ToolAdditionMode',
    'ToolDeferralMode',
    'merge_profile',
    'prompt_cache_outlook',
)

lazy_modules(__name__)
