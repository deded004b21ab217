"""Metrics of embeddings: tokens and price, none for a request that failed or that took no tokens."""

# needs: opentelemetry.sdk, genai_prices

import asyncio

from _common import fact
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Embedder
from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, TestEmbeddingModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.usage import RequestUsage


class Priced(EmbeddingModel):
    @property
    def model_name(self):
        return 'text-embedding-3-small'

    @property
    def system(self):
        return 'openai'

    @property
    def base_url(self):
        return 'https://api.openai.com/v1'

    async def embed(self, inputs, *, input_type, settings=None):
        texts = [inputs] if isinstance(inputs, str) else list(inputs)
        if texts == ['bad']:
            raise ValueError('bad')
        return EmbeddingResult(
            embeddings=[[1.0]],
            inputs=texts,
            input_type=input_type,
            model_name=self.model_name,
            provider_name=self.system,
            usage=RequestUsage(input_tokens=0 if texts == ['none'] else 1000),
        )


async def embed(settings):
    await Embedder(TestEmbeddingModel(), instrument=settings).embed_query('hello')
    await Embedder(Priced(), instrument=settings).embed_query('hello')
    for text in ('none', 'bad'):
        try:
            await Embedder(Priced(), instrument=settings).embed_documents([text])
        except ValueError as error:
            fact('raised', str(error))


reader = InMemoryMetricReader()
asyncio.run(
    embed(InstrumentationSettings(tracer_provider=TracerProvider(), meter_provider=MeterProvider([reader]), version=2))
)
for resource in reader.get_metrics_data().resource_metrics:
    for scope in resource.scope_metrics:
        for metric in scope.metrics:
            for point in metric.data.data_points:
                fact(metric.name, [metric.unit, point.sum, sorted(dict(point.attributes).items())])
