"""`InstrumentationSettings` and `InstrumentedModel`: spans, metrics and events of model requests, for OpenTelemetry.

OpenTelemetry loads when the first `InstrumentationSettings` are created.
"""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_core import from_json
from typing_extensions import TypeIs

from .._contracts.model import ModelRequestParameters
from .._contracts.run_context import DEFAULT_INSTRUMENTATION_VERSION, RunContext
from .._kit.sdk_types import (
    Histogram,
    Logger,
    LoggerProvider,
    Meter,
    MeterProvider,
    PriceCalculation,
    Span,
    Tracer,
    TracerProvider,
)
from ..exceptions import CostCalculationFailedWarning, UserError
from ..messages import ModelMessage, ModelResponse, _otel as otel
from ..settings import ModelSettings
from . import KnownModelName
from ._base import Model, instructions_of
from ._streaming.streamed import StreamedResponse
from ._telemetry import (
    PARAMETERS,
    Prices,
    chat_messages,
    compact_json,
    event_data,
    message_events,
    messages_json,
    parameter_attributes,
    schema_of,
    spaced_json,
)
from ._wire.kept import KeptTexts
from .wrapper import WrapperModel

SCOPE = 'pydantic-ai'
"""The instrumentation scope of spans, metrics and events. It is that of the mirrored library, since dashboards query it."""
TOKEN_HISTOGRAM_BOUNDARIES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
"""The buckets of the token histogram, from the semantic conventions."""
VERSIONS = (1, 2, 3, 4, 5)
"""The versions of the data format."""
_MESSAGES = (('gen_ai.input.messages', 'array'), ('gen_ai.output.messages', 'array'), PARAMETERS)
_MESSAGES_AND_INSTRUCTIONS = (*_MESSAGES[:2], ('gen_ai.system_instructions', 'array'), PARAMETERS)


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
                the texts of errors; otherwise only the types of errors are recorded.
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
        from ._spans import CallSpan, OpenSpan, RequestSpan

        # Here, because an import inside of a function is not free when the function is called for each span.
        self.open_span: type[Any] = OpenSpan
        self.open_request: type[Any] = RequestSpan
        self.open_call: type[Any] = CallSpan
        self.tracer = (tracer_provider or get_tracer_provider()).get_tracer(SCOPE, __version__)
        self.logger = (logger_provider or get_logger_provider()).get_logger(SCOPE, __version__)
        self.meter: Meter = (meter_provider or get_meter_provider()).get_meter(SCOPE, __version__)
        self.event_mode = event_mode
        self.include_binary_content = include_binary_content
        self.include_content = include_content
        self.version = version
        self.use_aggregated_usage_attribute_names = use_aggregated_usage_attribute_names
        self._kept = KeptTexts()
        self._prices = Prices()
        self._prices_are_missing = False
        self._described: tuple[ModelRequestParameters, bool, dict[str, Any]] | None = None
        self.handles_messages: bool = type(self).handle_messages is not InstrumentationSettings.handle_messages
        """Whether a subclass records the messages of requests in its own way."""
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
        span.set_attributes(self.message_attributes(input_messages, response, system, parameters))

    def message_attributes(
        self,
        messages: list[ModelMessage],
        response: ModelResponse,
        system: str,
        parameters: ModelRequestParameters | None,
    ) -> dict[str, str]:
        """Return the attributes for the messages of a request and its response; with events as log records, emit those.

        Args:
            messages: The messages that were sent.
            response: The response.
            system: The provider.
            parameters: The parameters of the request.
        """
        if self.version == 1:
            return self._record_events(self._request_events(messages, response, system, parameters))
        text = instructions_of(messages, parameters)
        instructions = self.system_instructions_attributes(text) if text else {}
        asked, answered = messages_json(messages, response, self, self._kept)
        return {
            'gen_ai.input.messages': asked,
            'gen_ai.output.messages': answered,
            **instructions,
            'logfire.json_schema': schema_of(_MESSAGES_AND_INSTRUCTIONS if instructions else _MESSAGES, compact=False),
        }

    def all_messages_json(self, messages: list[ModelMessage]) -> str:
        """Return messages in the format of the GenAI semantic conventions, as JSON without spaces."""
        try:
            # What requests have shown is already there, and reading it takes less time than to encode the messages again.
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

    def price_of(self, response: ModelResponse) -> PriceCalculation | None:
        """Return the `genai_prices` price of a response, or `None` if it is not known."""
        if self._prices_are_missing:  # to look for a package that is not there takes longer than all the rest of a span
            return None
        try:
            return self._prices.of(response, include_content=self.include_content)
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

    def _record_events(self, events: list[Any]) -> dict[str, str]:
        if self.event_mode == 'logs':
            for event in events:
                self.logger.emit(event)
            return {}
        return {
            'events': spaced_json([event_data(event) for event in events]),
            'logfire.json_schema': schema_of((('events', 'array'), PARAMETERS), compact=False),
        }

    def record_metrics(
        self, response: ModelResponse, price_calculation: PriceCalculation | None, attributes: dict[str, Any]
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

    def _span(self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters) -> Any:
        """Return the `RequestSpan` of a request."""
        options = self.instrumentation_settings
        settings, parameters = self.wrapped.prepare_request(model_settings, model_request_parameters)
        return options.open_request(options, self.wrapped, settings, parameters)


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
