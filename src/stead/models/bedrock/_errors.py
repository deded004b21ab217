"""The errors of boto3, as stead's."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import urlsplit

from ..._kit.json_types import as_dict
from ..._kit.secret import causes, without_secret
from ...exceptions import AgentRunError, ModelAPIError, UserError
from .. import _wire_errors

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
        text = without_secret(f'{type(error).__name__}: {error}', secret)
        return _wire_errors.unusable(model_name, f'it cannot be parsed ({text})')
    if origin in _TRANSPORTS or isinstance(error, OSError):
        return _connection(error, model_name, secret)
    return _wire_errors.as_model_error(error, model_name, secret, '')


def _reported(error: Any, model_name: str, secret: str | None) -> ModelAPIError:
    """Return the error that the service reported."""
    body = dict(as_dict(error.response))
    metadata = as_dict(body.get('ResponseMetadata'))
    status: object = metadata.get('HTTPStatusCode')
    if not isinstance(status, int) or status < 400:  # in the middle of a stream HTTP no longer has one
        return _wire_errors.reported_error(body, model_name, secret, str(error))
    return _wire_errors.http_error(status, model_name, body, as_dict(metadata.get('HTTPHeaders')), secret)


def _connection(error: Exception, model_name: str, secret: str | None) -> ModelAPIError:
    text: str = without_secret(f'{type(error).__name__}: {error}', secret)
    url: object = as_dict(getattr(error, 'kwargs', None)).get('endpoint_url')
    parts = urlsplit(url) if isinstance(url, str) else None
    where = f' at {parts.scheme}://{parts.netloc}' if parts is not None else ''
    message = f'The connection to the provider of {model_name!r}{where} failed: {text}'
    return _wire_errors.connection_error(causes(error), model_name, message)
