"""Traces, metrics and events arrive at the real SDK of OpenTelemetry."""

from __future__ import annotations

from typing import Any

import pytest

from stead import Agent, InstrumentationSettings
from stead.capabilities import Instrumentation
from stead.messages import BinaryContent
from stead.models._telemetry import compact_json
from stead.models.instrumented import InstrumentedModel
from stead.models.test import TestModel

from .kit import KeepLogs

pytest.importorskip('opentelemetry.sdk')

from opentelemetry import trace
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


def test_spans_and_metrics() -> None:
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exporter))
    settings = InstrumentationSettings(tracer_provider=tracers, meter_provider=MeterProvider([reader]))
    agent = Agent(TestModel(), name='real', capabilities=[Instrumentation(settings)])

    @agent.tool_plain
    def add(a: int, b: int) -> int:
        return a + b

    result = agent.run_sync('x')
    chat, tool, _, run = exporter.get_finished_spans()
    assert [span.name for span in (chat, tool, run)] == ['chat test', 'running tool', 'agent run']
    assert chat.parent.span_id == tool.parent.span_id == run.context.span_id
    assert result._traceparent().startswith(f'00-{run.context.trace_id:032x}-{run.context.span_id:016x}-')
    data: Any = reader.get_metrics_data()
    (metrics,) = data.resource_metrics[0].scope_metrics
    points = {dict(point.attributes)['gen_ai.token.type']: point.sum for point in metrics.metrics[0].data.data_points}
    assert points == {'input': result.usage.input_tokens, 'output': result.usage.output_tokens}


def test_events_arrive_as_log_records() -> None:
    logs, loggers = KeepLogs(), LoggerProvider()
    loggers.add_log_record_processor(SimpleLogRecordProcessor(logs))  # type: ignore[arg-type]
    settings = InstrumentationSettings(
        tracer_provider=TracerProvider(), logger_provider=loggers, version=1, event_mode='logs'
    )
    Agent(InstrumentedModel(TestModel(), settings)).run_sync('hello')
    bodies = [item.log_record.body for item in logs.records]
    assert bodies[0] == {'role': 'user', 'content': 'hello'}
    assert bodies[1]['message']['content'] == 'success (no tool calls)'


def test_metrics_of_a_request_are_recorded_when_its_span_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    meters = MeterProvider([InMemoryMetricReader()])
    settings = InstrumentationSettings(tracer_provider=TracerProvider(), meter_provider=meters)
    open_spans: list[str] = []
    record = settings.tokens_histogram.record

    def noted(*args: Any, **options: Any) -> None:
        open_spans.append(getattr(trace.get_current_span(), 'name', ''))
        record(*args, **options)

    monkeypatch.setattr(settings.tokens_histogram, 'record', noted)
    agent = Agent(TestModel(), capabilities=[Instrumentation(settings)])
    agent.run_sync('x')
    with agent.run_stream_sync('x') as result:
        result.get_output()
    assert open_spans == ['agent run'] * 4


def test_an_output_with_an_object_of_the_program_keeps_its_form() -> None:
    class Order:
        def __repr__(self) -> str:
            return '<an order>'

    value = {'order': Order(), 'number': 1, 'file': BinaryContent(b'secret', media_type='image/png')}
    with_files = compact_json(value, InstrumentationSettings())
    assert with_files.startswith('{"order":"<an order>","number":1,"file":{') and 'c2VjcmV0' in with_files
    assert 'c2VjcmV0' not in compact_json(value, InstrumentationSettings(include_binary_content=False))
