"""`CerebrasModel`: a model that Cerebras runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from .._contracts.model import ModelRequestParameters
from .._kit.json_types import as_dict
from ..profiles import ModelProfileSpec
from ..providers import Provider
from ..settings import ModelSettings
from .openai import OpenAIChatModel

CerebrasModelName: TypeAlias = Union[
    str,
    Literal[
        'gpt-oss-120b',
        'llama-3.3-70b',
        'llama3.1-8b',
        'qwen-3-235b-a22b-instruct-2507',
        'qwen-3-32b',
        'zai-glm-4.6',
    ],
]
"""The name of a model that Cerebras runs; those that are known, or any other."""


_OWN = frozenset({'cerebras_disable_reasoning', 'cerebras_clear_thinking'})


class CerebrasModelSettings(ModelSettings, total=False):
    """Settings of models that Cerebras runs."""

    cerebras_disable_reasoning: bool
    """Whether reasoning is turned off; overrides `thinking`."""
    cerebras_clear_thinking: bool
    """Whether the model drops the thinking of earlier responses, for models of Z.ai."""


@dataclass(init=False, repr=False)
class CerebrasModel(OpenAIChatModel):
    """A model that Cerebras runs."""

    def __init__(
        self,
        model_name: CerebrasModelName,
        *,
        provider: Literal['cerebras'] | Provider[Any] = 'cerebras',
        profile: ModelProfileSpec | None = None,
        settings: CerebrasModelSettings | None = None,
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
        """Prepare a request, with the settings of Cerebras in its body; see `Model.prepare_request`."""
        settings, params = super().prepare_request(model_settings, model_request_parameters)
        requested: Any = settings or {}
        disable = requested.get('cerebras_disable_reasoning')
        if disable is None and params.thinking is not None:
            disable = params.thinking is False
        kept: Any = {key: value for key, value in requested.items() if key not in _OWN}
        own = {'disable_reasoning': disable, 'clear_thinking': requested.get('cerebras_clear_thinking')}
        if body := {name: value for name, value in own.items() if value is not None}:
            kept['extra_body'] = {**as_dict(kept.get('extra_body')), **body}
        return kept or None, params

    @property
    def _thinks_in_body(self) -> bool:
        return True


__all__ = ('CerebrasModel', 'CerebrasModelName', 'CerebrasModelSettings')
