"""The errors of Mistral's SDK, as stead's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..._kit.json_types import as_dict
from ...exceptions import ModelAPIError, UserError
from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised; any other error is returned as it is."""
    if isinstance(error, ValidationError) and 'Request' in error.title:
        first = error.errors(include_url=False, include_input=False)[0]
        where = str(first['loc'][0]) if first['loc'] else error.title
        return UserError(f'The request to {model_name!r} cannot be sent: {where}: {first["msg"]}')
    status: Any = getattr(error, 'status_code', None)
    if not type(error).__module__.startswith('mistralai.') or not isinstance(status, int):
        return _wire_errors.as_model_error(error, model_name, secret, '')
    raised: Any = error
    if status >= 400:
        return _wire_errors.http_error(status, model_name, raised.body, raised.headers, secret)
    if from_body := reported(body_of(error), model_name, secret):
        return from_body
    return _wire_errors.unusable(model_name, 'the SDK cannot read it', raised.body)


def reported(body: Mapping[str, Any], model_name: str, secret: str | None) -> ModelAPIError | None:
    """Return the error in the body of a response with a status of success; `None` if there is none."""
    message = None if 'choices' in body else as_dict(body.get('error')).get('message') or body.get('message')
    if not message:
        return None
    return _wire_errors.reported_error(dict(body), model_name, secret)


def body_of(error: Exception) -> dict[str, Any]:
    """Return the object that the SDK could not read; empty if there is none."""
    try:
        return as_dict(json.loads(getattr(error, 'body', '')))
    except (TypeError, ValueError):
        return {}
