"""`ZaiModel`: a model of Z.ai."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from .._contracts.model import ModelRequestParameters
from .._kit.json_types import JsonObject, as_dict
from ..profiles import ModelProfile, ModelProfileSpec
from ..providers import Provider
from ..settings import ModelSettings
from .openai import OpenAIChatModel

ZaiModelName: TypeAlias = Union[
    str,
    Literal[
        'glm-5.3',
        'glm-5.3-flash',
        'glm-5.3-flashx',
        'glm-5-turbo',
        'glm-5v-turbo',
        'glm-4.7',
        'glm-4.7-flash',
        'glm-4.5-air',
        'glm-4.6v',
    ],
]
"""The name of a model of Z.ai; those that are known, or any other."""
_EFFORTS = {False: 'low', 'minimal': 'low', 'low': 'low', 'medium': 'high', 'high': 'high', 'xhigh': 'max'}
"""The efforts of models that have them, by the setting `thinking`; they cannot be told not to think."""


class ZaiModelSettings(ModelSettings, total=False):
    """Settings of models of Z.ai."""

    zai_clear_thinking: bool
    """Whether the thinking of earlier responses is dropped; by default the model keeps it."""


@dataclass(init=False, repr=False)
class ZaiModel(OpenAIChatModel):
    """A model of Z.ai."""

    def __init__(
        self,
        model_name: ZaiModelName,
        *,
        provider: Literal['zai'] | Provider[Any] = 'zai',
        profile: ModelProfileSpec | None = None,
        settings: ZaiModelSettings | None = None,
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

    @cached_property
    def profile(self) -> ModelProfile:
        """What the model can do. All models of Z.ai think."""
        profile = super().profile
        return profile if profile.supports_thinking else replace(profile, supports_thinking=True)

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Prepare a request, with the settings of Z.ai in its body; see `Model.prepare_request`."""
        settings, params = super().prepare_request(model_settings, model_request_parameters)
        kept: Any = dict(settings or {})
        asked = kept.pop('zai_clear_thinking', None)
        thinking: JsonObject = {'clear_thinking': bool(asked)}
        body: JsonObject = {}
        if params.thinking is not None:
            has_efforts = self.model_name.startswith('glm-5.3')
            thinking['type'] = 'enabled' if params.thinking or has_efforts else 'disabled'
            if has_efforts and params.thinking in _EFFORTS:
                body['reasoning_effort'] = _EFFORTS[params.thinking]
        kept['extra_body'] = {'thinking': thinking, **body, **as_dict(kept.get('extra_body'))}
        return kept, params

    @property
    def _thinks_in_body(self) -> bool:
        return True


__all__ = ('ZaiModel', 'ZaiModelName', 'ZaiModelSettings')
