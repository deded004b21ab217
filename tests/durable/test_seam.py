"""The seam: an engine that is a description of how a step is run, here in memory; what passes through it arrives as it was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, RunContext, ToolReturn
from stead.capabilities import Capability, NativeTool
from stead.durable_exec import Durable, DurableAgent, DurableStep, StepEngine, StepInDoubt
from stead.durable_exec._worker import AgentParts
from stead.exceptions import UserError
from stead.messages import (
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UploadedFile,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.native_tools import WebSearchTool
from stead.toolsets import FunctionToolset
from tests.durable.scenes import masked


class Notebook(StepEngine):
    """Keeps the outcomes of steps in the order in which they begin; a run that begins again reads them."""

    title = 'Notebook'

    def __init__(self) -> None:
        self.outcomes: dict[int, bytes] = {}
        self.place = 0
        self.titles: list[str] = []
        self.doubted: set[str] = set()

    def is_active(self) -> bool:
        return True

    async def run(self, step: DurableStep) -> bytes:
        place, self.place = self.place, self.place + 1
        if step.kind == 'call_tool' and step.title in self.doubted and not step.again:
            raise StepInDoubt
        if place not in self.outcomes:
            self.titles.append(f'{step.kind} {step.title}')
            self.outcomes[place] = await self.perform(step)
        return self.outcomes[place]

    async def perform(self, step: DurableStep) -> bytes:
        return await step.work()

    def begin_again(self) -> None:
        self.place, self.titles = 0, []


class Elsewhere(Notebook):
    """Does the work of steps from their data alone, as another process would."""

    elsewhere = True
    parts: AgentParts

    async def perform(self, step: DurableStep) -> bytes:
        assert step.ctx is not None
        return await self.parts.perform(step.kind, step.toolset, step.messages, step.data, step.ctx)


def sent_away(agent: Agent[Any, Any]) -> tuple[DurableAgent[Any, Any], Elsewhere]:
    engine = Elsewhere()
    durable = DurableAgent(agent, engine, name='desk', models={}, event_stream_handler=None)
    engine.parts = AgentParts(agent, durable._models, durable._leaves)
    return durable, engine


def calls_once(name: str, seen: list[AgentInfo] | None = None) -> FunctionModel:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if seen is not None:
            seen.append(info)
        if len(messages) == 1:
            return ModelResponse([ToolCallPart(name, {}, 'call')])
        return ModelResponse([TextPart('done')])

    return FunctionModel(respond)


VALUES: dict[str, Callable[[], Any]] = {
    'image': lambda: ImageUrl('https://shop.example/cat.png'),
    'bytes': lambda: BinaryContent(b'\xff\x00', media_type='image/png'),
    'list': lambda: [ImageUrl('https://shop.example/cat.png'), DocumentUrl('https://shop.example/cat.pdf'), 3],
    'inside': lambda: {'photo': BinaryContent(b'1', media_type='image/png')},
    'upload': lambda: UploadedFile(file_id='f-1', provider_name='openai'),
    'return': lambda: ToolReturn(
        {'a': ImageUrl('https://shop.example/cat.png')},
        content=['look', BinaryContent(b'\xff', media_type='image/png')],
        metadata={'of': 1},
    ),
    'nothing': lambda: None,
    'not JSON': object,
}


@pytest.mark.parametrize('value', VALUES.values(), ids=VALUES.keys())
@pytest.mark.parametrize('where', ['here', 'elsewhere'])
def test_what_a_tool_returns_arrives_as_in_a_plain_run(value: Callable[[], Any], where: str) -> None:
    agent = Agent(calls_once('show'), name='desk')

    @agent.tool_plain
    def show() -> Any:
        """Show."""
        return value()

    plain = agent.run_sync('Show.').all_messages_json()
    for _ in range(2):  # the second time from its steps
        if where == 'elsewhere':
            durable, _ = sent_away(agent)
            result = asyncio.run(durable.run('Show.'))
        else:
            result = agent.run_sync('Show.', capabilities=[Durable(Notebook())])
        assert masked(result.all_messages_json()) == masked(plain)


def test_a_request_from_data_alone_has_the_same_parameters() -> None:
    def forecast(city: str) -> str:
        """Forecast."""
        return f'sunny in {city}'

    seen: list[AgentInfo] = []
    weather = Capability[Any](id='weather', description='Weather', tools=[forecast], defer_loading=True)
    agent = Agent(
        calls_once('load_capability', seen),
        name='desk',
        capabilities=[weather],
        toolsets=[FunctionToolset(id='more')],
        output_type=[str, DeferredToolRequests],
    )
    search = NativeTool[Any](WebSearchTool(max_uses=3))
    searching = Agent(calls_once('nothing', seen), name='searching', capabilities=[search])

    def parameters(run: Callable[[], object]) -> Any:
        seen.clear()
        run()
        return [info.model_request_parameters for info in seen]

    durable, engine = sent_away(agent)
    assert parameters(lambda: agent.run_sync('Go.')) == parameters(lambda: asyncio.run(durable.run('Go.')))
    assert 'call_tool load_capability' not in engine.titles, 'it does nothing to the world'

    away, _ = sent_away(searching)
    durable_parameters = parameters(lambda: asyncio.run(away.run('Go.')))
    assert durable_parameters == parameters(lambda: searching.run_sync('Go.'))
    assert durable_parameters[0].native_tools == [WebSearchTool(max_uses=3)]


def test_metadata_of_tools_that_cannot_be_sent_is_named() -> None:
    agent = Agent(TestModel(), name='desk')
    agent.tool_plain(metadata={'made by': object()})(lambda: None)
    with pytest.raises(UserError, match='The parameters of a request have no JSON form, .* in the metadata of tools'):
        asyncio.run(sent_away(agent)[0].run('Go.'))


def test_a_run_that_begins_again_does_nothing_twice() -> None:
    effects: list[str] = []
    engine = Notebook()
    agent = Agent(calls_once('pay'), name='desk', capabilities=[Durable(engine)])

    @agent.tool
    def pay(ctx: RunContext[None]) -> str:
        """Pay."""
        effects.append(ctx.idempotency_key)
        return 'paid'

    first = agent.run_sync('Pay.')
    assert engine.titles == ['model_request function:respond:', 'call_tool pay', 'model_request function:respond:']
    engine.begin_again()
    again = agent.run_sync('Pay.')
    assert (engine.titles, len(effects)) == ([], 1)
    assert masked(first.all_messages_json()) == masked(again.all_messages_json())


@pytest.mark.parametrize('can_wait', [True, False])
def test_a_call_in_doubt_is_asked_about_or_the_model_is_told(can_wait: bool) -> None:
    engine = Notebook()
    engine.doubted.add('pay')
    outputs: Any = [str, DeferredToolRequests] if can_wait else str
    agent = Agent(calls_once('pay'), name='desk', output_type=outputs, capabilities=[Durable(engine)])
    agent.tool_plain(lambda: 'paid', name='pay')
    result = agent.run_sync('Pay.')
    if can_wait:
        assert [call.tool_name for call in result.output.approvals] == ['pay']
        assert result.output.metadata['call']['kind'] == 'reconcile'
    else:
        assert 'may have run' in str(result.all_messages()[2].parts[0].content)


def test_an_agent_that_is_wrapped_has_steps_once() -> None:
    engine = Notebook()
    agent = Agent(calls_once('pay'), name='desk', capabilities=[Durable(engine)])
    agent.tool_plain(lambda: 'paid', name='pay')
    durable = DurableAgent(agent, engine, name=None, models={}, event_stream_handler=None)
    assert asyncio.run(durable.run('Pay.')).output == 'done'
    assert [title for title in engine.titles if title.startswith('call_tool')] == ['call_tool pay']


@pytest.mark.parametrize(
    ('build', 'words'),
    [
        (lambda: Durable('nothing'), ["there is no engine 'nothing'", 'dbos, prefect, temporal']),
        (lambda: Durable(Elsewhere()), ['`Durable` cannot let Notebook carry out runs', 'Wrap the agent']),
        (lambda: Durable(Notebook(), tools={'retries': 3}), ['options of steps', 'not with an engine']),
        (lambda: Agent(TestModel(), capabilities=[Durable(Notebook())]).run_sync('Go.'), ['`name`', 'Notebook']),
    ],
)
def test_what_cannot_work_is_an_error(build: Callable[[], object], words: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        build()
    for word in words:
        assert word in str(caught.value)


def test_specs_may_ask_for_it() -> None:
    with pytest.raises(ValueError, match="there is no engine 'nothing'"):
        Agent.from_spec({'model': 'test', 'capabilities': [{'Durable': 'nothing'}]})
    with pytest.raises(ValueError, match='there is no argument'):
        Agent.from_spec({'model': 'test', 'capabilities': [{'Durable': {'engin': 'dbos'}}]})
