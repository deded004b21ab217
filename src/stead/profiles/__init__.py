"""Profiles: what families of models can do, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from textwrap import dedent
from typing import Any, Literal, Union

from typing_extensions import Self, TypeAlias

from .._kit.json_schema import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer
from ..native_tools import SUPPORTED_NATIVE_TOOLS, AbstractNativeTool

StructuredOutputMode: TypeAlias = Literal['tool', 'native', 'prompted']
"""A way to ask a model for structured output."""

_PROMPTED_OUTPUT = dedent(
    """
    Always respond with a JSON object that's compatible with this schema:

    {schema}

    Don't include any text or Markdown fencing before or after.
    """
)


@dataclass(kw_only=True)
class ModelProfile:
    """What a model can do, and how it wants to be asked."""

    supports_tools: bool = True
    """Whether it can call tools."""
    supports_tool_return_schema: bool = False
    """Whether it takes the schemas of what tools return."""
    supports_json_schema_output: bool = False
    """Whether it can be held to a JSON schema."""
    supports_json_object_output: bool = False
    """Whether it can be held to JSON objects."""
    supports_image_output: bool = False
    """Whether it can answer with images."""
    supports_inline_system_prompts: bool = False
    """Whether it takes system prompts in the middle of a conversation."""
    default_structured_output_mode: StructuredOutputMode = 'tool'
    """How it is asked for structured output unless told otherwise."""
    prompted_output_template: str = _PROMPTED_OUTPUT
    """The prompt for structured output; `{schema}` is replaced by the schema."""
    native_output_requires_schema_in_instructions: bool = False
    """Whether the schema goes into the instructions even if the model is held to it."""
    json_schema_transformer: type[JsonSchemaTransformer] | None = None
    """Rewrites the schemas of tools and output."""
    supports_thinking: bool = False
    """Whether it can think."""
    thinking_always_enabled: bool = False
    """Whether it cannot do otherwise."""
    thinking_tags: tuple[str, str] = ('<think>', '</think>')
    """The tags that set thinking apart in text."""
    ignore_streamed_leading_whitespace: bool = False
    """Whether white space at the start of a streamed response is dropped."""
    supported_native_tools: frozenset[type[AbstractNativeTool]] = field(default_factory=lambda: SUPPORTED_NATIVE_TOOLS)
    """The native tools that it has."""

    @classmethod
    def from_profile(cls, profile: ModelProfile | None) -> Self:
        """Return a profile of this class with what another one says."""
        if isinstance(profile, cls):
            return profile
        return cls().update(profile)

    def update(self, profile: ModelProfile | None) -> Self:
        """Return this profile with what another one says that is no default."""
        if profile is None:
            return self
        mine = {item.name for item in fields(self)}
        changes: dict[str, Any] = {}
        for item in fields(profile):
            value = getattr(profile, item.name)
            if item.name in mine and not _is_default(item, value):
                changes[item.name] = value
        return replace(self, **changes)


def _is_default(item: Any, value: Any) -> bool:
    from dataclasses import MISSING

    default = item.default if item.default is not MISSING else item.default_factory()
    return value == default


ModelProfileSpec: TypeAlias = Union[ModelProfile, Callable[[str], Union[ModelProfile, None]]]
"""A profile, or a function that has one for the name of a model."""

DEFAULT_PROFILE = ModelProfile()
"""The profile of a model that nothing is known about."""

__all__ = (
    'DEFAULT_PROFILE',
    'InlineDefsJsonSchemaTransformer',
    'JsonSchemaTransformer',
    'ModelProfile',
    'ModelProfileSpec',
    'StructuredOutputMode',
)
