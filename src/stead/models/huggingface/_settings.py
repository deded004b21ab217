"""Settings of models behind Hugging Face."""

from __future__ import annotations

from typing import Literal, Union

from typing_extensions import TypeAlias

from ...settings import ModelSettings

LatestHuggingFaceModelNames: TypeAlias = Literal[
    'deepseek-ai/DeepSeek-R1',
    'meta-llama/Llama-3.3-70B-Instruct',
    'meta-llama/Llama-4-Maverick-17B-128E-Instruct',
    'meta-llama/Llama-4-Scout-17B-16E-Instruct',
    'Qwen/QwQ-32B',
    'Qwen/Qwen2.5-72B-Instruct',
    'Qwen/Qwen3-235B-A22B',
    'Qwen/Qwen3-32B',
]
"""Names that are known."""
HuggingFaceModelName: TypeAlias = Union[str, LatestHuggingFaceModelNames]
"""The name of a model on the Hugging Face Hub; those that are known, or any other."""


class HuggingFaceModelSettings(ModelSettings, total=False):
    """Settings of models behind Hugging Face: those that all models have."""


__all__ = ('HuggingFaceModelName', 'HuggingFaceModelSettings', 'LatestHuggingFaceModelNames')
