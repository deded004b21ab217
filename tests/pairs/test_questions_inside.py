"""Questions of agents inside of tools reach the people at front ends, and their answers the runs that asked, once."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import AsyncIterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('mcp', reason='the package mcp is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stead import Agent, DeferredToolRequests, RunContext, ToolDefinition
from stead.capabilities import Journal
from stead.messages import ModelMessage, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.toolsets import ExternalToolset
from stead.ui.web import create_server

from ..ui.test_talk import Browser
from .front_ends import AGUI, AISDK, Interface, client_of

INTERFACES: list[Any] = [pytest.param(AISDK(), id='AI SDK'), pytest.param(AGUI(), id='AG-UI')]


@pytest.fixture(autouse=True)
def several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let questions of one server be known to the next one."""
    monkeypatch.setenv('STEAD_APPROVAL_KEY', 'a key that both of them have')


def model(*calls: tuple[str, dict[str, Any]], seen: list[Any] | None = None) -> FunctionModel:
    """Return a model that makes all calls at once, with ids that other models use too, and then says their results."""

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if seen is not None:
            seen.append([type(part) for message in messages for part in message.parts])
        last = messages[-1].parts
        if any(isinstance(part, UserPromptPart) for part in last) and len(messages) == 1:
            for place, (name, args) in enumerate(calls):
                yield {place: DeltaToolCall(name, json.dumps(args), tool_call_id=f'c{place}')}
        else:
            yield 'said '
            yield ', '.join(str(part.content) for part in last if isinstance(part, (ToolReturnPart, UserPromptPart)))

    return FunctionModel(stream_function=answer)


def text_of(events: list[dict[str, Any]]) -> str:
    return ''.join(
        event['delta'] for event in events if event['type'] in ('text-delta', 'TEXT_MESSAGE_CONTENT')
    ).strip()


class Server:
    """A desk with an agent that pays, in a process of its own."""

    def __init__(self, file: Path, paid: list[int], *amounts: int, deep: bool = False, by_tool: bool = False) -> None:
        self.journal: Journal[Any] = Journal(file)
        self.paid, self.seen = paid, list[Any]()
        calls = [('ask', {'amount': amount}) for amount in amounts]
        self.agent = self.new('desk', model(*calls, seen=self.seen))

        @self.agent.tool(effect='idempotent')
        async def ask(ctx: RunContext[None], amount: int) -> str:
            if by_tool:
                assert ctx.tool_manager is not None
                return str(await ctx.tool_manager.handle_call(ToolCallPart('pay', {'amount': amount}, 'c0')))
            if deep:
                return await self.run(self.between(amount))
            return await self.run(self.payer(amount))

        if by_tool:
            self.agent.tool_plain(self.pay, requires_approval=True, effect='write')

    def new(self, name: str, model: FunctionModel) -> Agent[None, Any]:
        output: Any = [str, DeferredToolRequests]
        return Agent(model, name=name, output_type=output, capabilities=[self.journal])

    def payer(self, amount: int) -> Agent[None, Any]:
        agent = self.new('payer', model(('pay', {'amount': amount})))
        agent.tool_plain(self.pay, requires_approval=True, effect='write')
        return agent

    def between(self, amount: int) -> Agent[None, Any]:
        agent = self.new('between', model(('pass_on', {})))

        @agent.tool_plain(effect='idempotent')
        async def pass_on() -> str:
            return await self.run(self.payer(amount))

        return agent

    async def run(self, agent: Agent[None, Any]) -> str:
        async with agent.run_stream_events('Pay.') as events:
            return str([event async for event in events][-1].result.output)  # type: ignore[union-attr]

    def pay(self, amount: int) -> str:
        self.paid.append(amount)
        return f'paid {amount}'

    def app(self, interface: Interface) -> Starlette:
        async def respond(request: Request) -> Response:
            return await interface.adapter.dispatch_request(request, agent=self.agent, **interface.options)

        return Starlette(routes=[Route('/', respond, methods=['POST'])])


