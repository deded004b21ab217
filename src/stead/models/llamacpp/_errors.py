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


class EngineError(ModelAPIError):
    """The engine could not answer."""


class ContextOverflow(EngineError):
    """The prompt is longer than the context of the engine."""

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
