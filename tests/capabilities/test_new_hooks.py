"""Hooks of 2.x beside what the reference does not have: journals, streams, deferred capabilities, and errors."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.capabilities import AbstractCapability, Capability, DynamicCapability, Hooks, on_event
from stead.capabilities.combined import bind_capabilities_tier
from stead.exceptions import RetryModelRequest, UserError
from stead.journal import Journal, MemoryStore
from stead.messages import (
    AgentStreamEvent,
    DeferredToolRequestsEvent,
    EnqueuedMessagesEvent,
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    UserPromptPart,
)
from stead.models import Model, ModelRequestContext, ModelResolutionContext
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel


def contents(messages: list[ModelMessage]) -> list[str]:
    return [str(getattr(part, 'content', '')) for message in messages for part in message.parts]


@dataclass
class Sends(AbstractCapability[None]):
    """Sends another prompt than the history has."""

    text: str = 'sent'
    run_id: str | None = None

    async def prepare_model_request(
        self, ctx: RunContext[None], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        sent = ModelRequest(parts=[UserPromptPart(self.text)])
        return ModelRequestContext(**{**vars(request_context), 'messages': [*request_context.messages[:-1], sent]})

    def get_default_run_id(self) -> str | None:
        return self.run_id


def heard(sent: list[list[str]]) -> FunctionModel:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append(contents(messages))
        return ModelResponse(parts=[TextPart('done')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        sent.append(contents(messages))
        yield 'done'

    return FunctionModel(answer, stream_function=stream)


def test_a_prepared_request_is_sent_and_not_recorded() -> None:
    sent: list[list[str]] = []
    journal = Journal(MemoryStore())
    agent = Agent(heard(sent), capabilities=[Sends(run_id='mine'), journal], name='a')

    async def main() -> None:
        result = await agent.run('q')
        assert (result.run_id, contents(result.all_messages())) == ('mine', ['q', 'done'])
        recorded = await journal.state('mine')
        assert contents(list(recorded.messages)) == ['q', 'done']
        async with Agent(heard(sent), capabilities=[Sends()]).run_stream('q') as streamed:
            assert await streamed.get_output() == 'done'
            assert contents(streamed.all_messages()) == ['q', 'done']

    asyncio.run(main())
    assert sent == [['sent'], ['sent']]


def test_a_hook_that_returns_no_request_is_named() -> None:
    hooks = Hooks[None]()

    @hooks.on.prepare_model_request
    def forgets(ctx: RunContext[Any], request_context: ModelRequestContext) -> Any:
        return None

    with pytest.raises(UserError, match='`prepare_model_request` of `.*forgets` returned nothing'):
        Agent(TestModel(), capabilities=[hooks]).run_sync('q')


class Hears(Capability[None]):
    """Is deferred until the model loads it."""

    def __init__(self) -> None:
        super().__init__(id='hears', description='Hears.', defer_loading=True)
        self.events: list[object] = []

    @on_event(FinalResultEvent)
    def note(self, ctx: RunContext[None], event: FinalResultEvent) -> None:
        self.events.append(event)


def test_a_deferred_capability_hears_nothing_before_it_is_loaded() -> None:
    capability = Hears()
    Agent(TestModel(call_tools=[], custom_output_text='a'), capabilities=[capability]).run_sync('q')
    assert capability.events == []
    capability.defer_loading = False
    Agent(TestModel(custom_output_text='a'), capabilities=[capability]).run_sync('q')
    assert len(capability.events) == 1


class Registered(Hears):
    """Has a method of its own beside that of its base class."""

    @on_event
    async def each(self, ctx: RunContext[None], event: object) -> None:
        self.events.append('each')


def test_methods_that_listen_are_inherited() -> None:
    capability = Registered()
    capability.defer_loading = False
    Agent(TestModel(custom_output_text='a'), capabilities=[capability]).run_sync('q')
    assert capability.events.count('each') == 4
    assert len(capability.events) == 5


@dataclass
class Knows(AbstractCapability[None]):
    """Knows a model by a name of its own."""

    asked: list[str] = field(default_factory=lambda: [])

    async def resolve_model_id(self, ctx: ModelResolutionContext[None], *, model_id: str) -> Model | None:
        self.asked.append(model_id)
        return TestModel(custom_output_text=model_id) if model_id.startswith('mine:') else None

    async def after_model_request(self, ctx: RunContext[None], *, request_context: Any, response: Any) -> Any:
        if response.text == 'mine:first':
            raise RetryModelRequest('mine:second')
        return response


def test_names_of_models_hold_for_requests_that_are_sent_again() -> None:
    knows = Knows()
    assert Agent('mine:first', capabilities=[knows]).run_sync('q').output == 'mine:second'
    assert knows.asked == ['mine:first', 'mine:second']


class Selects(AbstractCapability[None]):
    def get_model(self) -> Any:
        return lambda ctx: None


def test_a_selector_must_choose_a_model() -> None:
    with pytest.raises(UserError, match='`get_model` of a capability returned must choose a model, not None'):
        Agent(TestModel(), capabilities=[Selects()]).run_sync('q')
    with pytest.raises(UserError, match='There is no model'):
        Agent(capabilities=[AbstractCapability[None]()]).run_sync('q')


@dataclass
class Bound(AbstractCapability[None]):
    """Knows its agent."""

    agents: list[str | None] = field(default_factory=lambda: [])

    def for_agent(self, agent: Any) -> AbstractCapability[None]:
        self.agents.append(agent.name)
        return self


def test_capabilities_of_a_run_are_bound_to_its_agent_once() -> None:
    passed, built = Bound(), Bound()
    agent = Agent(TestModel(), name='a')
    agent.run_sync('q', capabilities=[passed, DynamicCapability(lambda ctx: built)])
    assert (passed.agents, built.agents) == (['a'], ['a'])
    combined = agent.root_capability
    assert bind_capabilities_tier(combined, agent, innermost=True) is combined


@pytest.mark.parametrize('listens', [False, True])
def test_changes_are_events_for_runs_with_a_listener(listens: bool) -> None:
    agent = Agent(TestModel())
    heard: list[str] = []
    shown: list[str] = []

    @agent.tool
    def put(ctx: RunContext[None]) -> str:
        assert ctx.enqueue('and this') is not None
        return 'x'

    async def show(ctx: RunContext[None], stream: Any) -> None:
        shown.extend([event.event_kind async for event in stream])

    if listens:

        @agent.on_event(EnqueuedMessagesEvent)
        async def note(ctx: RunContext[None], event: EnqueuedMessagesEvent) -> None:
            heard.extend(contents([*event.messages]))

    agent.run_sync('q', event_stream_handler=show)
    assert heard == (['and this'] if listens else [])
    assert ('enqueued_messages' in shown) is listens


def test_functions_for_events_hear_a_run_that_waits_and_continues_in_a_journal() -> None:
    store = MemoryStore()
    heard: list[str] = []

    def agent() -> Agent[None, str | DeferredToolRequests]:
        output_type: Any = [str, DeferredToolRequests]
        one = Agent(TestModel(), name='listened', output_type=output_type, capabilities=[Journal(store)])

        @one.tool_plain(requires_approval=True)
        def put(word: str) -> str:
            return word

        @one.on_event(FunctionToolCallEvent, FunctionToolResultEvent, DeferredToolRequestsEvent)
        def note(ctx: RunContext[None], event: AgentStreamEvent) -> None:
            heard.append(event.event_kind)

        return one

    waiting = agent().run_sync('q')
    assert isinstance(waiting.output, DeferredToolRequests)
    assert heard == ['function_tool_call', 'deferred_tool_requests']
    heard.clear()
    decisions = DeferredToolResults(approvals={call.tool_call_id: True for call in waiting.output.approvals})
    agent().run_sync(message_history=waiting.all_messages(), deferred_tool_results=decisions)
    assert heard == ['function_tool_call', 'function_tool_result']
