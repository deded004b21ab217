"""`CrusoeModel`: a model that Crusoe serves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

from typing_extensions import TypeAlias

from ..profiles import ModelProfileSpec
from ..providers import Provider
from ..settings import ModelSettings
from .openai import OpenAIChatModel

CrusoeModelName: TypeAlias = Union[
    str,
    Literal[
        'deepseek-ai/DeepSeek-V4.1-Flash',
        'google/gemma-4-31b-it',
        'nvidia/Nemotron-3-Nano-Omni-Reasoning-30B-A3B',
        'nvidia/nemotron-3.5-lightning-30b-a3b',
        'nvidia/nemotron-3.5-super-vl-120b-a12b',
        'openai/gpt-oss-120b',
        'qwen/Qwen3.8-27B',
        'zai-org/GLM-5.3',
        'zai-org/GLM-5.3-Flash',
    ],
]
"""The name of a model that Crusoe serves; those that are known, or any other."""


@dataclass(init=False, repr=False)
class CrusoeModel(OpenAIChatModel):
    """A model that Crusoe serves."""

    def __init__(
        self,
        model_name: CrusoeModelName,
        *,
        provider: Literal['crusoe'] | Provider[Any] = 'crusoe',
        profile: ModelProfileSpec | None = None,
        settings: ModelSettings | None = None,
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


__all__ = ('CrusoeModel', 'CrusoeModelName')
