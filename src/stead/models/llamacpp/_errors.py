"""What goes wrong with local models."""

from __future__ import annotations

from ...exceptions import ModelAPIError, UserError

#   UserError
#   └── WeightsError              there is no such file, or it is not what it should be
#   ModelAPIError
#   └── EngineError               the engine failed, was closed, or took too long
#       └── ContextOverflow       the prompt is longer than the context


class WeightsError(UserError):
    """Report a file of weights that is missing, broken, or no GGUF file."""


class EngineError(ModelAPIError):
    """Report that the engine could not answer."""


class ContextOverflow(EngineError):
    """Report a prompt that is longer than the context of the engine.

    Args:
        model_name: The model that was asked.
        tokens: How long the prompt is.
        context_size: How long it may be.
    """

    tokens: int
    context_size: int

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
