"""Settings of Mistral's models."""

from __future__ import annotations

from typing import Literal, Optional, Union

from typing_extensions import TypeAlias

from ...settings import ModelSettings

LatestMistralModelNames: TypeAlias = Literal[
    'mistral-large-latest', 'mistral-small-latest', 'codestral-latest', 'mistral-moderation-latest'
]
"""Names that are known."""
MistralModelName: TypeAlias = Union[str, LatestMistralModelNames]
"""The name of a model; those that are known, or any other."""
MistralToolCallId: TypeAlias = Optional[str]
"""The id of a call, if it has one."""


class MistralModelSettings(ModelSettings, total=False):
    """Settings of Mistral's models: those that all models have."""


__all__ = ('LatestMistralModelNames', 'MistralModelName', 'MistralModelSettings', 'MistralToolCallId')
