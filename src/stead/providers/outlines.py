"""Outlines."""

from __future__ import annotations

from typing import Any

from typing_extensions import deprecated

from ..exceptions import PydanticAIDeprecationWarning
from ..profiles import ModelProfile
from . import Provider

PROFILE = ModelProfile(
    supports_tools=False,
    supports_json_schema_output=True,
    supports_json_object_output=True,
    supports_inline_system_prompts=True,
    default_structured_output_mode='native',
    native_output_requires_schema_in_instructions=True,
)
"""What the models of Outlines can do."""


@deprecated(
    '`OutlinesProvider` is deprecated, as it is in the mirrored interface; `OutlinesModel` needs none.',
    category=PydanticAIDeprecationWarning,
)
class OutlinesProvider(Provider):
    """The provider of models of Outlines: a profile, without a client or a URL."""

    @property
    def name(self) -> str:
        """The name of the provider."""
        return 'outlines'

    @property
    def base_url(self) -> str:
        """Raise an error: models of Outlines are in this process, or have URLs of their own."""
        raise NotImplementedError('Outlines has no URL: its models are in this process, or have URLs of their own.')

    @property
    def client(self) -> Any:
        """Raise an error: each model of Outlines has what it needs."""
        raise NotImplementedError('Outlines has no client: use `OutlinesModel.model`, the model of Outlines itself.')

    @staticmethod
    def model_profile(model_name: str) -> ModelProfile | None:
        """Return the profile of a model, which is the same for all of them."""
        return PROFILE

    def __repr__(self) -> str:
        return f'{type(self).__name__}()'


__all__ = ('OutlinesProvider',)
