"""Settings of OpenAI's models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Union

from typing_extensions import TypeAlias, TypedDict, deprecated

from ...settings import ModelSettings, ServiceTier
from ._names import DEPRECATED_OPENAI_MODELS, KnownOpenAIModelName

OpenAIModelName: TypeAlias = Union[str, KnownOpenAIModelName]
"""The name of a model; those that are known, or any other."""


class OpenAIPromptCacheOptions(TypedDict, total=False):
    """How OpenAI caches prompts."""

    mode: Literal['implicit', 'explicit']
    """Whether it chooses what to cache, or the request says it."""
    ttl: str
    """How long a prompt is cached at least, such as `'30m'`."""


class OpenAIChatModelSettings(ModelSettings, total=False):
    """Settings of models behind the chat completions API."""

    openai_reasoning_effort: Literal['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] | None
    """How hard the model reasons; overrides `thinking`."""
    openai_logprobs: bool
    """Whether the response has the probabilities of its tokens, in `provider_details`."""
    openai_top_logprobs: int
    """How many of the likeliest tokens it has for each place."""
    openai_store: bool | None
    """Whether OpenAI stores the response."""
    openai_user: str
    """An id of the end user."""
    openai_service_tier: ServiceTier
    """The speed and price of the response; overrides `service_tier`."""
    openai_prediction: Any
    """Text that the response will mostly repeat, which makes it faster."""
    openai_prompt_cache_key: str
    """A key under which prompts are cached."""
    openai_prompt_cache_retention: Literal['in_memory', '24h']
    """How long prompts are cached."""
    openai_prompt_cache_options: OpenAIPromptCacheOptions
    """How prompts are cached."""
    openai_moderation: Mapping[str, object]
    """What OpenAI checks in prompts and responses, as its API has it, such as `{'model': 'omni-moderation-latest'}`."""
    openai_text_verbosity: Literal['low', 'medium', 'high']
    """How much the model says."""
    openai_continuous_usage_stats: bool
    """Whether every chunk of a stream has the usage so far, if the server supports that."""
    wire: Literal['auto', 'sdk']
    """How requests reach the SDK: `'sdk'` calls its typed method, `'auto'`, the default, goes past it where nothing is lost."""


class OpenAIResponsesModelSettings(OpenAIChatModelSettings, total=False):
    """Settings of models behind the Responses API."""

    openai_native_tools: Sequence[Any]
    """Further tools that OpenAI runs, as its API has them."""
    openai_reasoning_generate_summary: Literal['detailed', 'concise']
    """The old name of `openai_reasoning_summary`."""
    openai_reasoning_summary: Literal['detailed', 'concise', 'auto']
    """Whether there is a summary of the reasoning, and which."""
    openai_send_reasoning_ids: bool
    """Whether the ids of reasoning are sent back."""
    openai_truncation: Literal['disabled', 'auto']
    """What happens to a conversation that is too long."""
    openai_previous_response_id: Union[Literal['auto'], str]
    """The id of the response to continue from, so that earlier messages are not sent; `'auto'` takes that of the history."""
    openai_conversation_id: Union[Literal['auto'], str]
    """The id of a conversation that OpenAI keeps; `'auto'` takes that of the history."""
    openai_include_code_execution_outputs: bool
    """Whether the outputs of code are in the response."""
    openai_include_web_search_sources: bool
    """Whether the sources of web searches are in the response."""
    openai_include_file_search_results: bool
    """Whether the results of file searches are in the response."""
    openai_include_raw_annotations: bool
    """Whether annotations of texts are in their `provider_details`."""
    openai_context_management: list[Any]
    """How OpenAI keeps the context small, as its API has it."""


@deprecated('`OpenAIModelSettings` is an old name; use `OpenAIChatModelSettings`.')
class OpenAIModelSettings(OpenAIChatModelSettings, total=False):
    """The old name of `OpenAIChatModelSettings`."""


__all__ = (
    'DEPRECATED_OPENAI_MODELS',
    'OpenAIChatModelSettings',
    'OpenAIModelName',
    'OpenAIModelSettings',
    'OpenAIPromptCacheOptions',
    'OpenAIResponsesModelSettings',
)
