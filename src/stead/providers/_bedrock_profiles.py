"""Profiles of the models on Amazon Bedrock, by vendor. The Converse API has its own words for what a model can do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from .._kit.json_schema import JsonSchema, JsonSchemaTransformer
from .._kit.keywords import renamed
from ..native_tools import AbstractNativeTool, CodeExecutionTool
from ..profiles import ModelProfile
from ..profiles.amazon import amazon_model_profile
from ..profiles.anthropic import AnthropicModelProfile, anthropic_model_profile
from ..profiles.cohere import cohere_model_profile
from ..profiles.deepseek import deepseek_model_profile
from ..profiles.google import google_model_profile
from ..profiles.meta import meta_model_profile
from ..profiles.mistral import mistral_model_profile
from ..profiles.qwen import qwen_model_profile

BEDROCK_GEO_PREFIXES = ('us', 'eu', 'apac', 'jp', 'au', 'ca', 'global', 'us-gov')
"""What stands before the name of a model for an inference profile of a geography."""

_VERSION = re.compile(r'-v\d+(?::\d+)?$')
_HOUR = re.compile(r'claude-[a-z]+-(?:4-[5-9]|[5-9])(?!\d)')
"""Models that can cache for an hour."""


def remove_bedrock_geo_prefix(model_name: str) -> str:
    """Return the name of a model without the geography of its inference profile.

    Args:
        model_name: The name, such as `us.amazon.nova-lite-v1:0`, which becomes `amazon.nova-lite-v1:0`.
    """
    geography, dot, rest = model_name.partition('.')
    return rest if dot and geography in BEDROCK_GEO_PREFIXES else model_name


def split_bedrock_model_id(model_id: str) -> tuple[str | None, str]:
    """Return the vendor of a model, or `None` if the name has none, and its name without geography, vendor and version.

    Args:
        model_id: The name, such as `us.amazon.nova-lite-v1:0`, which becomes `('amazon', 'nova-lite')`.
    """
    name = remove_bedrock_geo_prefix(model_id)
    vendor, dot, rest = name.partition('.')
    if not dot:
        return None, model_id
    return vendor, _VERSION.sub('', rest)


# Where Bedrock enforces the schemas of outputs and tools, by the beginnings of names.
_STRICT_CLAUDE = (
    'claude-haiku-4-5',
    'claude-sonnet-4-5',
    'claude-sonnet-4-6',
    'claude-opus-4-5',
    'claude-opus-4-6',
    'claude-mythos-5',
    'claude-fable-5',
)
_STRICT_MISTRAL = ('mistral-large-3', 'magistral-small-2509', 'ministral-3-', 'voxtral')
_STRICT_GEMMA = ('gemma-3-12b', 'gemma-3-27b')

# What Bedrock refuses in the schemas that it enforces, by type.
_LIMITS_OF_NUMBERS = ('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')
_REFUSED = {'integer': _LIMITS_OF_NUMBERS, 'number': _LIMITS_OF_NUMBERS, 'array': ('maxItems',)}

_NO_TOOLS: frozenset[type[AbstractNativeTool]] = frozenset()


@renamed(supported_builtin_tools='supported_native_tools')
@dataclass(kw_only=True)
class BedrockModelProfile(ModelProfile):
    """The capabilities of a model on Amazon Bedrock."""

    bedrock_supports_tool_choice: bool = False
    """Whether it can be told to call a tool."""
    bedrock_tool_result_format: Literal['text', 'json'] = 'text'
    """How it is sent results of tools that are not text."""
    bedrock_send_back_thinking_parts: bool = False
    """Whether its thoughts are sent back to it as such; otherwise as text in tags."""
    bedrock_supports_prompt_caching: bool = False
    """Whether messages and instructions can be cached."""
    bedrock_supports_tool_caching: bool = False
    """Whether definitions of tools can be cached."""
    bedrock_supported_media_kinds_in_tool_returns: frozenset[Literal['image', 'document', 'video']] = frozenset(
        {'image'}
    )
    """The files that results of tools may have; others are sent after the results."""
    bedrock_supports_strict_tool_definition: bool = False
    """Whether the schemas of tools can be enforced."""
    bedrock_thinking_variant: Literal['anthropic', 'openai', 'qwen'] | None = None
    """Whose fields say how it thinks."""
    bedrock_supports_adaptive_thinking: bool = False
    """Whether it can decide how long to think."""
    bedrock_supports_effort: bool = False
    """Whether its effort can be set."""


class BedrockJsonSchemaTransformer(JsonSchemaTransformer):
    """Adapts schemas for Bedrock: if they are enforced, limits that it refuses become part of the description."""

    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return a schema without titles; if it is enforced, without what Bedrock refuses, and closed."""
        schema.pop('title', None)
        schema.pop('$schema', None)
        if not self.strict:
            return schema
        kind = schema.get('type')
        if kind == 'object':
            schema['additionalProperties'] = False
        refused = [name for name in _REFUSED.get(kind, ()) if name in schema] if isinstance(kind, str) else []
        if kind == 'array' and (schema.get('minItems') or 0) > 1:
            refused.append('minItems')
        if refused:
            limits = ', '.join(f'{name}={schema.pop(name)}' for name in refused)
            description = schema.get('description')
            schema['description'] = f'{description} ({limits})' if description else limits
        return schema

    def walk(self) -> JsonSchema:
        """Return the whole schema, transformed; it is compatible with enforcement only if that is asked for."""
        schema = super().walk()
        self.is_strict_compatible: bool = self.strict is True
        return schema


