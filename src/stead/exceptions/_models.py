"""The errors of requests to models: what went wrong, as classes, and what the provider said about it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Literal, get_args

from ._base import AgentRunError
from ._retry_after import wait_of

TransportPhase = Literal['pool', 'connect', 'write', 'read']
"""What a connection was doing when it failed: waiting for a free one, connecting, sending the request, or reading."""
RequestTimeoutSetting = Literal['request_timeout', 'first_event_timeout']
"""The setting whose limit a request exceeded."""


class ModelAPIError(AgentRunError):
    """A provider could not be reached or rejected the request.

    Args:
        model_name: The model of the request.
        message: What happened.
        body: What the provider sent as its error, parsed if it is JSON.
        provider_error_code: The code of the error in the words of the provider.
        provider_error_type: Its type in the words of the provider.
        retry_after: The number of seconds after which to retry, if the provider sent it.
        in_stream: Whether the error came as a part of a response that had started.
    """

    model_name: str
    body: object | None
    provider_error_code: str | None
    provider_error_type: str | None
    retry_after: float | None
    in_stream: bool

    def __init__(
        self,
        model_name: str,
        message: str,
        *,
        body: object | None = None,
        provider_error_code: str | None = None,
        provider_error_type: str | None = None,
        retry_after: float | None = None,
        in_stream: bool = False,
    ):
        self.model_name = model_name
        self.body = body
        self.provider_error_code = provider_error_code
        self.provider_error_type = provider_error_type
        self.retry_after = retry_after
        self.in_stream = in_stream
        super().__init__(message)


class ModelRateLimitError(ModelAPIError):
    """Requests come faster than the provider allows: retry later, see `retry_after`."""


class ModelQuotaExceededError(ModelAPIError):
    """The quota or the money of the account is used up: a retry does not help."""


class ModelUnavailableError(ModelAPIError):
    """The service does not answer requests at the moment."""


class ModelOverloadedError(ModelUnavailableError):
    """The service has too many requests at the moment."""


class ModelServerError(ModelAPIError):
    """The provider failed."""


class ModelRequestRejectedError(ModelAPIError):
    """The provider does not accept the request, and would not when it is sent again."""


class ModelContextWindowExceededError(ModelRequestRejectedError):
    """The messages are longer than the context window of the model."""


class ModelAuthenticationError(ModelRequestRejectedError):
    """The key is invalid, or does not permit the request."""


class ModelNotFoundError(ModelRequestRejectedError):
    """The provider does not have the model."""


class ModelConnectionError(ModelAPIError):
    """The connection to the provider failed.

    Args:
        model_name: The model of the request.
        message: What happened.
        phase: What the connection was doing, if that is known. Before the phase `'write'` no part of the request was sent.
        body, provider_error_code, provider_error_type, retry_after, in_stream: As for `ModelAPIError`.
    """

    phase: TransportPhase | None

    def __init__(
        self,
        model_name: str,
        message: str,
        *,
        phase: TransportPhase | None = None,
        body: object | None = None,
        provider_error_code: str | None = None,
        provider_error_type: str | None = None,
        retry_after: float | None = None,
        in_stream: bool = False,
    ):
        self.phase = phase
        super().__init__(
            model_name,
            message,
            body=body,
            provider_error_code=provider_error_code,
            provider_error_type=provider_error_type,
            retry_after=retry_after,
            in_stream=in_stream,
        )


class ModelTimeoutError(ModelConnectionError):
    """The connection to the provider took longer than its timeout."""


class ModelRequestTimeout(ModelAPIError):
    """A request took longer than the limit that a setting has for it.

    Args:
        model_name: The model of the request.
        timeout: The limit in seconds.
        setting: The setting: `request_timeout`, or `first_event_timeout` for a stream that did not begin.
    """

    timeout: float
    setting: RequestTimeoutSetting

    def __init__(self, model_name: str, timeout: float, *, setting: RequestTimeoutSetting = 'request_timeout'):
        if setting not in get_args(RequestTimeoutSetting):
            raise ValueError(f'`setting` is `request_timeout` or `first_event_timeout`, not {setting!r}.')
        self.timeout = timeout
        self.setting = setting
        without = ' without producing any output' if setting == 'first_event_timeout' else ''
        super().__init__(model_name, f'Request to model {model_name!r} timed out after {timeout} seconds{without}')


class ModelHTTPError(ModelAPIError):
    """A provider returned an HTTP error status.

    Errors of models with a status are of this class and of one that says what went wrong, such as `ModelRateLimitError`.

    Args:
        status_code: The HTTP status, 400 to 599.
        model_name: The model of the request.
        body: The body of the response, parsed if it is JSON.
        headers: The headers of the response; their names are stored in lower case.
        suggested_model_id: The name of a model that may have been meant.
        hint: What to do, for the end of the message.
        provider_error_code: The code of the error in the words of the provider.
        provider_error_type: Its type in the words of the provider.
        retry_after: The number of seconds after which to retry; otherwise that of the headers.
        in_stream: Whether the error came as a part of a response that had started, with the status of the same error there.
    """

    status_code: int
    headers: dict[str, str] | None
    suggested_model_id: str | None
    hint: str | None

    _category: ClassVar[type[ModelAPIError] | None] = None

    def __init__(
        self,
        status_code: int,
        model_name: str,
        body: object | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        suggested_model_id: str | None = None,
        hint: str | None = None,
        provider_error_code: str | None = None,
        provider_error_type: str | None = None,
        retry_after: float | None = None,
        in_stream: bool = False,
    ):
        self.status_code = status_code
        self.headers = None if headers is None else {name.lower(): value for name, value in headers.items()}
        self.suggested_model_id = suggested_model_id
        self.hint = hint
        message = f'status_code: {status_code}, model_name: {model_name}, body: {body}'
        message += f'. Did you mean {suggested_model_id!r}?' if suggested_model_id else ''
        ModelAPIError.__init__(
            self,
            model_name,
            f'{message}. {hint}' if hint else message,
            body=body,
            provider_error_code=provider_error_code,
            provider_error_type=provider_error_type,
            retry_after=wait_of(self.headers or {}) if retry_after is None else retry_after,
            in_stream=in_stream,
        )

    @property
    def provider_retry_hint(self) -> bool | None:
        """Whether the provider says to send the request again (`x-should-retry`); `None` if it does not say."""
        return {'true': True, 'false': False}.get((self.headers or {}).get('x-should-retry', '').lower())

    @staticmethod
    def for_category(
        category: type[ModelAPIError] | None, *, status_code: int, model_name: str, **details: Any
    ) -> ModelHTTPError:
        """Return an error that is also of a class that says what went wrong.

        Args:
            category: The class, such as `ModelRateLimitError`; `None` for an error that is a `ModelHTTPError` only.
            status_code: The HTTP status.
            model_name: The model of the request.
            details: The other arguments of `ModelHTTPError`.

        Raises:
            TypeError: Errors with an HTTP status are not of that class.
        """
        if category is None:
            return ModelHTTPError(status_code, model_name, **details)
        if not issubclass(category, _WITH_STATUS) or issubclass(category, ModelHTTPError):
            raise TypeError(f'{category.__name__} is not a class of errors that have an HTTP status.')
        return _with_status(category, NAMED_BY_CATEGORY)(status_code, model_name, **details)

    def __reduce__(self) -> tuple[object, ...]:
        if self._category is None:
            return super().__reduce__()
        return _rebuild, (self._category, self.args), self.__dict__.copy()


_WITH_STATUS = (
    ModelRateLimitError,
    ModelQuotaExceededError,
    ModelUnavailableError,
    ModelServerError,
    ModelRequestRejectedError,
)


NAMED_BY_CATEGORY = False
"""Whether the class of an error with a status has the name of its category, and not `ModelHTTPError`."""


@cache
def _with_status(category: type[ModelAPIError], is_named: bool) -> type[ModelHTTPError]:
    names = {'__module__': category.__module__, '__doc__': category.__doc__, '_category': category}
    return type((category if is_named else ModelHTTPError).__name__, (ModelHTTPError, category), names)


def _rebuild(category: type[ModelAPIError], args: tuple[object, ...]) -> BaseException:
    cls = _with_status(category, NAMED_BY_CATEGORY)
    error = cls.__new__(cls, *args)
    error.args = args
    return error
