"""Translates the errors of Anthropic's SDK to stead's."""

from __future__ import annotations

from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised. Errors from elsewhere are returned unchanged."""
    return _wire_errors.as_model_error(error, model_name, secret, 'anthropic')
