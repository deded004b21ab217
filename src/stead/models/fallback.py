"""`FallbackModel`: asks one model after the other until one answers."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Any, NoReturn, Union, cast, get_type_hints

from typing_extensions import Self, TypeAlias

from .._contracts.model import ModelRequestContext, ModelRequestParameters
from .._contracts.run_context import RunContext
from ..exceptions import FallbackExceptionGroup, ModelAPIError, UserError
from ..messages import ModelMessage, ModelResponse
from ..profiles import ModelProfile
from ..settings import ModelSettings
from ..usage import RequestUsage
from . import KnownModelName, infer_model
from ._base import Model
from ._streaming.streamed import StreamedResponse
from ._telemetry import answered_by

ExceptionHandler: TypeAlias = Union[Callable[[Exception], Awaitable[bool]], Callable[[Exception], bool]]
"""Says whether to go on to the next model after an error."""
ResponseHandler: TypeAlias = Union[Callable[[ModelResponse], Awaitable[bool]], Callable[[ModelResponse], bool]]
"""Says whether to go on to the next model after a response."""
FallbackOn: TypeAlias = Union[
    type[Exception],
    tuple[type[Exception], ...],
    ExceptionHandler,
    ResponseHandler,
    Sequence[Union[type[Exception], ExceptionHandler, ResponseHandler]],
]
"""When to go on to the next model: after errors of these types, or as functions say."""


class ResponseRejected(Exception):
    """Stands among the errors of a `FallbackExceptionGroup` for responses that were rejected.

    Args:
        rejected_count: How many there were.
    """

    def __init__(self, rejected_count: int) -> None:
        self.rejected_count = rejected_count
        super().__init__(f'{rejected_count} model response(s) rejected by fallback_on handler')


@dataclass(init=False)
class FallbackModel(Model[Any]):
    """A model that asks others in turn: the next one whenever one fails, or answers with something that is rejected.

    A stream goes on to the next model as long as it has brought no event. A response that is rejected after it was
    streamed would have been seen, so streams are not asked for again because of their responses.
    """

    models: list[Model[Any]]
    """The models, in the order in which they are asked."""
    _model_name: str = field(repr=False)
    _exception_handlers: list[Any] = field(repr=False)
    _response_handlers: list[Any] = field(repr=False)

    def __init__(
        self,
        default_model: Model[Any] | KnownModelName | str,
        *fallback_models: Model[Any] | KnownModelName | str,
        fallback_on: FallbackOn = (ModelAPIError,),
    ) -> None:
        """Build a model of others.

        Args:
            default_model: The model that is asked first.
            fallback_models: Those that are asked after it, in turn.
            fallback_on: When to go on: types of errors, functions of an error, functions of a response (their parameter
                has the type hint `ModelResponse`), or a list of these.

        Raises:
            UserError: There is nothing to go on after, or something that is none of these.
        """
        super().__init__()
        self.models = [infer_model(model) for model in (default_model, *fallback_models)]
        self._exception_handlers, self._response_handlers = _sorted_handlers(fallback_on)

    async def __aenter__(self) -> Self:
        """Open all models. Runs that go on at the same time all do so, hence nothing is kept here."""
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
        """The names of all models, for people."""
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
        """Not there: each model has its own.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError('A FallbackModel has no profile; look at those of its `models`.')

    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Return the parameters as they are; each model fits them to itself."""
        return model_request_parameters

    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        """Return settings and parameters as they are; each model prepares them for itself."""
        return model_settings, model_request_parameters

    def prepare_messages(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """Return messages as they are; they are fitted to each model when it is asked."""
        return messages

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the models in turn.

        Raises:
            FallbackExceptionGroup: All of them failed.
            Exception: One of them failed in a way that `fallback_on` does not name.
        """
        errors: list[Exception] = []
        rejected = 0
        for model in self.models:
            try:
                response = await model.request(
                    model.prepare_messages(messages), model_settings, model_request_parameters
                )
            except Exception as error:
                if not await _any(self._exception_handlers, error):
                    raise
                errors.append(error)
                continue
            if self._response_handlers and await _any(self._response_handlers, response):
                rejected += 1
                continue
            answered_by(model)
            return response
        self._give_up(errors, rejected)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Ask the models in turn, until one has begun to answer; errors as `request`."""
        errors: list[Exception] = []
        for model in self.models:
            async with AsyncExitStack() as stack:
                try:
                    fitted = model.prepare_messages(messages)
                    response = await stack.enter_async_context(
                        model.request_stream(fitted, model_settings, model_request_parameters, run_context)
                    )
                    await _wait_for_first_event(response)
                except Exception as error:
                    if not await _any(self._exception_handlers, error):
                        raise
                    errors.append(error)
                    continue
                answered_by(model)
                yield response
                return
        self._give_up(errors, 0)

    def _give_up(self, errors: list[Exception], rejected: int) -> NoReturn:
        if rejected:
            errors.append(ResponseRejected(rejected))
        raise FallbackExceptionGroup('All models from FallbackModel failed', errors)

    async def count_tokens(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> RequestUsage:
        """Count tokens with the first model, which is the one that usually answers."""
        return await self.models[0].count_tokens(messages, model_settings, model_request_parameters)

    async def compact_messages(
        self, request_context: ModelRequestContext, *, instructions: str | None = None
    ) -> ModelResponse:
        """Compact messages with the first model."""
        return await self.models[0].compact_messages(request_context, instructions=instructions)


async def _wait_for_first_event(response: StreamedResponse) -> None:
    """Wait until a stream has something to show, and put that back, so that it can still be read."""
    events = response.__aiter__()
    try:
        first = await events.__anext__()
    except StopAsyncIteration:
        return
    response._event_iterator = _with_first(first, events)


async def _with_first(first: Any, rest: AsyncIterator[Any]) -> AsyncIterator[Any]:
    yield first
    async for event in rest:
        yield event


async def _any(handlers: list[Any], value: Any) -> bool:
    for handler in handlers:
        if isinstance(handler, type):
            found: Any = isinstance(value, handler)
        else:
            found = handler(value)
            if inspect.isawaitable(found):
                found = await found
        if found:
            return True
    return False


def _sorted_handlers(fallback_on: Any) -> tuple[list[Any], list[Any]]:
    """Return what is asked about errors, and what is asked about responses."""
    given: list[Any] = [*fallback_on] if isinstance(fallback_on, (list, tuple)) else [fallback_on]  # type: ignore[reportUnknownVariableType]
    if not given:
        raise UserError(
            'The `fallback_on` of a FallbackModel is empty, so that it would never go on to the next model. '
            'Leave it out to go on after any `ModelAPIError`.'
        )
    exceptions: list[Any] = []
    responses: list[Any] = []
    for handler in given:
        is_type = isinstance(handler, type)
        if is_type and issubclass(cast('type[Any]', handler), Exception):
            exceptions.append(handler)
        elif callable(handler) and not is_type:
            (responses if _takes_response(handler) else exceptions).append(handler)
        else:
            raise UserError(
                f'`fallback_on` takes types of errors and functions of an error or a response, not {handler!r}.'
            )
    return exceptions, responses


def _takes_response(handler: Any) -> bool:
    """Return whether the first parameter of a function is hinted as a `ModelResponse`."""
    function = handler if inspect.isroutine(handler) else getattr(handler, '__call__', handler)  # noqa: B004
    try:
        parameters = list(inspect.signature(handler).parameters)
        hints = get_type_hints(inspect.unwrap(function))
    except (TypeError, ValueError, NameError):
        return False
    return bool(parameters) and hints.get(parameters[0]) is ModelResponse


__all__ = ('ExceptionHandler', 'FallbackModel', 'FallbackOn', 'ResponseHandler', 'ResponseRejected')
