"""Whose an error is that was raised while a model was asked: the caller's, the request's, or the answer's.

Only those of the answer may be tried again, or sent to another model. Errors of SDKs and of connections have classes that say
what they are; a plain `ValueError` has not, but where it was raised says it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple

from .._kit.json_types import as_dict

_SDKS = frozenset(
    {
        *(
            'stead',
            'openai',
            'anthropic',
            'groq',
            'google',
            'mistralai',
            'cohere',
            'huggingface_hub',
            'outlines',
            'voyageai',
        ),
        *('boto3', 'botocore', 'xai_sdk', 'grpc'),
    }
)
_LIBRARIES = sys.stdlib_module_names | {
    *('httpx', 'httpx2', 'httpcore', 'httpcore2', 'h11', 'anyio', 'aiohttp', 'requests', 'urllib3', 'tenacity'),
    *('pydantic', 'pydantic_core', 'typing_extensions'),
}
"""What SDKs and callers' code both use: an error in one of them belongs to the code that called it."""
_WRITERS = ('json.encoder', '._transform', '._qs')
"""The ends of the names of modules that write requests."""
_WRITING = frozenset(
    {
        *('build_request', '_build_request', '_build_headers', '_validate_headers', '_prepare_url', 'get_request_body'),
        *('_calculate_nonstreaming_timeout', 'write_body', '_head_of'),
    }
)
"""The functions that write requests."""


def is_callers(error: BaseException) -> bool:
    """Return whether an error was raised in the caller's code: a hook, a transport, a function that returns a key."""
    packages = [_module(frame).partition('.')[0] for frame in _frames(error)]
    return next((name for name in reversed(packages) if name not in _LIBRARIES), 'stead') not in _SDKS


def is_about_request(error: BaseException) -> bool:
    """Return whether an error was raised while a request was written."""
    if isinstance(error, UnicodeEncodeError):  # answers are decoded
        return True
    return any(_module(frame).endswith(_WRITERS) or frame.f_code.co_name in _WRITING for frame in _frames(error))


class Refusal(NamedTuple):
    """An HTTP response with an error status."""

    status: int
    headers: Mapping[str, str]
    body: str | None
    """`None` if it was not read."""


def refusal_in(error: BaseException) -> Refusal | None:
    """Return the HTTP response with an error status whose body an SDK failed to read; `None` if there is none."""
    for frame in _frames(error):
        for name in ('response', 'self', 'http_res'):
            held: Any = frame.f_locals.get(name)
            # Other mappings may be half built: the error may be that of building them.
            fields: Mapping[str, Any] = as_dict(held) if isinstance(held, dict) else getattr(held, '__dict__', {})
            status, headers = fields.get('status_code'), fields.get('headers')
            if type(status) is int and status >= 400 and isinstance(headers, Mapping):
                body: object = fields.get('body') or fields.get('_content')
                return Refusal(status, headers, body.decode(errors='replace') if isinstance(body, bytes) else None)
    return None


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get('__name__'))
