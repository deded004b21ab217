"""The span that is open when metrics of a request are recorded: that of the run, as the request's has ended."""

import asyncio

from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.test import TestModel

meters = MeterProvider([InMemoryMetricReader()])
settings = InstrumentationSettings(tracer_provider=TracerProvider(), meter_provider=meters)
seen = []
record = settings.tokens_histogram.record


def noted(amount, attributes=None, **options):
    seen.append(trace.get_current_span().name)
    return record(amount, attributes, **options)


settings.tokens_histogram.record = noted
agent = Agent(TestModel(), name='a', capabilities=[Instrumentation(settings)])


async def streamed():
    async with agent.run_stream('hi') as result:
        await result.get_output()


agent.run_sync('hi')
print('run', seen)
seen.clear()
asyncio.run(streamed())
print('stream', seen)
