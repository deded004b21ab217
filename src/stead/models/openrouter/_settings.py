"""Settings of models behind OpenRouter."""

from __future__ import annotations

from typing import Literal, Union

from typing_extensions import TypeAlias, TypedDict

from ...settings import ModelSettings

KnownOpenRouterProviders: TypeAlias = Literal[
    'z-ai',
    'cerebras',
    'venice',
    'moonshotai',
    'morph',
    'stealth',
    'wandb',
    'klusterai',
    'openai',
    'sambanova',
    'amazon-bedrock',
    'mistral',
    'nextbit',
    'atoma',
    'ai21',
    'minimax',
    'baseten',
    'anthropic',
    'featherless',
    'groq',
    'lambda',
    'azure',
    'ncompass',
    'deepseek',
    'hyperbolic',
    'crusoe',
    'cohere',
    'mancer',
    'avian',
    'perplexity',
    'novita',
    'siliconflow',
    'switchpoint',
    'xai',
    'inflection',
    'fireworks',
    'deepinfra',
    'inference-net',
    'inception',
    'atlas-cloud',
    'nvidia',
    'alibaba',
    'friendli',
    'infermatic',
    'targon',
    'ubicloud',
    'aion-labs',
    'liquid',
    'nineteen',
    'cloudflare',
    'nebius',
    'chutes',
    'enfer',
    'crofai',
    'open-inference',
    'phala',
    'gmicloud',
    'meta',
    'relace',
    'parasail',
    'together',
    'google-ai-studio',
    'google-vertex',
]
"""Providers behind OpenRouter that are known."""
OpenRouterProviderName: TypeAlias = Union[str, KnownOpenRouterProviders]
"""The name of a provider behind OpenRouter; those that are known, or any other."""
OpenRouterTransforms: TypeAlias = Literal['middle-out']
"""What OpenRouter may do to a conversation that is too long."""
OpenRouterCacheTTL: TypeAlias = Union[bool, Literal['5m', '1h']]
"""Whether something is cached, and for how long; `True` is five minutes."""


class _MaxPrice(TypedDict, total=False):
    """The highest price, in dollars for a million tokens, or for a request or an image."""

    prompt: int
    completion: int
    image: int
    audio: int
    request: int


class OpenRouterProviderConfig(TypedDict, total=False):
    """Which providers OpenRouter may send requests to."""

    order: list[OpenRouterProviderName]
    """Providers to try first, in this order."""
    allow_fallbacks: bool
    """Whether others may serve a request that these cannot."""
    require_parameters: bool
    """Whether only providers that support all parameters of the request are used."""
    data_collection: Literal['allow', 'deny']
    """Whether providers may be used that store data."""
    zdr: bool
    """Whether only providers with zero data retention are used."""
    only: list[OpenRouterProviderName]
    """The only providers that may be used."""
    ignore: list[str]
    """Providers that are not used."""
    quantizations: list[Literal['int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32', 'unknown']]
    """The precisions that the weights may have."""
    sort: Literal['price', 'throughput', 'latency']
    """What providers are sorted by."""
    max_price: _MaxPrice
    """The highest price of a request."""


class OpenRouterReasoning(TypedDict, total=False):
    """How a model reasons."""

    effort: Literal['xhigh', 'high', 'medium', 'low', 'minimal', 'none']
    """The effort."""
    max_tokens: int
    """The most tokens it may reason for; give this or `effort`."""
    exclude: bool
    """Whether the reasoning is left out of the response."""
    enabled: bool
    """Whether it reasons."""


class OpenRouterUsageConfig(TypedDict, total=False):
    """What usage the response reports."""

    include: bool
    """Whether it includes the cost."""


class OpenRouterModelSettings(ModelSettings, total=False):
    """Settings of models behind OpenRouter."""

    openrouter_models: list[str]
    """Models to fall back to, in this order."""
    openrouter_provider: OpenRouterProviderConfig
    """Which providers may be used."""
    openrouter_preset: str
    """The name of a preset of your account."""
    openrouter_transforms: list[OpenRouterTransforms]
    """What OpenRouter may do to a conversation that is too long."""
    openrouter_reasoning: OpenRouterReasoning
    """How the model reasons; overrides `thinking`."""
    openrouter_usage: OpenRouterUsageConfig
    """What usage the response reports."""
    openrouter_cache_instructions: OpenRouterCacheTTL
    """Whether the instructions are cached, up to the first that may change; for models with explicit cache points."""
    openrouter_cache_messages: OpenRouterCacheTTL
    """Whether the conversation so far is cached, for such models."""
    openrouter_cache_tool_definitions: OpenRouterCacheTTL
    """Whether the definitions of tools are cached, for such models."""


__all__ = (
    'KnownOpenRouterProviders',
    'OpenRouterCacheTTL',
    'OpenRouterModelSettings',
    'OpenRouterProviderConfig',
    'OpenRouterProviderName',
    'OpenRouterReasoning',
    'OpenRouterTransforms',
    'OpenRouterUsageConfig',
)
