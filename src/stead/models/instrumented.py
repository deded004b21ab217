"""`InstrumentationSettings` and `InstrumentedModel`: spans, metrics and events of model requests, for OpenTelemetry.

OpenTelemetry loads when the first `InstrumentationSettings` are created.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import field
from types import TracebackType
from typing import Any, Literal

from pydantic_core import from_json
from typing_extensions import Self, TypeIs

from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import DEFAULT_INSTRUMENTATION_VERSION, RunContext
from .._kit.late import dataclass
from .._kit.sdk_types import Histogram, Logger, LoggerProvider, Meter, MeterProvider, Span, Tracer, TracerProvider
from .._kit.warnings import CostCalculationFailedWarning
from ..exceptions import UserError
from ..messages import ModelMessage, ModelResponse, _otel as otel
from ..settings import ModelSettings
from . import KnownModelName
from ._base import Model, instructions_of
from ._streaming.streamed import StreamedResponse
from ._telemetry import (
    PARAMETERS,
    answering_model,
    chat_messages,
    compact_json,
    event_data,
    identity_of,
    message_events,
    messages_json,
    parameter_attributes,
    parameters_json,
    price_of,
    request_attributes,
    response_attributes,
    schema_of,
    spaced_json,
    span_messages,
)
from .wrapper import WrapperModel

SCOPE = 'pydantic-ai'
"""The instrumentation scope of spans, metrics and events. It is that of the mirrored library, since dashboards query it."""
TOKEN_HISTOGRAM_BOUNDARIES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
"""The buckets of the token histogram, from the semantic conventions."""
VERSIONS = (1, 2, 3, 4, 5)
"""The versions of the data format."""
_MESSAGES = (('gen_ai.input.messages', 'array'), ('gen_ai.output.messages', 'array'), PARAMETERS)
_MESSAGES_AND_INSTRUCTIONS = (*_MESSAGES[:2], ('gen_ai.system_instructions', 'array'), PARAMETERS)
_METRIC_ATTRIBUTES = (
    'gen_ai.provider.name',
    'gen_ai.system',
    'gen_ai.operation.name',
    'gen_ai.request.model',
    'gen_ai.response.model',
)


@dataclass(init=False)
class InstrumentationSettings:
    """The options for tracing agents and models, and the destination of the data."""

    tracer: Tracer = field(repr=False)
    """Creates the spans."""
    logger: Logger = field(repr=False)
    """Records the events of version 1."""
    event_mode: Literal['attributes', 'logs'] = 'attributes'
    """Whether the events of version 1 are an attribute of their span, or log records."""
    include_binary_content: bool = True
    """Whether spans include the bytes of files."""
    include_content: bool = True
    """Whether spans include content: prompts, instructions, responses, arguments and results of tools, texts of errors."""
    version: Literal[1, 2, 3, 4, 5] = DEFAULT_INSTRUMENTATION_VERSION
    """The version of the data format.

    1: messages are events. 2: messages are attributes, in the format of the GenAI semantic conventions. 3: span names follow
    the conventions. 4: files in messages follow the conventions. 5: deferred tool calls are not errors.
    """
    use_aggregated_usage_attribute_names: bool = False
    """Whether the usage of whole runs has separate names, so that backends do not add it to that of the requests."""

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        include_binary_content: bool = True,
        include_content: bool = True,
        version: Literal[1, 2, 3, 4, 5] = DEFAULT_INSTRUMENTATION_VERSION,
        event_mode: Literal['attributes', 'logs'] = 'attributes',
        logger_provider: LoggerProvider | None = None,
        use_aggregated_usage_attribute_names: bool = False,
    ) -> None:
        """Configure tracing.

        Args:
            tracer_provider: The provider for spans; by default the global one.
            meter_provider: The provider for metrics; by default the global one.
            include_binary_content: Whether spans include the bytes of files.
            include_content: Whether spans include prompts, instructions, responses, the arguments and results of tools, and
                the texts of errors, of which only the type is recorded otherwise.
            version: The version of the data format.
            event_mode: For version 1: whether events are an attribute of their span, or log records.
            logger_provider: The provider for the events of version 1; by default the global one.
            use_aggregated_usage_attribute_names: Whether the usage of whole runs has separate names.

        Raises:
            UserError: There is no such version or event mode.
        """
        if version not in VERSIONS:
            raise UserError(f'There is no version {version!r} of the instrumentation. Use one of {VERSIONS}.')
        if event_mode not in ('attributes', 'logs'):
            raise UserError(f"There is no event mode {event_mode!r}. Use 'attributes' or 'logs'.")
        if event_mode == 'logs' and version != 1:
            warnings.warn(
                "`event_mode='logs'` is deprecated, and selects version 1 of the instrumentation: "
                'leave out `event_mode` to have messages as attributes of their spans.',
                stacklevel=2,
            )
            version = 1
        from opentelemetry._logs import get_logger_provider
        from opentelemetry.metrics import get_meter_provider
        from opentelemetry.trace import get_tracer_provider

        from .._kit.version import __version__

        self.tracer = (tracer_provider or get_tracer_provider()).get_tracer(SCOPE, __version__)
        self.logger = (logger_provider or get_logger_provider()).get_logger(SCOPE, __version__)
        self.meter: Meter = (meter_provider or get_meter_provider()).get_meter(SCOPE, __version__)
        self.event_mode = event_mode
        self.include_binary_content = include_binary_content
        self.include_content = include_content
        self.version = version
        self.use_aggregated_usage_attribute_names = use_aggregated_usage_attribute_names
        self._kept = span_messages()
        self._prices_are_missing = False
        self._described: tuple[ModelRequestParameters, bool, dict[str, Any]] | None = None
        tokens: dict[str, Any] = {
            'name': 'gen_ai.client.token.usage',
            'unit': '{token}',
            'description': 'Measures number of input and output tokens used',
        }
        try:
            histogram = self.meter.create_histogram(
                **tokens, explicit_bucket_boundaries_advisory=TOKEN_HISTOGRAM_BOUNDARIES
            )
        except TypeError:  # a release of OpenTelemetry without advisory boundaries
            histogram = self.meter.create_histogram(**tokens)
        self.tokens_histogram: Histogram = histogram
        """Records the tokens of requests."""
        self.cost_histogram: Histogram = self.meter.create_histogram(
            'operation.cost', unit='{USD}', description='Monetary cost'
        )

    def messages_to_otel_events(
        self, messages: list[ModelMessage], parameters: ModelRequestParameters | None = None
    ) -> list[Any]:
        """Return the log records of messages, instructions first (version 1).

        Args:
            messages: The messages.
            parameters: The parameters of the last request, for its instructions.
        """
        return message_events(messages, instructions_of(messages, parameters), self)

    def messages_to_otel_messages(self, messages: list[ModelMessage]) -> list[dict[str, Any]]:
        """Return messages in the format of the GenAI semantic conventions."""
        return chat_messages(messages, self)

    def system_instructions_attributes(self, instructions: str | None) -> dict[str, str]:
        """Return the attribute for instructions; empty without instructions, or if content is excluded."""
        if not instructions or not self.include_content:
            return {}
        return {'gen_ai.system_instructions': spaced_json([{'type': 'text', 'content': instructions}])}

    def handle_messages(
        self,
        input_messages: list[ModelMessage],
        response: ModelResponse,
        system: str,
        span: Span,
        parameters: ModelRequestParameters | None = None,
    ) -> None:
        """Record the messages of a request and its response.

        Args:
            input_messages: The messages that were sent.
            response: The response.
            system: The provider.
            span: The span of the request.
            parameters: The parameters of the request.
        """
        if self.version == 1:
            self._record_events(self._request_events(input_messages, response, system, parameters), span)
            return
        instructions = self.system_instructions_attributes(instructions_of(input_messages, parameters))
        asked, answered = messages_json(input_messages, response, self, self._kept)
        attributes: dict[str, str] = {
            'gen_ai.input.messages': asked,
            'gen_ai.output.messages': answered,
            **instructions,
            'logfire.json_schema': schema_of(_MESSAGES_AND_INSTRUCTIONS if instructions else _MESSAGES, compact=False),
        }
        span.set_attributes(attributes)

    def all_messages_json(self, messages: list[ModelMessage]) -> str:
        """Return messages in the format of the GenAI semantic conventions, as JSON without spaces."""
        try:
            # What requests have shown is there already, and to read it takes less time than to encode the messages again.
            return compact_json(from_json(messages_json(messages, None, self, self._kept)[0]))
        except ValueError:  # it has a half of a surrogate pair
            return compact_json(chat_messages(messages, self))

    def parameter_attributes(self, parameters: ModelRequestParameters) -> dict[str, Any]:
        """Return the attributes of the parameters of a request, and of the tools in them.

        A run passes the same object for as long as its tools do not change, so most requests have those of the last one.
        """
        described = self._described
        if described is None or described[0] is not parameters or described[1] is not self.include_content:
            attributes = parameter_attributes(parameters, include_content=self.include_content)
            described = self._described = (parameters, self.include_content, attributes)
        return described[2]

    def price_of(self, response: ModelResponse) -> Any:
        """Return the `genai_prices` price of a response, or `None` if it is not known."""
        if self._prices_are_missing:  # to look for a package that is not there takes longer than all the rest of a span
            return None
        try:
            return price_of(response, include_content=self.include_content)
        except ImportError:
            self._prices_are_missing = True
            return None

    def _request_events(
        self,
        messages: list[ModelMessage],
        response: ModelResponse,
        system: str,
        parameters: ModelRequestParameters | None,
    ) -> list[Any]:
        events = self.messages_to_otel_events(messages, parameters)
        for message in response.otel_events(self):
            events.append(otel.event('gen_ai.choice', {'index': 0, 'message': otel.plain(message.body)}))
        for event in events:
            event.attributes = {'gen_ai.system': system, **event.attributes}
        return events

    def _record_events(self, events: list[Any], span: Span) -> None:
        if self.event_mode == 'logs':
            for event in events:
                self.logger.emit(event)
            return
        span.set_attributes(
            {
                'events': spaced_json([event_data(event) for event in events]),
                'logfire.json_schema': schema_of((('events', 'array'), PARAMETERS), compact=False),
            }
        )

    def record_metrics(
        self, response: ModelResponse, price_calculation: Any | None, attributes: dict[str, Any]
    ) -> None:
        """Record the tokens and the price of a response.

        Args:
            response: The response.
            price_calculation: The `genai_prices` calculation, or `None` if the price is not known.
            attributes: The attributes of the metrics.
        """
        usage = response.usage
        for kind, tokens in (('input', usage.input_tokens), ('output', usage.output_tokens)):
            if tokens:
                self.tokens_histogram.record(tokens, {**attributes, 'gen_ai.token.type': kind})
        if price_calculation is not None:
            self.cost_histogram.record(float(price_calculation.total_price), attributes)


class OpenSpan:
    """A span that is current inside of a `with` block and ends with it, and records the error that leaves it.

    It is what `Tracer.start_as_current_span` returns, at less than half of its cost: that stacks two context managers made of
    generators, which cost more than the span. OpenTelemetry itself records errors.
    """

    __slots__ = ('_name', '_options', '_span', '_token', '_tracer')

    def __init__(self, tracer: Tracer, name: str, **options: Any) -> None:
        """Prepare a span.

        Args:
            tracer: Creates the span.
            name: The name of the span.
            options: Further arguments of `Tracer.start_span`.
        """
        self._tracer, self._name, self._options = tracer, name, options

    def __enter__(self) -> Span:
        from opentelemetry import context, trace

        self._span = self._tracer.start_span(self._name, **self._options)
        self._token = context.attach(trace.set_span_in_context(self._span))
        return self._span

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        from opentelemetry import context

        context.detach(self._token)
        if error is None:
            self._span.end()
            return None
        return self._fail(error, traceback)

    def _fail(self, error: BaseException, traceback: TracebackType | None) -> bool | None:
        """Record the error that left the block, and end the span."""
        from opentelemetry import trace

        recording = trace.use_span(self._span, end_on_exit=True)
        recording.__enter__()
        return recording.__exit__(type(error), error, traceback)


class SpanWithoutContent(OpenSpan):
    """A span that records only the type of an error."""

    __slots__ = ()

    def _fail(self, error: BaseException, traceback: TracebackType | None) -> bool | None:
        from opentelemetry.trace import Status, StatusCode

        if isinstance(error, Exception):
            record_error_type(self._span, error)
            self._span.set_status(Status(StatusCode.ERROR, type(error).__name__))
        self._span.end()
        return None


def span_of(tracer: Tracer, name: str, *, include_content: bool, **options: Any) -> OpenSpan:
    """Return a span, which records the error that leaves its block: without content, only its type.

    Args:
        tracer: Creates the span.
        name: The name of the span.
        include_content: Whether spans include content.
        options: Further arguments of `Tracer.start_span`.
    """
    return (OpenSpan if include_content else SpanWithoutContent)(tracer, name, **options)


def record_error_type(span: Span, error: BaseException, *, escaped: bool = False) -> None:
    """Record the type of an error in a span, without its message and stack trace, which may quote content."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == 'builtins' else f'{kind.__module__}.{kind.__qualname__}'
    span.add_event('exception', {'exception.type': name, 'exception.escaped': str(escaped)})


