"""The JSON of messages in spans is made once, and is always that of the messages as they are."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler

from stead import Agent
from stead.capabilities import Instrumentation
from stead.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.models.instrumented import InstrumentationSettings
from stead.tools import Tool


def traced(sampler: Sampler = ALWAYS_ON, **options: Any) -> tuple[InstrumentationSettings, InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(sampler=sampler)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return InstrumentationSettings(tracer_provider=provider, **options), exporter


def test_messages_are_shown_as_they_are_when_the_span_ends() -> None:
    settings, exporter = traced()
    fresh = InstrumentationSettings()
    history: list[ModelMessage] = [
        ModelRequest([SystemPromptPart('s'), UserPromptPart(['look', BinaryContent(b'a', media_type='image/png')])]),
        ModelResponse([TextPart('t'), ToolCallPart('add', {'a': 1, 'b': {'c': [1]}}, 'c')], finish_reason='tool_call'),
        ModelRequest([ToolReturnPart('add', {'sum': 1}, 'c')]),
    ]
    call: Any = history[1].parts[1]
    answer: Any = history[1]
    result: Any = history[2].parts[0]
    image: Any = history[0].parts[1].content[1]  # type: ignore[union-attr]

    def change(step: int) -> None:
        if step == 1:
            call.args['a'] = True
        elif step == 2:
            call.args['b']['c'].append(2)
        elif step == 3:
            result.content = 'text'
        elif step == 4:
            answer.finish_reason = 'stop'
        elif step == 5:
            call.otel_metadata = {'code_arg_name': 'a'}
        elif step == 6:
            object.__setattr__(image, 'data', b'b')
        elif step == 7:
            history[0].parts.pop()  # type: ignore[attr-defined]

    inputs: list[str] = []
    for step in range(8):
        change(step)
        expected = fresh.messages_to_otel_messages(history)
        with settings.tracer.start_as_current_span('request') as span:
            settings.handle_messages(history, ModelResponse([TextPart('done')]), 'x', span)
        attributes = exporter.get_finished_spans()[-1].attributes or {}
        inputs.append(str(attributes['gen_ai.input.messages']))
        assert inputs[-1] == json.dumps(expected), step
    assert len(set(inputs)) == 8


def test_settings_that_change_are_followed() -> None:
    settings, exporter = traced()
    history: list[ModelMessage] = [ModelRequest.user_text_prompt('a secret')]
    for include in (True, False, True):
        settings.include_content = include
        with settings.tracer.start_as_current_span('request') as span:
            settings.handle_messages(history, ModelResponse([TextPart('done')]), 'x', span)
        attributes = exporter.get_finished_spans()[-1].attributes or {}
        assert ('a secret' in str(attributes['gen_ai.input.messages'])) is include


class Counted:
    """An object that counts how often it is shown."""

    conversions = 0

    def __str__(self) -> str:
        Counted.conversions += 1
        return 'counted'


def add(a: int) -> int:
    return a


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    steps = len(messages) // 2
    return ModelResponse([ToolCallPart('add', {'a': 1})] if steps < 3 else [TextPart('done')])


def conversions_of_a_run(sampler: Sampler) -> int:
    settings, _ = traced(sampler)
    Counted.conversions = 0
    tool = Tool(add, metadata={'counted': Counted()})
    agent = Agent(FunctionModel(answer), tools=[tool], capabilities=[Instrumentation(settings=settings)])
    assert agent.run_sync('go').output == 'done'
    return Counted.conversions


def test_nothing_is_made_for_spans_that_are_not_recorded() -> None:
    assert conversions_of_a_run(ALWAYS_OFF) == 0


def test_parameters_that_stay_the_same_are_written_once() -> None:
    assert conversions_of_a_run(ALWAYS_ON) == 1


def test_the_span_of_a_call_says_what_was_changed_in_its_arguments() -> None:
    settings, exporter = traced()
    answers = iter([ModelResponse([ToolCallPart('double', "{'n': 2,}", 'c')]), ModelResponse([TextPart('done')])])
    agent = Agent(FunctionModel(lambda messages, info: next(answers)), capabilities=[Instrumentation(settings)])

    @agent.tool_plain
    def double(n: int) -> int:
        return 2 * n

    agent.run_sync('go')
    [span] = [
        span for span in exporter.get_finished_spans() if (span.attributes or {}).get('gen_ai.tool.call.id') == 'c'
    ]
    assert (span.attributes or {})['stead.arguments.repairs'] == ('single quotes', 'trailing comma')
