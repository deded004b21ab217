"""Hooks that came with 2.x: requests as they are sent, events, the model of a run, its ids, and what a capability is for an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import (
    AbstractCapability,
    CombinedCapability,
    Hooks,
    Thinking,
    WebSearch,
    WrapperCapability,
    on_event,
)
from pydantic_ai.messages import (
    FinalResultEvent,
    ModelRequest,
    ModelResponse,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel

NOW = datetime.now(timezone.utc)


def attempt(what: Callable[[], object]) -> None:
    try:
        what()
    except Exception as error:
        print('raised', type(error).__name__)


def text(name: str) -> TestModel:
    return TestModel(custom_output_text=name)


class Prepare(AbstractCapability[Any]):
    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        print('before', ctx.run_step)
        return request_context

    async def prepare_model_request(self, ctx: Any, request_context: Any) -> Any:
        print('prepare', len(request_context.messages))
        last = ModelRequest(parts=[UserPromptPart('changed')])
        request_context.messages = [*request_context.messages[:-1], last]
        return request_context


class Raises(AbstractCapability[Any]):
    async def prepare_model_request(self, ctx: Any, request_context: Any) -> Any:
        raise ValueError('no')

    async def on_model_request_error(self, ctx: Any, *, request_context: Any, error: Exception) -> Any:
        print('never')
        raise error


def requests() -> None:
    def echo(messages: Any, info: Any) -> ModelResponse:
        return ModelResponse(parts=[TextPart(str([p.content for m in messages for p in m.parts]))])

    result = Agent(FunctionModel(echo), capabilities=[Prepare()]).run_sync('q')
    print(result.output, [part.content for message in result.all_messages() for part in message.parts])
    attempt(lambda: Agent(TestModel(), capabilities=[Raises()]).run_sync('q'))
    hooks = Hooks[Any]()
    hooks.on.prepare_model_request(lambda ctx, request_context: print('function') or request_context)
    Agent(TestModel(), capabilities=[WrapperCapability(CombinedCapability([hooks, Prepare()]))]).run_sync('q')


class Listens(AbstractCapability[Any]):
    async def on_event(self, ctx: Any, *, event: Any) -> None:
        print('heard', type(event).__name__)


class ListensToEnds(Listens):
    def listens_to(self, event: Any) -> bool:
        return isinstance(event, PartEndEvent)


class Drops(AbstractCapability[Any]):
    async def wrap_run_event_stream(self, ctx: Any, *, stream: Any) -> Any:
        async for event in stream:
            if not isinstance(event, PartStartEvent):
                yield event


class Methods(AbstractCapability[Any]):
    @on_event(FinalResultEvent)
    async def final(self, ctx: Any, event: Any) -> None:
        print('method', type(event).__name__)

    @on_event
    async def each(self, ctx: Any, event: Any) -> None:
        print('each', type(event).__name__)


class Fails(AbstractCapability[Any]):
    async def on_event(self, ctx: Any, *, event: Any) -> None:
        raise ValueError('listener')


def events() -> None:
    print(Listens().has_on_event, Drops().has_on_event, WrapperCapability(Listens()).has_on_event)
    print(
        Listens().has_wrap_run_event_stream, Listens().listens_to(FinalResultEvent(tool_name=None, tool_call_id=None))
    )
    for capability in (Listens(), ListensToEnds(), WrapperCapability(ListensToEnds()), Methods()):
        print(type(capability).__name__)
        Agent(text('a'), capabilities=[Drops(), capability]).run_sync('q')
    attempt(lambda: Agent(text('a'), capabilities=[Fails()]).run_sync('q'))
    hooks = Hooks[Any]()
    hooks.on.event(lambda ctx, event: print('all', type(event).__name__))
    hooks.on.event(FinalResultEvent)(lambda ctx, event: print('some', type(event).__name__))
    print(hooks.has_on_event)
    Agent(text('a'), capabilities=[hooks]).run_sync('q')

    async def streamed() -> None:
        async with Agent(text('a'), capabilities=[Listens()]).run_stream_events('q') as stream:
            async for event in stream:
                print('read', type(event).__name__)

    asyncio.run(streamed())


class Chooses(AbstractCapability[Any]):
    def __init__(self, model: Any = None, run_id: str | None = None, conversation: str | None = None) -> None:
        self.model, self.run_id, self.conversation = model, run_id, conversation

    def get_model(self) -> Any:
        return self.model

    def get_default_run_id(self) -> str | None:
        return self.run_id

    def get_default_conversation_id(self, run_id: str) -> str | None:
        return self.conversation


class Knows(AbstractCapability[Any]):
    async def resolve_model_id(self, ctx: Any, *, model_id: str) -> Any:
        print('resolve', type(ctx).__name__, ctx.agent is not None)
        return text(model_id) if model_id.startswith('mine:') else None


class Around(AbstractCapability[Any]):
    def __init__(self, name: str, wraps: bool = True) -> None:
        self.name, self.wraps = name, wraps

    def get_wrapper_model(self, model: Any) -> Any:
        name = self.name

        class Named(WrapperModel):
            async def request(self, *args: Any) -> ModelResponse:
                print('request', name)
                return await self.wrapped.request(*args)

        return Named(model) if self.wraps else None


def models() -> None:
    two = [Chooses(), Chooses(text('b')), Chooses(text('c'))]
    print(Agent(capabilities=two).run_sync('q').output, Agent(text('agent'), capabilities=two).run_sync('q').output)
    print(Agent(capabilities=two).run_sync('q', model=text('run')).output)
    print(Agent(text('agent')).run_sync('q', capabilities=[Chooses(text('of the run'))]).output)
    agent = Agent(capabilities=two)
    print(agent.model)
    with agent.override(model=text('over')):
        print(agent.run_sync('q').output)
    attempt(lambda: Agent(capabilities=[Chooses()]).run_sync('q'))
    seen: list[object] = []

    def select(ctx: Any) -> TestModel:
        seen.append(
            (ctx.run_step, ctx.prompt, ctx.usage.requests, ctx.model.custom_output_text, ctx.run_id is not None)
        )
        return text(f'step {ctx.run_step}')

    agent = Agent(TestModel(), capabilities=[Chooses(select)])
    agent.tool_plain(name='t')(lambda: 1)
    print(agent.run_sync('q').output, seen)
    print(Agent('mine:x', capabilities=[Knows()]).run_sync('q').output)
    print(Agent(text('a'), capabilities=[Knows()]).run_sync('q', model='mine:y').output)
    print(Agent(capabilities=[Chooses('mine:z'), Knows()]).run_sync('q').output)
    attempt(lambda: Agent('other', capabilities=[Knows()]).run_sync('q'))
    print(Knows().has_resolve_model_id, Around('x').has_resolve_model_id)
    Agent(text('a'), capabilities=[Around('out'), Around('none', False), Around('in')]).run_sync('q')


def ids() -> None:
    two = [Chooses(None, 'r1', 'c1'), Chooses(None, 'r2', 'c2')]
    result = Agent(text('a'), capabilities=two).run_sync('q')
    print(result.run_id, result.conversation_id)
    result = Agent(text('a'), capabilities=two).run_sync('q', run_id='x', conversation_id='y')
    print(result.run_id, result.conversation_id)
    history = result.all_messages()
    print(Agent(text('a'), capabilities=two).run_sync('q', message_history=history).conversation_id)
    print(
        Agent(text('a'), capabilities=two).run_sync('q', message_history=history, conversation_id='new').conversation_id
    )


class Clock(AbstractCapability[Any]):
    def __init__(self, started: datetime | None, clock: Any = None) -> None:
        self.started, self.clock = started, clock

    def get_run_clock(self) -> Any:
        return self.clock

    async def get_run_start_time(self, run_id: str) -> datetime | None:
        return self.started

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        print(round((ctx.deadline - NOW).total_seconds() / 10), round(ctx.remaining_time() / 10))
        return request_context


def clocks() -> None:
    def later() -> datetime:
        return NOW + timedelta(seconds=100)

    for started, clock in (
        (None, lambda: NOW),
        (NOW - timedelta(seconds=200), lambda: NOW),
        (None, later),
        (NOW, later),
    ):
        Agent(text('a'), capabilities=[Clock(started, clock)]).run_sync('q', timeout=500)
    attempt(lambda: Agent(text('a'), capabilities=[Clock(NOW - timedelta(seconds=600))]).run_sync('q', timeout=500))


@dataclass
class Named(AbstractCapability[Any]):
    id: str | None = 'named'
    one: str = ''
    two: str = ''

    def get_instructions(self) -> str:
        return f'{self.one}-{self.two}'

    def for_agent(self, agent: Any) -> Any:
        print('for', agent.name, self.one)
        return Named(one=self.one + '!', two=self.two)


@dataclass
class Other(AbstractCapability[Any]):
    id: str | None = None


def one_id() -> None:
    agent = Agent(text('a'), name='n', capabilities=[Named(one='a'), Named(two='b')])
    print(agent.run_sync('q').all_messages()[0].instructions)
    print(agent.run_sync('q', capabilities=[Named(one='run')]).all_messages()[0].instructions)
    attempt(lambda: Agent(text('a'), capabilities=[Named(), Other(id='named')]))
    attempt(lambda: Agent(text('a'), capabilities=[Other(id='x'), Other(id='x')]))
    print(Named.combine([Named(one='x', two='y'), Named(one='z')]))
    print(Thinking.combine([Thinking('low'), Thinking('high')]).effort)
    combined: Any = WebSearch.combine([WebSearch(allowed_domains=['a']), WebSearch(allowed_domains=['b'], max_uses=2)])
    print(combined.id, combined.allowed_domains, combined.max_uses)
    wrapper = WrapperCapability(Other())
    print(wrapper.visit_and_replace(lambda one: one) is wrapper)
    pair = CombinedCapability([Other(), Named(one='x')])
    print(pair.visit_and_replace(lambda one: one) is pair, pair.visit_and_replace(lambda one: None))
    print(pair.visit_and_replace(lambda one: None if isinstance(one, Other) else one))


for part in (requests, events, models, ids, clocks, one_id):
    print('--', part.__name__)
    part()
