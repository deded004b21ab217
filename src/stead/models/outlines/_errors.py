"""The errors of Outlines and of the SDK that asks servers, as stead's."""

from __future__ import annotations

from ..._kit.secret import hide_secret
from ...exceptions import ModelAPIError
from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None, *, remote: bool) -> Exception:
    """Return stead's error for one that a model raised; what a model in this process raises itself is returned as it is.

    Args:
        error: The error.
        model_name: The name of the model.
        secret: The API key, which is removed from the text, and from those of the error and its causes.
        remote: Whether the model is on a server.
    """
    hide_secret(error, secret)
    original = getattr(error, 'original_exception', None)
    is_own = type(error).__module__.startswith('outlines.')
    if is_own and isinstance(original, Exception):
        return as_model_error(original, model_name, secret, remote=remote)
    if is_own and not isinstance(error, (TypeError, ValueError, NotImplementedError)):
        text = _wire_errors.without_secret(str(error), secret)
        return ModelAPIError(model_name, f'{model_name!r} reports: {text}')
    return _wire_errors.as_model_error(error, model_name, secret, 'openai') if remote else error
