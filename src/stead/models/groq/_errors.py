"""The errors of Groq's SDK, as stead's, and what a model made that Groq could not read as a call of a tool."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..._kit.plain import as_dict
from ...messages import TextPart, ToolCallPart
from .. import _wire_errors


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that the SDK raised; any other error is returned as it is."""
    return _wire_errors.as_model_error(error, model_name, secret, 'groq')


class FailedGeneration(NamedTuple):
    """What a model made that Groq could not make valid calls of."""

    parts: list[TextPart | ToolCallPart]


def failed_generation(error: Exception) -> FailedGeneration | None:
    """Return what the model made, if the error is that Groq could not make valid calls of it; else `None`.

    The run goes on with that as a response, so that the model is told what is wrong with its calls.
    """
    body = as_dict(getattr(error, 'body', None))
    said = as_dict(body.get('error', body))  # in a stream, the error stands by itself
    text = said.get('failed_generation')
    if (
        said.get('code') != 'tool_use_failed'
        or said.get('type') != 'invalid_request_error'
        or not isinstance(text, str)
    ):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    calls = [_call(as_dict(item)) for item in (found if isinstance(found, list) else [found])]  # type: ignore[reportUnknownVariableType]
    read = [call for call in calls if call is not None]
    if read and len(read) == len(calls):
        return FailedGeneration([*read])
    return FailedGeneration([TextPart(text)] if text else [])


def _call(item: dict[str, Any]) -> ToolCallPart | None:
    name, arguments = item.get('name'), item.get('arguments', item.get('parameters'))
    if not isinstance(name, str) or not isinstance(arguments, (dict, str)):
        return None
    return ToolCallPart(name, arguments)  # type: ignore[reportUnknownArgumentType]
