"""Profiles of OpenAI's models, and their JSON schemas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypeAlias

from .._kit.json_schema import JsonSchema, JsonSchemaTransformer
from .._kit.keywords import renamed
from ..exceptions import UserError
from ..native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    ToolSearchTool,
    WebSearchTool,
)
from . import AnyProfile, ModelProfile

OpenAISystemPromptRole: TypeAlias = Literal['system', 'developer', 'user']
"""The role that system prompts are sent with."""

OPENAI_REASONING_EFFORT_MAP: dict[Any, str] = {
    True: 'medium',
    False: 'none',
    'minimal': 'minimal',
    'low': 'low',
    'medium': 'medium',
    'high': 'high',
    'xhigh': 'xhigh',
}
"""The reasoning effort for each level of the setting `thinking`."""

SAMPLING_PARAMS: tuple[str, ...] = (
    'temperature',
    'top_p',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'openai_logprobs',
    'openai_top_logprobs',
)
"""Settings that models reject while they reason."""

_NATIVE_TOOLS: frozenset[type[AbstractNativeTool]] = frozenset(
    {CodeExecutionTool, FileSearchTool, ImageGenerationTool, MCPServerTool, WebSearchTool}
)


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(kw_only=True)
class OpenAIModelProfile(ModelProfile):
    """The capabilities of a model behind an API of OpenAI, or of a provider that is compatible with it."""

    supports_inline_system_prompts: bool = True
    """Whether it accepts system prompts in the middle of a conversation."""
    openai_chat_thinking_field: str | None = None
    """The field of chat messages with the thinking, in addition to `reasoning` and `reasoning_content`."""
    openai_chat_send_back_thinking_parts: Literal['auto', 'tags', 'field', False] = 'auto'
    """How thinking is sent back: in the field it was received in, in tags in the text, in the field, or not at all."""
    openai_supports_strict_tool_definition: bool = True
    """Whether it accepts strict tool definitions."""
    openai_supports_sampling_settings: bool = True
    """Has no effect, kept for compatibility; see `openai_supports_reasoning`."""
    openai_unsupported_model_settings: tuple[str, ...] = ()
    """Settings that are not sent."""
    openai_supports_tool_choice_required: bool = True
    """Whether it can be forced to call a tool."""
    openai_system_prompt_role: OpenAISystemPromptRole | None = None
    """The role that system prompts are sent with, if not `system`."""
    openai_chat_supports_multiple_system_messages: bool = True
    """Whether it accepts several system messages; otherwise those at the start are merged."""
    openai_chat_supports_web_search: bool = False
    """Whether it supports web search in chat completions."""
    openai_chat_audio_input_encoding: Literal['base64', 'uri'] = 'base64'
    """The encoding of audio."""
    openai_chat_supports_file_urls: bool = False
    """Whether it accepts links to documents; otherwise they are downloaded."""
    openai_supports_encrypted_reasoning_content: bool = False
    """Whether it returns its reasoning encrypted, to be sent back."""
    openai_supports_reasoning: bool = False
    """Whether it reasons."""
    openai_supports_reasoning_effort_none: bool = False
    """Whether its reasoning can be disabled, which is also the default."""
    openai_responses_requires_function_call_status_none: bool = False
    """Whether function calls sent back must not have a status."""
    openai_supports_phase: bool = False
    """Whether its text parts have a phase."""
    openai_chat_supports_document_input: bool = True
    """Whether it accepts documents in chat completions."""


def openai_model_profile(model_name: str) -> ModelProfile:
    """Return the profile of an OpenAI model by its name."""
    if model_name.startswith('gpt-5'):
        gpt5 = re.match(r'gpt-5\.(\d+)', model_name)
        minor = int(gpt5.group(1)) if gpt5 else 0
    else:
        minor = None
    chat = '-chat' in model_name and minor in (0, 3)
    known_minor = minor is not None and minor <= 5
    optional = minor is not None and known_minor and minor >= 1 and not chat  # reasoning can be disabled
    reasoning = (minor is not None and not chat) or re.match(r'o\d', model_name) is not None
    reasoning = reasoning or model_name.startswith(('openai/gpt-5', 'openai/gpt-oss'))
    image = minor is not None or model_name.startswith(('gpt-4o', 'gpt-4.1', 'o3'))
    phase = optional and (minor in (4, 5) or model_name.startswith('gpt-5.3-codex'))
    tools = _NATIVE_TOOLS | {ToolSearchTool} if optional and minor is not None and minor >= 4 else _NATIVE_TOOLS
    return OpenAIModelProfile(
        json_schema_transformer=OpenAIJsonSchemaTransformer,
        supports_json_schema_output=True,
        supports_json_object_output=True,
        supports_image_output=image,
        supports_thinking=reasoning,
        thinking_always_enabled=reasoning and not optional,
        supported_native_tools=tools,
        openai_system_prompt_role='user' if model_name.startswith('o1-mini') else None,
        openai_chat_supports_web_search='-search-preview' in model_name,
        openai_supports_encrypted_reasoning_content=reasoning,
        openai_supports_reasoning=reasoning,
        openai_supports_reasoning_effort_none=optional,
        openai_supports_phase=phase,
    )


_NO_CONSTRAINT = frozenset({'description', 'default', 'examples', 'deprecated'})
# Keywords that strict mode does not support. They are moved to the description.
_NOT_STRICT = (
    'minLength',
    'maxLength',
    'patternProperties',
    'unevaluatedProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'unevaluatedItems',
    'contains',
    'minContains',
    'maxContains',
    'uniqueItems',
)
_STRICT_FORMATS = frozenset(
    {'date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'},
)
_LOOKAROUND = re.compile(r'\(\?<?[=!]')


@dataclass(init=False)
class OpenAIJsonSchemaTransformer(JsonSchemaTransformer):
    """A transformer of schemas for OpenAI, whose strict mode supports a subset of JSON Schema.

    With `strict`, the schema is made compatible. Without, `is_strict_compatible` tells whether it is.
    """

    is_strict_compatible: bool = True

    def __init__(self, schema: JsonSchema, *, strict: bool | None = None) -> None:
        super().__init__(schema, strict=strict)
        self.root_ref: Any = schema.get('$ref')

    def walk(self) -> JsonSchema:
        """Return the whole schema, transformed; a reference at its root is replaced by its definition."""
        result = super().walk()
        if self.root_ref is not None:
            result.pop('$ref', None)
            root = result.get('$defs', {}).get(self.root_ref.removeprefix('#/$defs/'), {})
            result.update({key: value for key, value in root.items() if key not in result})
        if result.keys() <= _NO_CONSTRAINT:  # the API demands an object
            result.update(type='object', properties={})
        return result

    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return a transformed schema."""
        for name in ('title', '$schema', 'discriminator'):
            schema.pop(name, None)
        if 'default' in schema:
            if self.strict:
                del schema['default']
            elif self.strict is None:
                self.is_strict_compatible = False
        if isinstance(ref := schema.get('$ref'), str):
            if ref == self.root_ref:
                schema['$ref'] = '#'
            if len(schema) > 1:  # a reference must stand alone
                schema['anyOf'] = [{'$ref': schema.pop('$ref')}]
        self._move_to_description(schema)
        if 'oneOf' in schema:
            if self.strict:
                schema['anyOf'] = schema.pop('oneOf')
            else:
                self.is_strict_compatible = False
        if schema.get('type') == 'object':
            self._close(schema)
        elif self.strict is None and schema.keys() <= _NO_CONSTRAINT:  # strict mode has no form for any value at all
            self.is_strict_compatible = False
        return schema

    def _move_to_description(self, schema: JsonSchema) -> None:
        """Move keywords that strict mode does not support to the description."""
        keywords = {name: schema[name] for name in _NOT_STRICT if name in schema}
        if isinstance(form := schema.get('format'), str) and form not in _STRICT_FORMATS:
            keywords['format'] = form
        if isinstance(pattern := schema.get('pattern'), str) and _LOOKAROUND.search(pattern):
            keywords['pattern'] = pattern
        if not keywords:
            return
        if self.strict:
            for name in keywords:
                del schema[name]
            words = ', '.join(f'{name}={value}' for name, value in keywords.items())
            description = schema.get('description')
            schema['description'] = f'{description} ({words})' if description else words
        elif self.strict is None:
            self.is_strict_compatible = False

    def _close(self, schema: JsonSchema) -> None:
        """Forbid additional properties, and require all others, as strict mode demands."""
        properties: dict[str, Any] = schema.setdefault('properties', {})
        if self.strict:
            schema['additionalProperties'] = False
            schema['required'] = list(properties)
        elif self.strict is None:
            if schema.get('additionalProperties', False) is False:
                schema['additionalProperties'] = False
            else:
                self.is_strict_compatible = False
            if 'required' not in schema or properties.keys() - set(schema['required']):
                self.is_strict_compatible = False


def validate_openai_profile(profile: AnyProfile) -> None:
    """Check that the values of a profile fit each other.

    Args:
        profile: The profile, or some values for one.

    Raises:
        UserError: Thinking is to be sent back in a field, and the profile does not say in which.
    """
    in_field = profile.get('openai_chat_send_back_thinking_parts') == 'field'
    if in_field and profile.get('openai_chat_thinking_field') is None:
        raise UserError(
            "`openai_chat_send_back_thinking_parts='field'` sends thinking back in a field: set its name in "
            '`openai_chat_thinking_field`.'
        )


__all__ = (
    'OPENAI_REASONING_EFFORT_MAP',
    'SAMPLING_PARAMS',
    'OpenAIJsonSchemaTransformer',
    'OpenAIModelProfile',
    'OpenAISystemPromptRole',
    'openai_model_profile',
    'validate_openai_profile',
)
