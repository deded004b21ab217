"""The spans of runs, model requests and calls, open inside of `with` blocks.

Imports OpenTelemetry, and is therefore imported when the first span is opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Protocol

from opentelemetry import trace
from opentelemetry.context import attach, detach, get_current
from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context
from typing_extensions import Self

from .._contracts.model import ModelRequestParameters
from .._kit.sdk_types import Span, Tracer
from ..exceptions import ApprovalRequired, CallDeferred, ToolRetryError
from ..messages import ModelMessage, ModelResponse, retry_text
from ..settings import ModelSettings
from ._base import Model
from ._telemetry import (
    AnsweringModel,
    compact_json,
    identity_of,
    parameters_json,
    request_attributes,
    response_attributes,
    span_names,
)


class SpanSettings(Protocol):
    """The part of `InstrumentationSettings` that spans need."""

    tracer: Tracer
    include_content: bool
    handles_messages: bool

    @property
    def version(self) -> int:
        """The version of the data format."""
        ...

    def parameter_attributes(self, parameters: ModelRequestParameters) -> dict[str, Any]:
        """Return the attributes of the parameters of a request."""
        ...

    def handle_messages(
        self,
        input_messages: list[ModelMessage],
        response: ModelResponse,
        system: str,
        span: Span,
        parameters: ModelRequestParameters | None = None,
    ) -> None:
        """Record the messages of a request and its response."""
        ...

    def message_attributes(
        self,
        messages: list[ModelMessage],
        response: ModelResponse,
        system: str,
        parameters: ModelRequestParameters | None,
    ) -> dict[str, str]:
        """Return the attributes for the messages of a request and its response."""
        ...

    def price_of(self, response: ModelResponse) -> Any:
        """Return the price of a response, or `None` if it is not known."""
        ...

    def record_metrics(
        self, response: ModelResponse, price_calculation: Any | None, attributes: dict[str, Any]
    ) -> None:
        """Record the tokens and the price of a response."""
        ...


class OpenSpan:
    """A span that is current inside of a `with` block and ends with it, and records the error that leaves it.

    It is what `Tracer.start_as_current_span` returns, at less than half of its cost: that stacks two context managers made of
    generators, which cost more than the span. OpenTelemetry itself records errors; without content, only their type is recorded.
    """

    __slots__ = ('_attributes', '_name', '_settings', '_span', '_token')

    _kind = SpanKind.INTERNAL

    def __init__(self, settings: SpanSettings, name: str, attributes: Mapping[str, Any]) -> None:
        """Prepare a span.

        Args:
            settings: The options for tracing.
            name: The name of the span.
            attributes: The attributes that it begins with.
        """
        self._settings, self._name, self._attributes = settings, name, attributes

    def __enter__(self) -> Any:
        around = get_current()  # asked for once; without it, OpenTelemetry asks four times for each span
        self._span: Span = self._settings.tracer.start_span(
            self._name, context=around, kind=self._kind, attributes=self._attributes
        )
        self._token = attach(set_span_in_context(self._span, around))
        return self._span

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        detach(self._token)
        if error is None:
            self._span.end()
            return None
        return self._fail(error, traceback)

    def _fail(self, error: BaseException, traceback: TracebackType | None) -> bool | None:
        """Record the error that left the block, and end the span."""
        if self._settings.include_content:
            recording = trace.use_span(self._span, end_on_exit=True)
            recording.__enter__()
            return recording.__exit__(type(error), error, traceback)
        if isinstance(error, Exception):
            _record_error_type(self._span, error)
            self._span.set_status(Status(StatusCode.ERROR, type(error).__name__))
        self._span.end()
        return None


def _record_error_type(span: Span, error: BaseException, *, escaped: bool = False) -> None:
    """Record the type of an error in a span, without its message and stack trace, which may quote content."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == 'builtins' else f'{kind.__module__}.{kind.__qualname__}'
    span.add_event('exception', {'exception.type': name, 'exception.escaped': str(escaped)})


