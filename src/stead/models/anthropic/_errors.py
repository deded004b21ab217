"""The errors of Anthropic's SDK, as stead's."""

from __future__ import annotations

from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return the error of stead for one that the SDK raised; one that is of neither is returned as it is."""
    return _wire_errors.as_model_error(error, model_name, secret, 'anthropic')
