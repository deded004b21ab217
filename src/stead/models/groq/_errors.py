"""The errors of Groq's SDK, as stead's, and generations that Groq could not parse as calls of tools."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..._kit.json_types import as_dict
from ...messages import TextPart, ToolCallPart
from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised; any other error is returned as it is."""
    return _wire_errors.as_model_error(error, model_name, secret, 'groq')


class FailedGeneration(NamedTuple):
    """A generation of a model that Groq could not parse as valid calls."""

    parts: list[TextPart | ToolCallPart]


def failed_generation(error: BaseException | None) -> FailedGeneration | None:
    """Return the generation, if the error is that Groq could not parse it as valid calls; otherwise `None`.

    The run continues with it as a response, so that the model learns what is wrong with its calls.
    """
    body = as_dict(getattr(error, 'body', None))
    details = as_dict(body.get('error', body))  # in a stream, the body is the error itself
    text = details.get('failed_generation')
    if (
        details.get('code') != 'tool_use_failed'
        or details.get('type') != 'invalid_request_error'
        or not isinstance(text, str)
    ):
        return None
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    calls = [_call(as_dict(item)) for item in (data if isinstance(data, list) else [data])]  # type: ignore[reportUnknownVariableType]
    valid = [call for call in calls if call is not None]
    if valid and len(valid) == len(calls):
        return FailedGeneration([*valid])
    return FailedGeneration([TextPart(text)] if text else [])


def _call(item: dict[str, Any]) -> ToolCallPart | None:
    name, arguments = item.get('name'), item.get('arguments', item.get('parameters'))
    if not isinstance(name, str) or not isinstance(arguments, (dict, str)):
        return None
    return ToolCallPart(name, arguments)  # type: ignore[reportUnknownArgumentType]