class CallSpan(OpenSpan):
    """The span of a call. Deferrals are recorded as such, and are not errors from version 5 on."""

    __slots__ = ()

    def _fail(self, error: BaseException, traceback: TracebackType | None) -> bool | None:
        settings, span = self._settings, self._span
        deferred = isinstance(error, (CallDeferred, ApprovalRequired))
        if isinstance(error, (CallDeferred, ApprovalRequired)):
            span.set_attribute('pydantic_ai.tool.deferral.name', type(error).__name__)
            if settings.include_content and error.metadata is not None:
                span.set_attribute('pydantic_ai.tool.deferral.metadata', compact_json(error.metadata))
        elif isinstance(error, ToolRetryError) and settings.include_content:
            names = span_names(settings.version)
            span.set_attribute(names.result, retry_text(error.tool_retry))
        if not deferred or settings.version < 5:
            if settings.include_content:
                span.record_exception(error, escaped=True)
            else:
                _record_error_type(span, error, escaped=True)
            span.set_status(StatusCode.ERROR)
        span.end()
        return None


class RequestSpan(OpenSpan):
    """The span of a model request.

    What is known of the request is recorded when the span ends, together with the response: each time that a span is given
    attributes costs as much as a few attributes.
    """

    __slots__ = ('_answering', '_described', '_metrics', '_model', '_parameters')

    _kind = SpanKind.CLIENT

    def __init__(
        self,
        settings: SpanSettings,
        model: Model,
        model_settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> None:
        """Prepare the span.

        Args:
            settings: The options for tracing.
            model: The model.
            model_settings: The settings, merged with those of the model.
            parameters: The parameters, adapted to the model.
        """
        super().__init__(settings, f'chat {model.model_name}', request_attributes(model, model_settings))
        self._model, self._parameters = model, parameters
        self._described: Mapping[str, Any] = {}
        """The attributes that are still to be recorded."""
        self._answering = AnsweringModel(model)
        self._metrics: tuple[ModelResponse, Any, dict[str, Any]] | None = None
        """What to record as metrics when the span has ended: its own attributes have the same numbers."""

    def __enter__(self) -> Self:
        super().__enter__()
        self._answering.__enter__()
        try:
            if self._span.is_recording():  # these may take long to make
                self._described = self._settings.parameter_attributes(self._parameters)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        try:
            if self._described:
                self._span.set_attributes(self._described)
            return super().__exit__(kind, error, traceback)
        finally:
            self._answering.__exit__()
            if self._metrics is not None:
                self._settings.record_metrics(*self._metrics)

    def finish(self, messages: list[ModelMessage], response: ModelResponse) -> None:
        """Record a response.

        Args:
            messages: The messages that were sent.
            response: The response.
        """
        settings, span, model, used = self._settings, self._span, self._model, self._answering.model
        final = response_attributes(used, response)
        known = self._attributes
        if used is not model:
            identity = identity_of(used)
            final.update(identity)
            known = {**known, **identity}
        price = settings.price_of(response)
        attributes = {
            'gen_ai.provider.name': known['gen_ai.provider.name'],
            'gen_ai.system': known['gen_ai.system'],
            'gen_ai.operation.name': known['gen_ai.operation.name'],
            'gen_ai.request.model': known['gen_ai.request.model'],
            'gen_ai.response.model': final['gen_ai.response.model'],
        }
        self._metrics = response, price, attributes
        if not span.is_recording():
            return
        if used is not model:
            span.update_name(f'chat {used.model_name}')
        if (parameters := self._answering.parameters) is not None:
            final['model_request_parameters'] = parameters_json(parameters, include_content=settings.include_content)
        if price is not None:
            final['operation.cost'] = float(price.total_price)
        described, self._described = self._described, {}
        of_messages: dict[str, str] = {}
        if settings.handles_messages:
            settings.handle_messages(messages, response, used.system, span, self._parameters)
        else:
            of_messages = settings.message_attributes(messages, response, used.system, self._parameters)
        span.set_attributes({**described, **of_messages, **final})
