"""Settings of models on Amazon Bedrock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from ...settings import ModelSettings

LatestBedrockModelNames: TypeAlias = Literal[
    'amazon.titan-text-express-v1',
    'amazon.titan-text-lite-v1',
    'amazon.titan-tg1-large',
    'anthropic.claude-3-5-haiku-20241022-v1:0',
    'anthropic.claude-3-5-sonnet-20240620-v1:0',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'anthropic.claude-3-7-sonnet-20250219-v1:0',
    'anthropic.claude-3-haiku-20240307-v1:0',
    'anthropic.claude-3-opus-20240229-v1:0',
    'anthropic.claude-3-sonnet-20240229-v1:0',
    'anthropic.claude-haiku-4-5-20251001-v1:0',
    'anthropic.claude-instant-v1',
    'anthropic.claude-opus-4-20250514-v1:0',
    'anthropic.claude-sonnet-4-20250514-v1:0',
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    'anthropic.claude-sonnet-4-6',
    'anthropic.claude-v2:1',
    'anthropic.claude-v2',
    'cohere.command-light-text-v14',
    'cohere.command-r-plus-v1:0',
    'cohere.command-r-v1:0',
    'cohere.command-text-v14',
    'eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    'eu.anthropic.claude-sonnet-4-20250514-v1:0',
    'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'eu.anthropic.claude-sonnet-4-6',
    'global.anthropic.claude-opus-4-5-20251101-v1:0',
    'meta.llama3-1-405b-instruct-v1:0',
    'meta.llama3-1-70b-instruct-v1:0',
    'meta.llama3-1-8b-instruct-v1:0',
    'meta.llama3-70b-instruct-v1:0',
    'meta.llama3-8b-instruct-v1:0',
    'mistral.mistral-7b-instruct-v0:2',
    'mistral.mistral-large-2402-v1:0',
    'mistral.mistral-large-2407-v1:0',
    'mistral.mixtral-8x7b-instruct-v0:1',
    'us.amazon.nova-2-lite-v1:0',
    'us.amazon.nova-lite-v1:0',
    'us.amazon.nova-micro-v1:0',
    'us.amazon.nova-pro-v1:0',
    'us.anthropic.claude-3-5-haiku-20241022-v1:0',
    'us.anthropic.claude-3-5-sonnet-20240620-v1:0',
    'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
    'us.anthropic.claude-3-7-sonnet-20250219-v1:0',
    'us.anthropic.claude-3-haiku-20240307-v1:0',
    'us.anthropic.claude-3-opus-20240229-v1:0',
    'us.anthropic.claude-3-sonnet-20240229-v1:0',
    'us.anthropic.claude-haiku-4-5-20251001-v1:0',
    'us.anthropic.claude-opus-4-20250514-v1:0',
    'us.anthropic.claude-sonnet-4-20250514-v1:0',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'us.anthropic.claude-sonnet-4-6',
    'us.meta.llama3-1-70b-instruct-v1:0',
    'us.meta.llama3-1-8b-instruct-v1:0',
    'us.meta.llama3-2-11b-instruct-v1:0',
    'us.meta.llama3-2-1b-instruct-v1:0',
    'us.meta.llama3-2-3b-instruct-v1:0',
    'us.meta.llama3-2-90b-instruct-v1:0',
    'us.meta.llama3-3-70b-instruct-v1:0',
]
"""The names of models that stead knows."""
BedrockModelName: TypeAlias = Union[str, LatestBedrockModelNames]
"""The name of a model: a known one, or any other; or the ARN of a model or of an inference profile."""
CacheFor: TypeAlias = Union[bool, Literal['5m', '1h']]
"""Whether to cache something, or for how long; `True` leaves the time to Bedrock, which takes five minutes."""


class BedrockModelSettings(ModelSettings, total=False):
    """Settings of models on Amazon Bedrock, in the format of the Converse API."""

    bedrock_guardrail_config: Mapping[str, Any]
    """The guardrail that checks prompts and answers: `guardrailIdentifier`, `guardrailVersion`, `trace`.

    `streamProcessingMode` is sent with requests for a stream only, since the API refuses it in others.
    """
    bedrock_performance_configuration: Mapping[str, Any]
    """The latency, such as `{'latency': 'optimized'}`."""
    bedrock_request_metadata: dict[str, str]
    """Labels of the request, to find its log."""
    bedrock_additional_model_response_fields_paths: list[str]
    """JSON pointers to fields of the model's own answer; they are in the `provider_details` of the response."""
    bedrock_prompt_variables: Mapping[str, Mapping[str, Any]]
    """The values of variables, for a prompt of Prompt Management in place of a model."""
    bedrock_additional_model_requests_fields: Mapping[str, Any]
    """Fields that only the model knows; they take precedence over those that `thinking` becomes."""
    bedrock_cache_tool_definitions: CacheFor
    """Whether the definitions of tools are cached, for models that can."""
    bedrock_cache_instructions: CacheFor
    """Whether system prompts and static instructions are cached, for models that can."""
    bedrock_cache_messages: CacheFor
    """Whether the conversation is cached up to its last prompt, for models that can."""
    bedrock_service_tier: Mapping[str, Any]
    """The tier that answers, such as `{'type': 'flex'}`; takes precedence over `service_tier`."""
    bedrock_inference_profile: str
    """The name or ARN of the inference profile that is asked in place of the model, whose capabilities it has."""


__all__ = ('BedrockModelName', 'BedrockModelSettings', 'CacheFor', 'LatestBedrockModelNames')
