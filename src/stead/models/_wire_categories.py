"""What went wrong with a request, by what the provider says of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .._kit.json_types import as_dict, as_list
from .._kit.secret import without_secret
from ..exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelUnavailableError,
)

Category = type[ModelAPIError]

_BY_STATUS: dict[int, Category] = {
    400: ModelRequestRejectedError,
    401: ModelAuthenticationError,
    402: ModelQuotaExceededError,
    403: ModelAuthenticationError,
    404: ModelNotFoundError,
    422: ModelRequestRejectedError,
    429: ModelRateLimitError,
    503: ModelUnavailableError,
    529: ModelOverloadedError,
}
"""The classes by HTTP status; all other statuses of 500 and more are `ModelServerError`."""

_BY_WORD: dict[str, tuple[int, Category]] = {
    'authentication_error': (401, ModelAuthenticationError),
    'invalid_api_key': (401, ModelAuthenticationError),
    'API_KEY_INVALID': (401, ModelAuthenticationError),
    'billing_error': (402, ModelQuotaExceededError),
    'billing_hard_limit_reached': (429, ModelQuotaExceededError),
    'insufficient_quota': (429, ModelQuotaExceededError),
    'context_length_exceeded': (400, ModelContextWindowExceededError),
    'model_not_found': (404, ModelNotFoundError),
    'not_found_error': (404, ModelNotFoundError),
    'overloaded': (503, ModelOverloadedError),
    'overloaded_error': (529, ModelOverloadedError),
    'engine_overloaded': (503, ModelOverloadedError),
    'permission_error': (403, ModelAuthenticationError),
    'rate_limit_error': (429, ModelRateLimitError),
    'rate_limit_exceeded': (429, ModelRateLimitError),
    # Of Amazon Bedrock, whose errors in streams have no status.
    'modelTimeoutException': (408, ModelServerError),
    'throttlingException': (429, ModelRateLimitError),
    'ServiceQuotaExceededException': (400, ModelQuotaExceededError),
}
"""Codes and types of errors, with the status that they have where HTTP has none, and their class."""

_STATUS_BY_WORD = {
    'api_error': 500,
    'internalServerException': 500,
    'invalid_request_error': 400,
    'modelStreamErrorException': 424,
    'request_too_large': 413,
    'server_error': 500,
    'serviceUnavailableException': 503,
    'timeout_error': 504,
    'validationException': 400,
}
"""Codes and types of errors that are of the class of their status."""

_BY_TEXT: tuple[tuple[str, Category], ...] = (
    (r'maximum context length|prompt is too long|input is too long', ModelContextWindowExceededError),
    (r'token count .*exceeds the maximum number of tokens', ModelContextWindowExceededError),
    (r'maximum prompt length|context window|too many (?:input )?tokens', ModelContextWindowExceededError),
    (r'credit balance is too low|insufficient balance|"quotaId": "[^"]*PerDay', ModelQuotaExceededError),
    (r'API key not valid|API key expired', ModelAuthenticationError),
)
"""What the texts of errors say whose code does not say it; for the status 400, and for 429 whether it is the quota."""
_OVERLOADED = re.compile('overloaded', re.IGNORECASE)


class Words(NamedTuple):
    """The words of a provider for an error."""

    code: str | None
    type: str | None
    text: str


def words_of(body: object) -> Words:
    """Return the code, the type and the text of an error in the body of a response."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return Words(None, None, str(body)[:10_000])
    outer = as_dict(body)
    inner = as_dict(outer.get('error')) or as_dict(outer.get('Error')) or outer
    status = inner.get('status')
    code = status if isinstance(status, str) and status.isupper() else inner.get('code', inner.get('Code'))
    kind = None if inner is outer and outer.get('type') == 'error' else inner.get('type')
    text = inner.get('message') or inner.get('Message') or outer.get('message') or ''
    details = as_list(inner.get('details'))
    if details:
        text = f'{text} {json.dumps(details, default=str)[:10_000]}'
    return Words(
        str(code) if isinstance(code, (str, int)) else None, kind if isinstance(kind, str) else None, str(text)[:20_000]
    )


def category_of(status: int, words: Words) -> Category | None:
    """Return the class that says what went wrong, for an HTTP error status; `None` if there is none for it."""
    for word in (words.code, words.type):
        if word in _BY_WORD:
            return _BY_WORD[word][1]
    for pattern, category in _BY_TEXT if status in (400, 429) else ():
        if (status == 400 or category is ModelQuotaExceededError) and re.search(pattern, words.text, re.IGNORECASE):
            return category
    if status == 503 and _OVERLOADED.search(words.text):
        return ModelOverloadedError
    return _BY_STATUS.get(status, ModelServerError if status >= 500 else None)


def http_error(
    status: int,
    model_name: str,
    body: object,
    headers: Mapping[str, str] | None,
    secret: str | None,
    *,
    retry_after: float | None = None,
) -> ModelHTTPError:
    """Return the error for an HTTP error status.

    Args:
        status: The status.
        model_name: The name of the model.
        body: The body of the response.
        headers: The headers of the response.
        secret: The API key, which some providers repeat in error responses.
        retry_after: The seconds to wait before a retry, if the body has them.
    """
    body = without_secret(body, secret)
    words = words_of(body)
    return ModelHTTPError.for_category(
        category_of(status, words),
        status_code=status,
        model_name=model_name,
        body=body,
        headers=headers and without_secret(dict(headers), secret),
        provider_error_code=words.code,
        provider_error_type=words.type,
        retry_after=retry_after,
    )


def reported_error(error: object, model_name: str, secret: str | None, text: str | None = None) -> ModelAPIError:
    """Return the error for one in the body of a response that began well; its words may stand for a status.

    Args:
        error: What the body has as its error.
        model_name: The model that was asked.
        secret: The key of the request, to keep it out of the error.
        text: What happened, if the error does not say it.
    """
    words = words_of(error)
    for word in (words.code, words.type):
        if word is not None and word.isdecimal() and 400 <= int(word[:9]) <= 599:
            status = int(word)
        elif word in _BY_WORD:
            status = _BY_WORD[word][0]
        elif word in _STATUS_BY_WORD:
            status = _STATUS_BY_WORD[word]
        else:
            continue
        return http_error(status, model_name, error, None, secret)
    message: Any = without_secret(words.text or text or str(error), secret)
    return ModelAPIError(
        model_name,
        f'{model_name!r} reports: {message}',
        body=without_secret(error, secret),
        provider_error_code=words.code,
        provider_error_type=words.type,
    )