class RequestSpan:
    """The span of a model request, open inside of a `with` block."""

    __slots__ = ('_answering', '_attributes', '_model', '_open', '_parameters', '_settings', '_span')

    def __init__(
        self,
        settings: InstrumentationSettings,
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
        self._settings, self._model, self._parameters = settings, model, parameters
        self._attributes = request_attributes(model, model_settings)
        self._answering = answering_model(model)

    def __enter__(self) -> Self:
        from opentelemetry.trace import SpanKind

        settings, parameters = self._settings, self._parameters
        self._answering.__enter__()
        try:
            self._open = span_of(
                settings.tracer,
                f'chat {self._model.model_name}',
                include_content=settings.include_content,
                kind=SpanKind.CLIENT,
                attributes=self._attributes,
            )
            self._span = self._open.__enter__()
        except BaseException:
            self._answering.__exit__()
            raise
        try:
            if self._span.is_recording():  # those below take long to make
                self._span.set_attributes(settings.parameter_attributes(parameters))
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        try:
            return self._open.__exit__(kind, error, traceback)
        finally:
            self._answering.__exit__()

    def finish(self, messages: list[ModelMessage], response: ModelResponse) -> None:
        """Record a response.

        Args:
            messages: The messages that were sent.
            response: The response.
        """
        settings, span, model, used = self._settings, self._span, self._model, self._answering.model
        include_content = settings.include_content
        final = response_attributes(used, response)
        if used is not model:
            final.update(identity_of(used))
        price = settings.price_of(response)
        known = {**self._attributes, **final}
        settings.record_metrics(response, price, {name: known[name] for name in _METRIC_ATTRIBUTES if name in known})
        if not span.is_recording():
            return
        settings.handle_messages(messages, response, used.system, span, self._parameters)
        if used is not model:
            span.update_name(f'chat {used.model_name}')
        if (parameters := self._answering.parameters) is not None:
            final['model_request_parameters'] = parameters_json(parameters, include_content=include_content)
        if price is not None:
            final['operation.cost'] = float(price.total_price)
        span.set_attributes(final)


@dataclass(init=False)
class InstrumentedModel(WrapperModel):
    """A model whose requests are traced.

    With such a model, an agent traces its whole run: the run, its requests and its tool calls.
    """

    instrumentation_settings: InstrumentationSettings
    """The options for tracing."""

    def __init__(self, wrapped: Model | KnownModelName | str, options: InstrumentationSettings | None = None) -> None:
        """Wrap a model.

        Args:
            wrapped: The model, or its name.
            options: The options for tracing; by default with OpenTelemetry's global providers.
        """
        super().__init__(wrapped)
        self.instrumentation_settings = options or InstrumentationSettings()

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Send the request with the wrapped model, in a span."""
        with self._span(model_settings, model_request_parameters) as span:
            response = await self.wrapped.request(messages, model_settings, model_request_parameters)
            span.finish(messages, response)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        """Stream the response of the wrapped model, in a span that ends with the stream."""
        with self._span(model_settings, model_request_parameters) as span:
            async with self.wrapped.request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                try:
                    yield stream
                finally:
                    span.finish(messages, stream.get())

    def _span(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> RequestSpan:
        settings, parameters = self.wrapped.prepare_request(model_settings, model_request_parameters)
        return RequestSpan(self.instrumentation_settings, self.wrapped, settings, parameters)


def instrument_model(model: Model, instrument: InstrumentationSettings | bool) -> Model:
    """Return a model whose requests are traced.

    Args:
        model: The model. One that is already traced is returned unchanged.
        instrument: The options for tracing; `True` for the defaults, `False` for no tracing.
    """
    if not instrument or isinstance(model, InstrumentedModel):
        return model
    return InstrumentedModel(model, None if _is_true(instrument) else instrument)


def _is_true(instrument: InstrumentationSettings | bool) -> TypeIs[bool]:
    return instrument is True


__all__ = ('CostCalculationFailedWarning', 'InstrumentationSettings', 'InstrumentedModel', 'instrument_model')
