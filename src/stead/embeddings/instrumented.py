"""Embedding models with spans for OpenTelemetry."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from urllib.parse import urlsplit

from pydantic_core import to_jsonable_python

from .._kit.json_types import JsonObject
from ..models.instrumented import CostCalculationFailedWarning, InstrumentationSettings
from .base import EmbeddingModel, texts_of
from .result import EmbeddingResult, EmbedInputType
from .settings import EmbeddingSettings
from .wrapper import WrapperEmbeddingModel


def instrument_embedding_model(model: EmbeddingModel, instrument: InstrumentationSettings | bool) -> EmbeddingModel:
    """Return a model whose requests are spans.

    Args:
        model: The model; one that has spans already is returned unchanged.
        instrument: The settings; `True` for the defaults, `False` for no spans.
    """
    if instrument and not isinstance(model, InstrumentedEmbeddingModel):
        return InstrumentedEmbeddingModel(model, InstrumentationSettings() if instrument is True else instrument)
    return model


class InstrumentedEmbeddingModel(WrapperEmbeddingModel):
    """A model whose requests are spans, with the attributes of the semantic conventions."""

    wrapped: EmbeddingModel
    """The model."""
    instrumentation_settings: InstrumentationSettings
    """Where spans go, and what they contain."""

    def __init__(self, wrapped: EmbeddingModel | str, options: InstrumentationSettings | None = None) -> None:
        """Wrap a model.

        Args:
            wrapped: The model, or its name; errors for names as `infer_embedding_model`.
            options: Where spans go, and what they contain.
        """
        super().__init__(wrapped)
        self.instrumentation_settings = options or InstrumentationSettings()

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        """Return the vectors of the wrapped model, in a span."""
        texts = texts_of(inputs)
        attributes = self._attributes(texts, input_type, settings)
        name = f'embeddings {self.model_name}'
        with self.instrumentation_settings.tracer.start_as_current_span(name, attributes=attributes) as span:
            inputs = inputs if isinstance(inputs, str) else texts  # what can be iterated over once was
            result = await self.wrapped.embed(inputs, input_type=input_type, settings=settings)
            found = _result_attributes(result, self.model_name)
            if span.is_recording():
                span.set_attributes(found)
        self._record_metrics(result, found)  # after the span, which would repeat them
        return result

    def _record_metrics(self, result: EmbeddingResult, found: JsonObject) -> None:
        settings, names = self.instrumentation_settings, self.model_attributes(self)
        attributes: JsonObject = {
            'gen_ai.provider.name': names['gen_ai.provider.name'],
            'gen_ai.operation.name': 'embeddings',
            'gen_ai.request.model': names['gen_ai.request.model'],
            'gen_ai.response.model': found['gen_ai.response.model'],
        }
        if tokens := result.usage.input_tokens:
            settings.tokens_histogram.record(tokens, {**attributes, 'gen_ai.token.type': 'input'})
        if (cost := found.get('operation.cost')) is not None:
            settings.cost_histogram.record(cost, attributes)

    @staticmethod
    def model_attributes(model: EmbeddingModel) -> JsonObject:
        """Return the attributes that identify a model."""
        names = {'gen_ai.provider.name': model.system, 'gen_ai.request.model': model.model_name}
        return {**names, **_server(model.base_url)}

    @staticmethod
    def serialize_any(value: object) -> object:
        """Return a value as JSON has it; what has no place there becomes text."""
        return to_jsonable_python(value, fallback=str)

    def _attributes(self, texts: list[str], input_type: str, settings: EmbeddingSettings | None) -> JsonObject:
        attributes: JsonObject = {
            'gen_ai.operation.name': 'embeddings',
            **self.model_attributes(self),
            'input_type': input_type,
            'inputs_count': len(texts),
        }
        types: JsonObject = {
            'input_type': {'type': 'string'},
            'inputs_count': {'type': 'integer'},
            'embedding_settings': {'type': 'object'},
        }
        if settings:
            attributes['embedding_settings'] = json.dumps(settings, default=str)
        if self.instrumentation_settings.include_content:
            attributes['inputs'] = json.dumps(texts)
            types.update(inputs={'type': ['array']}, embeddings={'type': 'array'})
        attributes['logfire.json_schema'] = json.dumps({'type': 'object', 'properties': types})
        return attributes


def _server(url: str | None) -> JsonObject:
    try:
        parts = urlsplit(url or '')
        address, port = parts.hostname, parts.port
    except ValueError:  # an invalid URL
        return {}
    attributes: JsonObject = {'server.address': address} if address else {}
    return {**attributes, 'server.port': port} if port else attributes


def _result_attributes(result: EmbeddingResult, model_name: str) -> JsonObject:
    attributes: JsonObject = {
        **result.usage.opentelemetry_attributes(),
        'gen_ai.response.model': result.model_name or model_name,
    }
    if result.provider_response_id is not None:
        attributes['gen_ai.response.id'] = result.provider_response_id
    if result.embeddings:
        attributes['gen_ai.embeddings.dimension.count'] = len(result.embeddings[0])
    try:
        attributes['operation.cost'] = float(result.cost().total_price)
    except (ImportError, LookupError):  # the package is not installed, or does not know the model
        pass
    except Exception as error:  # tracing must not break the program
        warnings.warn(
            f'Failed to get cost from response: {type(error).__name__}', CostCalculationFailedWarning, stacklevel=2
        )
    return attributes


__all__ = ('InstrumentedEmbeddingModel', 'instrument_embedding_model')
