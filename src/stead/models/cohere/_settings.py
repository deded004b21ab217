"""Settings of Cohere's models."""

from __future__ import annotations

from typing import Literal, Union

from typing_extensions import TypeAlias

from ...settings import ModelSettings

LatestCohereModelNames: TypeAlias = Literal[
    'c4ai-aya-expanse-32b',
    'c4ai-aya-expanse-8b',
    'command-nightly',
    'command-r-08-2024',
    'command-r-plus-08-2024',
    'command-r7b-12-2024',
]
"""Names that are known."""
CohereModelName: TypeAlias = Union[str, LatestCohereModelNames]
"""The name of a model; those that are known, or any other."""


class CohereModelSettings(ModelSettings, total=False):
    """Settings of Cohere's models: those that all models have."""


__all__ = ('CohereModelName', 'CohereModelSettings', 'LatestCohereModelNames')