class Talk:
    """A conversation, as its front end keeps it."""

    def __init__(self, interface: Interface, tools: Sequence[ToolDefinition] = ()) -> None:
        self.interface = interface
        self.messages: list[dict[str, Any]] = []
        self.tools = [
            {'name': tool.name, 'description': '', 'parameters': tool.parameters_json_schema} for tool in tools
        ]

    async def say(self, server: Server, text: str) -> list[dict[str, Any]]:
        self.messages.append(self.interface.user_message(text, len(self.messages)))
        return await self.send(server)

    async def send(self, server: Server, answers: Any = ()) -> list[dict[str, Any]]:
        self.messages = json.loads(json.dumps(self.messages))  # the page was loaded again
        async with client_of(server.app(self.interface)) as client:
            events = await self.interface.send(client, 1, self.messages, answers, self.tools)
        assert not [event for event in events if 'error' in event['type'].lower()], events
        return events

    def shown(self, events: list[dict[str, Any]], question: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the tool and the arguments that a question is shown with."""
        for event in events:
            if event.get('toolCallId') == question['toolCallId']:
                if event['type'] == 'tool-input-available':
                    return event['toolName'], event['input']
                if event['type'] == 'TOOL_CALL_ARGS':
                    return json.loads(event['delta']).get('name', 'pay'), json.loads(event['delta'])
        raise AssertionError(question)

    def returns(self, call_id: str, value: str) -> None:
        """Add what the front end got from a tool of its own."""
        if isinstance(self.interface, AISDK):
            (part,) = [part for part in self.messages[-1]['parts'] if part.get('toolCallId') == call_id]
            part.update(state='output-available', output=value)
        else:
            self.messages.append(
                {'id': f'm{len(self.messages)}', 'role': 'tool', 'toolCallId': call_id, 'content': value}
            )

    def without_result(self) -> list[str]:
        """Return the calls that the front end shows as open."""
        if isinstance(self.interface, AISDK):
            parts = [part for message in self.messages for part in message['parts'] if 'toolCallId' in part]
            return [part['toolCallId'] for part in parts if part['state'] != 'output-available']
        calls = [call['id'] for message in self.messages for call in message.get('toolCalls', ())]
        return [id for id in calls if id not in {message.get('toolCallId') for message in self.messages}]


@pytest.mark.parametrize('interface', INTERFACES)
@pytest.mark.parametrize('amounts', [(5,), (5, 6)], ids=['one', 'two at once'])
@pytest.mark.parametrize('way', [{}, {'deep': True}, {'by_tool': True}], ids=['inside', 'deeper', 'by a tool'])
def test_a_person_is_asked_and_the_runs_continue_once(
    interface: Interface, amounts: tuple[int, ...], way: dict[str, bool], tmp_path: Path
) -> None:
    async def main() -> None:
        paid: list[int] = []
        talk = Talk(interface)
        events = await talk.say(Server(tmp_path / 'runs.db', paid, *amounts, **way), 'Pay.')
        questions = interface.waiting(events)
        assert [talk.shown(events, one) for one in questions] == [('pay', {'amount': amount}) for amount in amounts]
        assert paid == []

        before = deepcopy(talk.messages)
        server = Server(tmp_path / 'runs.db', paid, *amounts, **way)
        text = text_of(await talk.send(server, questions))
        assert (sorted(paid), text.count('paid')) == ([*amounts], len(amounts))
        assert talk.without_result() == []
        runs = await server.journal.runs()
        assert {run.status for run in runs} == {'done'}
        assert len([run for run in runs if run.agent == 'desk']) == 1

        again, after = Talk(interface), talk.messages
        again.messages = before
        assert text_of(await again.send(server, questions)) == text
        assert (sorted(paid), len(await server.journal.runs())) == ([*amounts], len(runs))

        talk.messages = after
        assert text_of(await talk.say(server, 'Thanks.')) == 'said Thanks.'
        assert server.seen[-1].count(ToolCallPart) == server.seen[-1].count(ToolReturnPart) == len(amounts)
        assert TextPart in server.seen[-1]

    asyncio.run(main())


@pytest.mark.parametrize('interface', INTERFACES)
def test_each_question_has_its_own_answer(interface: Interface, tmp_path: Path) -> None:
    async def main() -> None:
        paid: list[int] = []
        talk = Talk(interface)
        server = Server(tmp_path / 'runs.db', paid, 5, 6)
        questions = interface.waiting(await talk.say(server, 'Pay.'))
        events = await talk.send(server, questions[1:])
        (left,) = interface.waiting(events)
        assert (left['toolCallId'], paid) == (questions[0]['toolCallId'], [6])
        assert 'paid 5' in text_of(await talk.send(server, [left]))
        assert paid == [6, 5]

    asyncio.run(main())


@pytest.mark.parametrize('interface', INTERFACES)
def test_a_question_holds_for_its_run_alone(interface: Interface, tmp_path: Path) -> None:
    async def main() -> None:
        paid: list[int] = []
        talk, other = Talk(interface), Talk(interface)
        server = Server(tmp_path / 'runs.db', paid, 5)
        (question,) = interface.waiting(await talk.say(server, 'Pay.'))
        (mine,) = interface.waiting(await other.say(server, 'Pay.'))
        # The same run of the same agent in the other conversation, as far as anyone can see.
        forged = {**mine, **{key: question[key] for key in ('id', 'approvalId') if key in question}}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            await other.send(server, [forged])
        assert 'left out' in str(caught[0].message)
        assert paid == []

    asyncio.run(main())


def test_the_page_asks_after_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        paid: list[int] = []
        before = Browser(create_server(Server(tmp_path / 'runs.db', paid, 5).agent).app)
        await before.post('a/say', text='Pay.')
        server = Server(tmp_path / 'runs.db', paid, 5)
        browser = Browser(create_server(server.agent).app)
        browser.client.cookies = before.client.cookies
        state = await browser.get('conversations/a')
        (waiting,) = state['waiting']
        assert (waiting['tool'], waiting['args'], waiting['inside']) == ('pay', {'amount': 5}, 'c0')
        assert not (await browser.decide(state, action='allow'))['waiting']
        status, _ = await browser.decide(state, action='allow')
        assert (status, paid) == (409, [5])
        assert {run.status for run in await server.journal.runs()} == {'done'}

    asyncio.run(main())


@pytest.mark.parametrize('interface', INTERFACES)
def test_the_result_of_a_tool_of_the_client_continues_the_run_that_called_it(
    interface: Interface, tmp_path: Path
) -> None:
    async def main() -> None:
        ledger: list[str] = []
        look = ToolDefinition(name='look', parameters_json_schema={'type': 'object'})

        def server() -> Server:
            one = Server(tmp_path / 'runs.db', [])

            async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
                calls = [call.tool_name for one in messages for call in getattr(one, 'tool_calls', ())]
                if len(calls) < 2:
                    yield {0: DeltaToolCall(['look', 'note'][len(calls)], '{}', tool_call_id=f'c{len(calls)}')}
                else:
                    yield f'said {[part.content for part in messages[2].parts if isinstance(part, ToolReturnPart)]}'

            one.agent = one.new('desk', FunctionModel(stream_function=answer))
            if isinstance(interface, AISDK):
                one.agent = Agent(
                    FunctionModel(stream_function=answer),
                    name='desk',
                    output_type=[str, DeferredToolRequests],
                    toolsets=[ExternalToolset([look])],
                    capabilities=[one.journal],
                )

            @one.agent.tool_plain(effect='write')
            def note() -> str:
                ledger.append('noted')
                return 'noted'

            return one

        talk = Talk(interface, tools=[look])
        await talk.say(server(), 'Look.')
        talk.returns('c0', 'a lamp')
        before, one = deepcopy(talk.messages), server()
        text = text_of(await talk.send(one))
        assert text == "said ['a lamp']"
        assert [(run.status, run.agent) for run in await one.journal.runs()] == [('done', 'desk')]
        for _ in range(2):  # a proxy tries again
            again = Talk(interface, tools=[look])
            again.messages = deepcopy(before)
            assert text_of(await again.send(one)) == text
        assert (ledger, len(await one.journal.runs())) == (['noted'], 1)
        await talk.say(one, 'Thanks.')
        assert (ledger, len(await one.journal.runs())) == (['noted'], 2)

    asyncio.run(main())
