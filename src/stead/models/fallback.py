"""`FallbackModel`: a model that tries several models in turn."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import TracebackType
from typing import Any, ClassVar, Literal, Union, get_args, get_type_hints

from typing_extensions import Self, TypeAlias

from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from .._kit.ids import now_utc
from .._kit.short import short_repr
from ..exceptions import FallbackExceptionGroup, ModelAPIError, UserError
from ..messages import ModelMessage, ModelRequestAttempt, ModelResponse
from ..profiles import ModelProfile
from ..settings import ModelSettings
from ..usage import RequestUsage
from . import KnownModelName, infer_model
from ._base import Model
from ._breaker import CircuitBreaker
from ._fallback_streams import Attempt, RestartingStream, wait_for_content
from ._streaming.streamed import StreamedResponse
from ._telemetry import answered_by
from .bounded import bounded_request, bounded_stream

ExceptionHandler: TypeAlias = Union[Callable[[Exception], Awaitable[bool]], Callable[[Exception], bool]]
"""A function that returns whether to try the next model after an error."""
ResponseHandler: TypeAlias = Union[Callable[[ModelResponse], Awaitable[bool]], Callable[[ModelResponse], bool]]
"""A function that returns whether to try the next model after a response."""
FallbackOn: TypeAlias = Union[
    type[Exception],
    tuple[type[Exception], ...],
    ExceptionHandler,
    ResponseHandler,
    Sequence[Union[type[Exception], ExceptionHandler, ResponseHandler]],
]
"""When to try the next model: after errors of some types, or when a function returns `True`."""
OnPartial: TypeAlias = Literal['raise', 'restart', 'retry']
"""What happens to a stream that breaks off: it fails, the next model starts again, or the same one does so first."""
_Handler: TypeAlias = Union[type[BaseException], Callable[[Any], object]]
"""A type of errors, or a handler of errors or responses."""


class ResponseRejected(Exception):
    """The error in a `FallbackExceptionGroup` that stands for rejected responses."""

    def __init__(self, rejected_count: int) -> None:
        self.rejected_count = rejected_count
        """The number of rejected responses."""
        super().__init__(f'{rejected_count} model response(s) rejected by fallback_on handler')


class Failures:
    """The models that were asked for a response and did not give it, and why."""

    def __init__(self) -> None:
        self.errors: list[Exception] = []
        """What they raised."""
        self.attempts: list[ModelRequestAttempt] = []
        """The requests, as the response that comes in the end notes them."""
        self.rejected: int = 0
        """How many responses were not accepted."""
        self._began = now_utc()

    def __len__(self) -> int:
        return len(self.errors) + self.rejected

    def add(self, model: Model, why: Exception | ModelResponse) -> None:
        """Note that a model failed with an error, or that its response was not accepted."""
        now = now_utc()
        response = why if isinstance(why, ModelResponse) else None
        attempt = ModelRequestAttempt(
            model_name=model.model_name,
            provider_name=model.system,
            outcome='error' if response is None else 'rejected',
            error=f'{type(why).__name__}: {why}' if response is None else None,
            timestamp=self._began,
            duration=now - self._began,
            usage=None if response is None else response.usage,
        )
        self.attempts += [*attempts_of(why), attempt]
        self._began = now
        if isinstance(why, Exception):
            self.errors.append(why)
        else:
            self.rejected += 1

    def before(self, response: ModelResponse) -> ModelResponse:
        """Return a response with the attempts before it."""
        if not self.attempts:
            return response
        return replace(response, failed_attempts=self.attempts + attempts_of(response))

    def as_group(self, of: str) -> FallbackExceptionGroup:
        """Return the error that there is no further model to ask."""
        rejected = [ResponseRejected(self.rejected)] if self.rejected else []
        group = FallbackExceptionGroup(f'All models from {of} failed', [*self.errors, *rejected])
        group.failed_attempts = self.attempts
        return group


def attempts_of(source: ModelResponse | StreamedResponse | Exception) -> list[ModelRequestAttempt]:
    """Return the attempts that a response, or the error of several models, has noted."""
    return getattr(source, 'failed_attempts', None) or []


@dataclass(init=False)
class FallbackModel(Model):
    """A model that tries several models in turn: the next one whenever a request fails or its response is rejected.

    A stream falls back until something of it can be seen: text, thinking, a call. After that, `on_partial` says what happens.
    Response handlers do not apply to streams, since the caller has already seen a streamed response.
    """

    has_members: ClassVar[bool] = True
    """Whether each of its models has the time limits of a request to itself."""
    models: list[Model]
    """The models, in the order in which they are tried."""
    on_partial: OnPartial
    """What happens to a stream that breaks off after something of it was seen."""
    sticky: bool
    """Whether a conversation stays with the model that has answered last."""
    breaker: CircuitBreaker | None
    """What remembers which models fail."""
    _model_name: str = field(repr=False)
    _exception_handlers: list[_Handler] = field(repr=False)
    _response_handlers: list[_Handler] = field(repr=False)

    def __init__(
        self,
        default_model: Model | KnownModelName | str,
        *fallback_models: Model | KnownModelName | str,
        fallback_on: FallbackOn = (ModelAPIError,),
        on_partial: OnPartial = 'raise',
        sticky: bool = False,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        """Combine models.

        Args:
            default_model: The model to try first, or its name.
            fallback_models: The models to try after it, in order.
            fallback_on: When to try the next model: types of errors, functions of an error, functions of a response (with
                the type hint `ModelResponse` on their parameter), or a list of these.
            on_partial: What happens to a stream that breaks off after something of it was seen: the error is raised, or the
                response starts again with the next model; a `ResponseRestartEvent` announces this. With `'retry'`, the same
                model is asked once more before the next one.
            sticky: Whether a conversation stays with the model that gave its last response, whose cache has it: it is asked
                first, and the others after it, in order. It is found by its name in the history.
            breaker: Remembers which models fail, for all runs that share it; these are asked last for a while.

        Raises:
            UserError: `fallback_on` is empty, or contains something else; `on_partial` is unknown; `breaker` is something else;
                or a model cannot be built from its name.
            ImportError: The package of a model's vendor is not installed.
            ValueError: The provider of a model is not known.
        """
        super().__init__()
        if on_partial not in get_args(OnPartial):
            raise UserError(f"`on_partial` must be 'raise', 'restart' or 'retry', not {on_partial!r}.")
        if breaker is not None and not isinstance(breaker, CircuitBreaker):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError(f'`breaker` must be a `CircuitBreaker`, not {short_repr(breaker)}.')
        self.on_partial = on_partial
        self.sticky = bool(sticky)
        self.breaker = breaker
        self.models = [infer_model(model) for model in (default_model, *fallback_models)]
        self._exception_handlers, self._response_handlers = sorted_handlers(fallback_on)

    async def __aenter__(self) -> Self:
        """Open all models. Concurrent runs each do so, which is why the exit stack is not kept."""
        async with AsyncExitStack() as stack:
            for model in self.models:
                await stack.enter_async_context(model)
            stack.pop_all()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        """Close all models."""
        async with AsyncExitStack() as stack:
            for model in self.models:
                stack.push_async_exit(model.__aexit__)
        return None

    @property
    def model_name(self) -> str:
        """The names of all models."""
        return f'fallback:{",".join(model.model_name for model in self.models)}'

    @property
    def model_id(self) -> str:
        """The ids of all models."""
        return f'fallback:{",".join(model.model_id for model in self.models)}'

    @property
    def label(self) -> str:
        """The display name, with the names of all models."""
        return f'Fallback:{",".join(model.model_name for model in self.models)}'

    @property
    def system(self) -> str:
        """The providers of all models."""
        return f'fallback:{",".join(model.system for model in self.models)}'

    @property
    def base_url(self) -> str | None:
        """The URL of the first model."""
        return self.models[0].base_url

    @cached_property
    def profile(self) -> ModelProfile:
        """Unavailable, since each model has its own profile.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError('A FallbackModel has no profile of its own. Use the profiles of its `models`.')

    @property
    def canonical_system(self) -> str:
        """The vendor of the API of the first model."""
        return self.models[0].canonical_system

    @property
    def compatible_systems(self) -> frozenset[str]:
        """The systems whose signatures the first model accepts."""
        return self.models[0].compatible_systems

    @property
    def context_window(self) -> int | None:
        """The context window of the first model, which usually responds."""
        return self.models[0].context_window

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Return the parameters unchanged, since each model adapts them itself."""
        return model_request_parameters

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Return settings and parameters unchanged, since each model prepares them itself."""
        return model_settings, model_request_parameters

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """Return the messages unchanged. They are adapted to each model when it is tried."""
        return messages

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Try the models in turn.

        Raises:
            FallbackExceptionGroup: All models failed, or their responses were rejected.
            Exception: A model raised an error that `fallback_on` does not include.
        """
        failures = Failures()
        for model in self._in_order(messages):
            try:
                response = await bounded_request(
                    model, model.prepare_messages(messages), model_settings, model_request_parameters
                )
            except Exception as error:
                if not await self._falls_back(model, error):
                    raise
                failures.add(model, error)
                continue
            self._answers(model)
            if self._response_handlers and await matches_any(self._response_handlers, response):
                failures.add(model, response)
                continue
            answered_by(model, model_settings, model_request_parameters)
            return failures.before(response)
        raise failures.as_group('FallbackModel')

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Try the models in turn until one shows something of its response; errors as `request`."""
        if self.on_partial != 'raise':
            async with self._restarting(messages, model_settings, model_request_parameters, run_context) as response:
                yield response
            return
        failures = Failures()
        for model in self._in_order(messages):
            async with AsyncExitStack() as stack:
                try:
                    fitted = model.prepare_messages(messages)
                    response = await stack.enter_async_context(
                        bounded_stream(model, fitted, model_settings, model_request_parameters, run_context)
                    )
                    await wait_for_content(response)
                except Exception as error:
                    if not await self._falls_back(model, error):
                        raise
                    failures.add(model, error)
                    continue
                answered_by(model, model_settings, model_request_parameters)
                if failures:
                    response.failed_attempts = failures.attempts + attempts_of(response)
                try:
                    yield response
                finally:
                    if isinstance(response.failure, Exception):
                        await self._falls_back(model, response.failure)
                    else:
                        self._answers(model)
                return
        raise failures.as_group('FallbackModel')

    @asynccontextmanager
    async def _restarting(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None,
    ) -> AsyncIterator[StreamedResponse]:
        """Yield the response of the first model that shows something. If it breaks off, start again with the next model."""
        failures = Failures()
        untried = deque(self._in_order(messages))
        again = {id(model) for model in untried} if self.on_partial == 'retry' else set[int]()
        traced = copy_context()  # readers may be in others

        async def open_next() -> Attempt:
            while untried:
                model = untried.popleft()
                fitted = model.prepare_messages(messages)
                attempt = Attempt(model, bounded_stream(model, fitted, settings, parameters, run_context))
                try:
                    await attempt.open()
                except Exception as error:
                    if not await self._falls_back(model, error):
                        raise
                    failures.add(model, error)
                    continue
                traced.run(answered_by, model, settings, parameters)
                return attempt
            raise failures.as_group('FallbackModel')

        async def following(model: Model, error: Exception) -> Attempt | None:
            if not await self._falls_back(model, error):
                return None
            failures.add(model, error)
            if id(model) in again:
                again.remove(id(model))
                untried.appendleft(model)
            return await open_next()

        response = RestartingStream(parameters, await open_next(), following, failures.attempts)
        try:
            yield response
        except BaseException as error:
            await response.attempt.close(error)
            raise
        self._answers(response.attempt.model)
        await response.attempt.close()

    def _in_order(self, messages: list[ModelMessage]) -> list[Model]:
        """Return the models in the order in which they are tried for a history."""
        models = self.models if self.breaker is None else self.breaker.in_order(self.models)
        last = (
            next((one for one in reversed(messages) if isinstance(one, ModelResponse)), None) if self.sticky else None
        )
        if last is None or not last.model_name:
            return [*models]
        # A server may answer with the name of the version, `gpt-5-2025-08-07` for `gpt-5`.
        name, provider = last.model_name, last.provider_name
        known = [model for model in models if name.startswith(model.model_name) and provider in (None, model.system)]
        first = max(known, key=lambda model: len(model.model_name), default=None)
        if first is None or (self.breaker is not None and self.breaker.is_open(first)):
            return [*models]
        return [first, *(model for model in models if model is not first)]

    async def _falls_back(self, model: Model, error: Exception) -> bool:
        """Note that a model has failed, and return whether the error is one to fall back on."""
        if not await matches_any(self._exception_handlers, error):
            return False
        if self.breaker is not None:
            self.breaker.failed(model, error)
        return True

    def _answers(self, model: Model) -> None:
        if self.breaker is not None:
            self.breaker.answered(model)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Count tokens with the first model, which usually responds."""
        return await self.models[0].count_tokens(messages, model_settings, model_request_parameters)

    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> ModelResponse:
        """Compact messages with the first model."""
        return await self.models[0].compact_messages(request_context, instructions=instructions)


async def matches_any(handlers: list[_Handler], value: object) -> bool:
    """Return whether a value is an error of one of the types, or one of the functions returns `True` for it."""
    for handler in handlers:
        if isinstance(handler, type):
            matches: object = isinstance(value, handler)
        else:
            matches = handler(value)
            if inspect.isawaitable(matches):
                matches = await matches
        if matches:
            return True
    return False


def sorted_handlers(fallback_on: object, of: str = 'FallbackModel') -> tuple[list[_Handler], list[_Handler]]:
    """Return the handlers of errors, and the handlers of responses, in the `fallback_on` of a class.

    Raises:
        UserError: There are none, or one is of another type.
    """
    handlers: list[object] = [*fallback_on] if isinstance(fallback_on, (list, tuple)) else [fallback_on]  # type: ignore[reportUnknownVariableType]
    if not handlers:
        raise UserError(
            f'The `fallback_on` of a {of} is empty, so it would never try the next model. '
            'Leave it out to fall back on any `ModelAPIError`.'
        )
    exceptions: list[_Handler] = []
    responses: list[_Handler] = []
    for handler in handlers:
        if isinstance(handler, type):
            if issubclass(handler, Exception):
                exceptions.append(handler)
                continue
        elif callable(handler):
            (responses if _takes_response(handler) else exceptions).append(handler)
            continue
        raise UserError(
            f'`fallback_on` must consist of types of errors and functions of an error or a response, not {handler!r}.'
        )
    return exceptions, responses


def _takes_response(handler: Callable[..., object]) -> bool:
    """Return whether the first parameter of a function has the type hint `ModelResponse`."""
    function = handler if inspect.isroutine(handler) else getattr(handler, '__call__', handler)  # noqa: B004
    try:
        parameters = list(inspect.signature(handler).parameters)
        hints = get_type_hints(inspect.unwrap(function))
    except (TypeError, ValueError, NameError):
        return False
    return bool(parameters) and hints.get(parameters[0]) is ModelResponse


__all__ = (
    'CircuitBreaker',
    'ExceptionHandler',
    'FallbackModel',
    'FallbackOn',
    'OnPartial',
    'ResponseHandler',
    'ResponseRejected',
)
