"""The table of providers. To add a provider, add a row here and a module with its class.

`infer_provider` and `infer_model` read it; `make known-names` writes from it the names that type checkers know
(`models/_known_names.py`) and the table of providers in `docs/models.md`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProviderRow:
    """The classes of a provider and of its models. They are named rather than imported, so that they load on first use."""

    module: str
    """The module of the provider class, in `stead.providers`."""
    provider: str
    """The name of the provider class."""
    model_module: str = 'openai'
    """The module of the model class, in `stead.models`."""
    model: str = 'OpenAIChatModel'
    """The name of the model class."""
    chat: bool = True
    """Whether the provider, other than OpenAI itself, has an API compatible with OpenAI's chat completions."""
    responses: bool = False
    """Whether the provider has an API compatible with OpenAI's responses, too."""


# By the provider names in model ids.
PROVIDERS: dict[str, ProviderRow] = {
    'openai': ProviderRow('openai', 'OpenAIProvider', chat=False),
    'openai-chat': ProviderRow('openai', 'OpenAIProvider', chat=False),
    'openai-responses': ProviderRow('openai', 'OpenAIProvider', model='OpenAIResponsesModel', chat=False),
    'anthropic': ProviderRow('anthropic', 'AnthropicProvider', 'anthropic', 'AnthropicModel', chat=False),
    'google': ProviderRow('google', 'GoogleProvider', 'google', 'GoogleModel', chat=False),
    'google-cloud': ProviderRow('google_cloud', 'GoogleCloudProvider', 'google', 'GoogleModel', chat=False),
    'cohere': ProviderRow('cohere', 'CohereProvider', 'cohere', 'CohereModel', chat=False),
    'groq': ProviderRow('groq', 'GroqProvider', 'groq', 'GroqModel', chat=False),
    'huggingface': ProviderRow('huggingface', 'HuggingFaceProvider', 'huggingface', 'HuggingFaceModel', chat=False),
    'mistral': ProviderRow('mistral', 'MistralProvider', 'mistral', 'MistralModel', chat=False),
    'xai': ProviderRow('xai', 'XaiProvider', 'xai', 'XaiModel', chat=False),
    'bedrock': ProviderRow('bedrock', 'BedrockProvider', 'bedrock', 'BedrockConverseModel', chat=False),
    'alibaba': ProviderRow('alibaba', 'AlibabaProvider'),
    'azure': ProviderRow('azure', 'AzureProvider', responses=True),
    'cerebras': ProviderRow('cerebras', 'CerebrasProvider', 'cerebras', 'CerebrasModel'),
    'crusoe': ProviderRow('crusoe', 'CrusoeProvider', 'crusoe', 'CrusoeModel'),
    'deepseek': ProviderRow('deepseek', 'DeepSeekProvider', responses=True),
    'fireworks': ProviderRow('fireworks', 'FireworksProvider', responses=True),
    'github': ProviderRow('github', 'GitHubProvider'),
    'grok': ProviderRow('grok', 'GrokProvider', responses=True),
    'heroku': ProviderRow('heroku', 'HerokuProvider'),
    'litellm': ProviderRow('litellm', 'LiteLLMProvider'),
    'meta': ProviderRow('meta', 'MetaProvider', model='OpenAIResponsesModel', responses=True),
    'moonshotai': ProviderRow('moonshotai', 'MoonshotAIProvider'),
    'nebius': ProviderRow('nebius', 'NebiusProvider', responses=True),
    'ollama': ProviderRow('ollama', 'OllamaProvider', 'ollama', 'OllamaModel'),
    'openrouter': ProviderRow('openrouter', 'OpenRouterProvider', 'openrouter', 'OpenRouterModel', responses=True),
    'ovhcloud': ProviderRow('ovhcloud', 'OVHcloudProvider', responses=True),
    'sambanova': ProviderRow('sambanova', 'SambaNovaProvider', responses=True),
    'snowflake': ProviderRow('snowflake', 'SnowflakeProvider', 'snowflake', 'SnowflakeModel'),
    'together': ProviderRow('together', 'TogetherProvider', responses=True),
    'vercel': ProviderRow('vercel', 'VercelProvider'),
    'vllm': ProviderRow('vllm', 'VLLMProvider'),
    'zai': ProviderRow('zai', 'ZaiProvider'),
}

# Providers that stead asks for embeddings only: module in `stead.providers`, and class.
EMBEDDING_PROVIDERS = {
    'sentence-transformers': ('sentence_transformers', 'SentenceTransformersProvider'),
    'voyageai': ('voyageai', 'VoyageAIProvider'),
}

# Providers whose models are made of objects, and so have no names.
OBJECT_PROVIDERS = {'outlines': ('outlines', 'OutlinesProvider')}

__all__ = ('EMBEDDING_PROVIDERS', 'OBJECT_PROVIDERS', 'PROVIDERS', 'ProviderRow')
