"""Profiles of Google's models, and their JSON schemas."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from .._kit.json_schema import JsonSchema, JsonSchemaTransformer
from .._kit.keywords import renamed
from ..exceptions import PydanticAIDeprecationWarning
from . import ModelProfile

_TOOL_RETURN_TYPES = ('image/png', 'image/jpeg', 'image/webp', 'application/pdf', 'text/plain')


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(kw_only=True)
class GoogleModelProfile(ModelProfile):
    """The capabilities of a Google model."""

    google_supports_tool_combination: bool = False
    """Whether function tools and native tools can be combined."""
    google_supports_server_side_tool_invocations: bool = False
    """Whether it reports invocations of native tools."""
    google_supports_native_output_with_builtin_tools: bool | None = None
    """The old name of `google_supports_tool_combination`."""
    google_supported_mime_types_in_tool_returns: tuple[str, ...] = ()
    """The media types that tools may return as files."""
    google_supports_thinking_level: bool = False
    """Whether it takes a level of thinking rather than a budget."""

    def __post_init__(self) -> None:
        old, self.google_supports_native_output_with_builtin_tools = (
            self.google_supports_native_output_with_builtin_tools,
            None,
        )
        if old is not None:
            warnings.warn(
                '`google_supports_native_output_with_builtin_tools` is going away: '
                'write `google_supports_tool_combination`.',
                PydanticAIDeprecationWarning,
                stacklevel=3,
            )
            self.google_supports_tool_combination = self.google_supports_tool_combination or old


def google_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a Google model by its name."""
    image = 'image' in model_name
    third = 'gemini-3' in model_name
    thinking = third or 'gemini-2.5' in model_name
    return GoogleModelProfile(
        json_schema_transformer=GoogleJsonSchemaTransformer,
        supports_image_output=image,
        supports_json_schema_output=third or not image,
        supports_json_object_output=third or not image,
        supports_tools=not image,
        supports_tool_return_schema=not image,
        supports_thinking=thinking,
        thinking_always_enabled=thinking and 'pro' in model_name,
        google_supports_tool_combination=third,
        google_supports_server_side_tool_invocations=third,
        google_supported_mime_types_in_tool_returns=_TOOL_RETURN_TYPES if third else (),
        google_supports_thinking_level=third,
    )


_TYPES: dict[type, str] = {str: 'string', bool: 'boolean', int: 'integer', float: 'number'}


@dataclass(init=False)
class GoogleJsonSchemaTransformer(JsonSchemaTransformer):
    """A transformer of schemas for Google, which supports a subset of JSON Schema."""

    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return a transformed schema."""
        for name in ('$schema', 'discriminator', 'examples', 'title', 'exclusiveMinimum', 'exclusiveMaximum'):
            schema.pop(name, None)
        if (value := schema.pop('const', None)) is not None:
            schema['enum'] = [value]
            if 'type' not in schema and type(value) in _TYPES:
                schema['type'] = _TYPES[type(value)]
        if schema.get('type') == 'string' and (form := schema.pop('format', None)):
            description = schema.get('description')
            schema['description'] = f'{description} (format: {form})' if description else f'Format: {form}'
        return schema


__all__ = ('GoogleJsonSchemaTransformer', 'GoogleModelProfile', 'google_model_profile')
