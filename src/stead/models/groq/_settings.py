"""Settings of Groq's models."""

from __future__ import annotations

from typing import Literal, Union

from typing_extensions import TypeAlias

from ...settings import ModelSettings

ProductionGroqModelNames: TypeAlias = Literal[
    'llama-3.1-8b-instant',
    'llama-3.3-70b-versatile',
    'meta-llama/llama-guard-4-12b',
    'openai/gpt-oss-120b',
    'openai/gpt-oss-20b',
    'whisper-large-v3',
    'whisper-large-v3-turbo',
]
"""Names that are meant for production."""
PreviewGroqModelNames: TypeAlias = Literal[
    'meta-llama/llama-4-maverick-17b-128e-instruct',
    'meta-llama/llama-4-scout-17b-16e-instruct',
    'meta-llama/llama-prompt-guard-2-22m',
    'meta-llama/llama-prompt-guard-2-86m',
    'moonshotai/kimi-k2-instruct-0905',
    'openai/gpt-oss-safeguard-20b',
    'playai-tts',
    'playai-tts-arabic',
    'qwen/qwen-3-32b',
]
"""Names that may be withdrawn at any time."""
GroqModelName: TypeAlias = Union[str, ProductionGroqModelNames, PreviewGroqModelNames]
"""The name of a model; those that are known, or any other."""


class GroqModelSettings(ModelSettings, total=False):
    """Settings of Groq's models."""

    groq_reasoning_effort: Literal['none', 'default', 'low', 'medium', 'high']
    """How much the model reasons, as Groq has it for the model."""
    groq_reasoning_format: Literal['hidden', 'raw', 'parsed']
    """Whether thinking is left out, in the text, or a part of its own; overrides `thinking`."""


__all__ = ('GroqModelName', 'GroqModelSettings', 'PreviewGroqModelNames', 'ProductionGroqModelNames')
