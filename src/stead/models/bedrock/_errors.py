"""The errors of boto3, as stead's."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ..._kit.plain import as_dict
from ..._kit.secret import causes, without_secret
from ...exceptions import AgentRunError, ModelAPIError, UserError
from .. import _wire_errors

# The statuses of errors that come in the middle of a stream, where HTTP no longer has one.
_STREAM_ERRORS = {
    'validationException': 400,
    'modelTimeoutException': 408,
    'modelStreamErrorException': 424,
    'throttlingException': 429,
    'internalServerException': 500,
    'serviceUnavailableException': 503,
}
_TRANSPORTS = ('urllib3', 'requests', 'http')


def as_model_error(error: Exception, model_name: str, secret: str | None) -> Exception:
    """Return stead's error for one that boto3 raised; any other error is returned as it is."""
    if isinstance(error, (AgentRunError, UserError)):
        return error
    botocore: Any = sys.modules.get('botocore.exceptions')
    if botocore is not None:
        if isinstance(error, botocore.ClientError):
            return _reported(error, model_name, secret)
        if isinstance(error, botocore.ParamValidationError):
            report = ' '.join(str(error.kwargs.get('report', error)).split())  # type: ignore[attr-defined]
            return UserError(f'The request to {model_name!r} cannot be sent: {report}')
        if isinstance(error, (botocore.NoCredentialsError, botocore.PartialCredentialsError)):
            return UserError(
                f'There are no credentials for {model_name!r}: {error}. Pass them to `BedrockProvider`, for example as '
                '`api_key`, or set the environment variable `AWS_BEARER_TOKEN_BEDROCK`, or those of an access key.'
            )
        if isinstance(error, botocore.BotoCoreError):
            return _connection(error, model_name, secret)
    origin = type(error).__module__.partition('.')[0]
    if type(error).__module__ in ('botocore.eventstream', 'botocore.parsers'):
        return _wire_errors.unusable(model_name, f'it cannot be parsed ({type(error).__name__}: {error})')
    if origin in _TRANSPORTS or isinstance(error, OSError):
        return _connection(error, model_name, secret)
    return _wire_errors.as_model_error(error, model_name, secret, '')


def _reported(error: Any, model_name: str, secret: str | None) -> ModelAPIError:
    """Return the error that the service reported."""
    body = as_dict(error.response)
    code = as_dict(body.get('Error')).get('Code')
    status: Any = as_dict(body.get('ResponseMetadata')).get('HTTPStatusCode')
    status = status if isinstance(status, int) else _STREAM_ERRORS.get(str(code))
    if status is None or status < 400:
        text = without_secret(str(error), secret)
        return ModelAPIError(model_name, f'{model_name!r} reports: {text}')
    headers: Mapping[str, str] = as_dict(as_dict(body.get('ResponseMetadata')).get('HTTPHeaders'))
    return _wire_errors.http_error(status, model_name, dict(body), headers, secret)


def _connection(error: Exception, model_name: str, secret: str | None) -> ModelAPIError:
    text: str = without_secret(f'{type(error).__name__}: {error}', secret)
    url: object = as_dict(getattr(error, 'kwargs', None)).get('endpoint_url')
    parts = urlsplit(url) if isinstance(url, str) else None
    where = f' at {parts.scheme}://{parts.netloc}' if parts is not None else ''
    message = f'The connection to the provider of {model_name!r}{where} failed: {text}'
    return _wire_errors.connection_error(causes(error), model_name, message)