def _without_native_tools(profile: ModelProfile | None) -> ModelProfile:
    """Return a vendor's profile without its native tools, which are those of its own API."""
    return replace(profile or BedrockModelProfile(), supported_native_tools=_NO_TOOLS)


def _strict(profile: ModelProfile | None, strict: bool) -> BedrockModelProfile:
    """Return a vendor's profile as one of Bedrock, with the schemas that Bedrock can enforce."""
    return replace(
        BedrockModelProfile.from_profile(profile),
        json_schema_transformer=BedrockJsonSchemaTransformer,
        supports_json_schema_output=strict,
        supports_json_object_output=False,
        supports_tool_return_schema=False,
        bedrock_supports_strict_tool_definition=strict,
        supported_native_tools=_NO_TOOLS,
    )


def bedrock_anthropic_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of Anthropic on Bedrock by its name, without vendor."""
    upstream = anthropic_model_profile(model_name)
    own = AnthropicModelProfile.from_profile(upstream)
    adaptive = own.anthropic_supports_adaptive_thinking
    return replace(
        _strict(upstream, model_name.startswith(_STRICT_CLAUDE)),
        bedrock_supports_tool_choice=True,
        bedrock_send_back_thinking_parts=True,
        bedrock_supports_prompt_caching=True,
        supports_cache=True,
        supported_cache_retentions=('5m', '1h') if _HOUR.search(model_name) else ('5m',),
        default_cache_retention=timedelta(minutes=5),
        bedrock_supports_tool_caching=True,
        bedrock_supported_media_kinds_in_tool_returns=frozenset({'image', 'document'}),
        bedrock_thinking_variant='anthropic',
        bedrock_supports_adaptive_thinking=adaptive,
        bedrock_supports_effort=adaptive and own.anthropic_supports_effort,
    )


def bedrock_amazon_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of Amazon by its name, without vendor."""
    profile = _without_native_tools(amazon_model_profile(model_name))
    if 'nova' not in model_name:
        return profile
    profile = replace(
        BedrockModelProfile.from_profile(profile),
        bedrock_supports_tool_choice=True,
        bedrock_supports_prompt_caching=True,
        supports_cache=True,
        supported_cache_retentions=('5m',),
        supported_native_tools=_NO_TOOLS,
    )
    return (
        replace(profile, supported_native_tools=frozenset({CodeExecutionTool})) if 'nova-2' in model_name else profile
    )


def bedrock_deepseek_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of DeepSeek on Bedrock by its name, without vendor."""
    profile = deepseek_model_profile(model_name)
    if 'r1' not in model_name:
        return profile
    return replace(BedrockModelProfile.from_profile(profile), bedrock_send_back_thinking_parts=True)


def bedrock_mistral_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of Mistral on Bedrock by its name, without vendor."""
    profile = _strict(mistral_model_profile(model_name), model_name.startswith(_STRICT_MISTRAL))
    return replace(profile, bedrock_tool_result_format='json')


def bedrock_qwen_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of Qwen on Bedrock by its name, without vendor."""
    profile = _strict(qwen_model_profile(model_name), model_name.startswith('qwen3'))
    thinks = model_name.startswith(('qwen3', 'qwq'))
    return replace(profile, supports_thinking=thinks, thinking_always_enabled=thinks, bedrock_thinking_variant='qwen')


def bedrock_google_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of Google on Bedrock by its name, without vendor."""
    return _strict(google_model_profile(model_name), model_name.startswith(_STRICT_GEMMA))


def bedrock_minimax_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of MiniMax on Bedrock by its name, without vendor."""
    return _strict(None, model_name.startswith('minimax-m2'))


def bedrock_nvidia_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model of Nvidia on Bedrock by its name, without vendor."""
    return _strict(None, model_name.startswith('nemotron-nano'))


def _openai(model_name: str) -> ModelProfile | None:
    return BedrockModelProfile(supports_thinking=True, thinking_always_enabled=True, bedrock_thinking_variant='openai')


_FAMILIES: dict[str, Callable[[str], ModelProfile | None]] = {
    'amazon': bedrock_amazon_model_profile,
    'anthropic': bedrock_anthropic_model_profile,
    'cohere': lambda name: _without_native_tools(cohere_model_profile(name)),
    'deepseek': lambda name: _without_native_tools(bedrock_deepseek_model_profile(name)),
    'google': bedrock_google_model_profile,
    'meta': lambda name: _without_native_tools(meta_model_profile(name)),
    'minimax': bedrock_minimax_model_profile,
    'mistral': bedrock_mistral_model_profile,
    'nvidia': bedrock_nvidia_model_profile,
    'openai': _openai,
    'qwen': bedrock_qwen_model_profile,
}


def bedrock_model_profile(model_name: str) -> ModelProfile | None:
    """Return the profile of a model by its name, with or without geography, or `None` if its vendor is not known."""
    vendor, name = split_bedrock_model_id(model_name)
    family = _FAMILIES.get(vendor or '')
    return family(name) if family is not None else None
