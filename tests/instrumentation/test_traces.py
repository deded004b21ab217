"""What a trace holds beyond what the parity cases show, and that it never disturbs the run."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from opentelemetry.trace import NoOpTracerProvider, get_current_span

from stead import Agent, InstrumentationSettings, ModelRetry, RunContext
from stead.capabilities import Instrumentation, PrefixTools, Toolset
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models._telemetry import answered_by
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.models.wrapper import WrapperModel
from stead.toolsets import FunctionToolset

from .kit import named, recording, script, tree


class Unspeakable:
    """Something that no telemetry can show."""

    def __repr__(self) -> str:
        raise RuntimeError('no')


def test_tools_find_the_tracer_of_the_run() -> None:
    recorder, settings = recording(version=3, include_content=False)
    agent = Agent(TestModel(), name='a', capabilities=[Instrumentation(settings)])
    seen: list[Any] = []

    @agent.tool
    def look(ctx: RunContext) -> None:
        seen.append((ctx.tracer is settings.tracer, ctx.trace_include_content, ctx.instrumentation_version))
        with ctx.tracer.start_as_current_span('mine'):
            pass

    agent.run_sync('x')
    assert seen == [(True, False, 3)]
    assert ('mine', 'execute_tool look') in tree(recorder)


def test_results_that_are_no_data_are_shown_as_well_as_can_be() -> None:
    recorder, settings = recording()
    results = {'part': {'a': 1, 'b': object}, 'all': Unspeakable()}
    agent = Agent(
        script([ToolCallPart('give', {'name': name}) for name in results], [TextPart('done')]),
        capabilities=[Instrumentation(settings)],
    )

    class Keep(FunctionToolset[None]):
        async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
            values.append(await super().call_tool(name, tool_args, ctx, tool))
            return values[-1]

    values: list[Any] = []

    def give(name: str) -> Any:
        return results[name]

    # The model is told that such a result cannot be sent; the spans show what the tool returned.
    assert agent.run_sync('x', toolsets=[Keep([give])]).output == 'done'
    responses = [span.attributes['tool_response'] for span in named(recorder, 'running tool')]
    assert responses == ['{"a":1,"b":"<class \'object\'>"}', '"<Unspeakable>"']


def test_metadata_that_is_no_data_does_not_break_the_run() -> None:
    recorder, settings = recording()
    agent = Agent(TestModel(), capabilities=[Instrumentation(settings)], metadata={'odd': Unspeakable(), 'n': 1})
    assert agent.run_sync('x').output
    assert json.loads(recorder.spans[0].attributes['metadata']) == {'odd': '<Unspeakable>', 'n': 1}


def test_spans_that_nobody_records_cost_no_content() -> None:
    """A tracer that samples the run out is not given messages to turn into text."""
    settings = InstrumentationSettings(tracer_provider=NoOpTracerProvider())
    threads: list[str] = []

    class Text(str):
        pass

    class Part(TextPart):
        def __getattribute__(self, name: str) -> Any:
            if name == 'content':
                threads.append(threading.current_thread().name)
            return super().__getattribute__(name)

    part = Part('hello')

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[part])

    Agent(FunctionModel(answer)).run_sync('x')
    untraced = len(threads)
    threads.clear()
    Agent(FunctionModel(answer), capabilities=[Instrumentation(settings)]).run_sync('x')
    assert len(threads) == untraced


def test_runs_at_the_same_time_keep_their_traces_apart() -> None:
    recorder, settings = recording()

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0)
        return ModelResponse(parts=[TextPart(f'to {len(info.instructions or "")}')])

    agent = Agent(FunctionModel(answer), name='many', capabilities=[Instrumentation(settings)])

    async def main() -> None:
        await asyncio.gather(*(agent.run('x', instructions='i' * number) for number in range(1, 9)))

    asyncio.run(main())
    runs = {span.context.span_id: span for span in named(recorder, 'agent run')}
    assert len(runs) == 8
    for chat in recorder.spans:
        if chat.name.startswith('chat'):
            run = runs[chat.parent.context.span_id]
            for name in ('gen_ai.agent.call.id', 'gen_ai.system_instructions'):
                assert chat.attributes[name] == run.attributes[name]


def test_the_same_agent_inside_of_itself() -> None:
    recorder, settings = recording()
    agent = Agent(
        script([ToolCallPart('again', {})], [TextPart('done')]), name='deep', capabilities=[Instrumentation(settings)]
    )

    @agent.tool
    async def again(ctx: RunContext) -> str:
        if get_current_span() is not recorder.spans[2]:
            return 'inner'
        return (await agent.run('y', message_history=[])).output

    agent.run_sync('x')
    assert [name for name, parent in tree(recorder) if parent == 'running tool'] == ['agent run']
    ids = {span.attributes['gen_ai.agent.call.id'] for span in recorder.spans}
    assert len(ids) == 2
    outer = recorder.spans[0].attributes
    assert json.loads(outer['pydantic_ai.all_messages'])[0]['parts'][0]['content'] == 'x'


def test_spans_end_with_the_run() -> None:
    recorder, settings = recording()
    agent = Agent(TestModel(), capabilities=[Instrumentation(settings)])

    async def main() -> tuple[str | None, str | None]:
        async with agent.iter('x') as run:
            inside = getattr(get_current_span(), 'name', None)
            async for _ in run:
                pass
        return inside, getattr(get_current_span(), 'name', None)

    assert asyncio.run(main()) == ('agent run', None)
    assert all(span.ended for span in recorder.spans)


def test_tools_have_the_names_that_the_model_calls_them_by() -> None:
    recorder, settings = recording()

    def add(a: int) -> int:
        return a

    agent = Agent(
        TestModel(),
        capabilities=[PrefixTools(Toolset(FunctionToolset([add])), prefix='my'), Instrumentation(settings)],
    )
    agent.run_sync('x')
    (span,) = named(recorder, 'running tool')
    assert span.attributes['gen_ai.tool.name'] == 'my_add'


def test_a_retry_is_an_error_of_its_call_and_not_of_the_run() -> None:
    recorder, settings = recording()
    agent = Agent(
        script([ToolCallPart('t', {})], [ToolCallPart('t', {})], [TextPart('ok')]),
        capabilities=[Instrumentation(settings)],
        retries=2,
    )
    calls: list[int] = []

    @agent.tool_plain
    def t() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise ModelRetry('once more')
        return 'fine'

    agent.run_sync('x')
    first, second = named(recorder, 'running tool')
    assert (first.status, second.status, recorder.spans[0].status) == ('ERROR', 'UNSET', 'UNSET')
    assert first.attributes['tool_response'].startswith('once more')


def test_the_model_that_answers_is_the_one_that_is_shown() -> None:
    """What models that choose among others, as fallbacks do, tell the trace."""
    recorder, settings = recording()

    class Chooser(WrapperModel):
        model_name = 'one of two'

        async def request(self, *args: Any) -> ModelResponse:
            answered_by(self.wrapped)
            return await self.wrapped.request(*args)

    agent = Agent(Chooser(TestModel(model_name='second')), capabilities=[Instrumentation(settings)])
    agent.run_sync('x')
    run, chat = recorder.spans
    assert (run.attributes['model_name'], chat.name) == ('one of two', 'chat second')
    assert (chat.attributes['gen_ai.request.model'], chat.attributes['gen_ai.system']) == ('second', 'test')
    (tokens, _) = recorder.histograms
    assert {point['gen_ai.request.model'] for _, point in tokens.points} == {'second'}


def test_prices_are_recorded_where_they_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('genai_prices')
    recorder, settings = recording()

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart('x')], provider_name='openai')

    Agent(FunctionModel(answer, model_name='gpt-4o'), capabilities=[Instrumentation(settings)]).run_sync('x')
    (chat,) = named(recorder, 'chat gpt-4o')
    ((amount, _),) = next(one for one in recorder.histograms if one.name == 'operation.cost').points
    assert chat.attributes['operation.cost'] == amount > 0
