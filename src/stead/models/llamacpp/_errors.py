"""Errors of local models."""

from __future__ import annotations

from ...exceptions import ModelAPIError, UserError

#   UserError
#   └── WeightsError              the file is missing or broken
#   ModelAPIError
#   └── EngineError               the engine failed, was closed, or took too long
#       └── ContextOverflow       the prompt is longer than the context


class WeightsError(UserError):
    """The file of weights is missing, broken, or not a GGUF file."""

    __module__ = 'stead.models.llamacpp'  # where it is imported from, as a traceback shows it


class EngineError(ModelAPIError):
    """The engine could not answer."""

    __module__ = 'stead.models.llamacpp'  # where it is imported from, as a traceback shows it


class ContextOverflow(EngineError):
    """The prompt is longer than the context of the engine."""

    __module__ = 'stead.models.llamacpp'  # where it is imported from, as a traceback shows it

    tokens: int
    """The length of the prompt."""
    context_size: int
    """The length of the context, in tokens."""

    def __init__(self, model_name: str, tokens: int, context_size: int):
        self.tokens = tokens
        self.context_size = context_size
        super().__init__(
            model_name,
            f'The prompt has {tokens} tokens, but the context of {model_name!r} is {context_size} tokens long. '
            'Shorten the history, the instructions or the descriptions of the tools, or make the context longer: '
            f'`LlamaCppModel(..., context_size={_rounded(tokens)})`.',
        )


def _rounded(tokens: int) -> int:
    size = 1024
    while size < tokens + 1024:
        size *= 2
    return size


__all__ = ('ContextOverflow', 'EngineError', 'WeightsError')
