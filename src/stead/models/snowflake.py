"""`SnowflakeModel`: a model that Snowflake Cortex serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

from typing_extensions import TypeAlias, TypedDict

from .._contracts.model import ModelRequestParameters
from .._kit.json_types import JsonObject, as_dict
from ..profiles import ModelProfileSpec
from ..providers import Provider
from ..providers.snowflake import SnowflakeModelProfile
from ..settings import ModelSettings
from .openai import OpenAIChatModel

SnowflakeModelName: TypeAlias = Union[
    str,
    Literal[
        'claude-opus-5-5',
        'claude-sonnet-5-5',
        'claude-opus-4-8',
        'claude-sonnet-4-6',
        'claude-haiku-4-5',
        'openai-gpt-6-sol',
        'openai-gpt-6.1-terra',
        'openai-gpt-6-luna',
        'openai-gpt-6-astra',
        'openai-gpt-5.6-sol',
        'openai-gpt-5.6-terra',
        'openai-gpt-5.6-luna',
        'llama4-maverick',
        'llama3.3-70b',
        'mistral-large3',
        'mistral-large2',
    ],
]
"""The name of a model that Snowflake Cortex serves; those that are known, or any other."""
_EFFORTS: dict[object, Literal['high', 'medium', 'low']] = {
    True: 'medium',
    'minimal': 'low',
    'low': 'low',
    'medium': 'medium',
    'high': 'high',
    'xhigh': 'high',
}


class SnowflakeReasoning(TypedDict, total=False):
    """How much a model thinks: with one of these."""

    effort: Literal['high', 'medium', 'low']
    """The effort."""
    max_tokens: int
    """The most tokens."""


class SnowflakeModelSettings(ModelSettings, total=False):
    """Settings of models that Snowflake Cortex serves."""

    snowflake_reasoning: SnowflakeReasoning
    """How much a model thinks; overrides `thinking`."""


@dataclass(init=False, repr=False)
class SnowflakeModel(OpenAIChatModel):
    """A model that Snowflake Cortex serves."""

    def __init__(
        self,
        model_name: SnowflakeModelName,
        *,
        provider: Literal['snowflake'] | Provider[Any] = 'snowflake',
        profile: ModelProfileSpec | None = None,
        settings: SnowflakeModelSettings | None = None,
    ) -> None:
        """Build a model.

        Args:
            model_name: The name of the model.
            provider: The provider, or its name.
            profile: The capabilities of the model; by default, those known for its name.
            settings: Settings for all requests; those of agents and runs override them.

        Raises:
            ImportError: The package openai is not installed.
            UserError: No API key is set.
        """
        super().__init__(model_name, provider=provider, profile=profile, settings=settings)

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare a request, with the settings of Snowflake in its body; see `Model.prepare_request`."""
        settings, params = super().prepare_request(model_settings, model_request_parameters)
        kept: Any = dict(settings or {})
        reasoning: JsonObject | None = kept.pop('snowflake_reasoning', None)
        if reasoning is None and self._thinks_in_body and params.thinking:
            reasoning = {'effort': _EFFORTS[params.thinking]}
        if reasoning is not None:
            kept['extra_body'] = {'reasoning': reasoning, **as_dict(kept.get('extra_body'))}
            if self._own_profile.snowflake_reasoning_requires_temperature_1:
                kept.setdefault('temperature', 1)
        return kept or None, params

    @property
    def _own_profile(self) -> SnowflakeModelProfile:
        return SnowflakeModelProfile.from_profile(self.profile)

    @property
    def _thinks_in_body(self) -> bool:
        return self._own_profile.snowflake_supports_reasoning


__all__ = ('SnowflakeModel', 'SnowflakeModelName', 'SnowflakeModelSettings', 'SnowflakeReasoning')
