"""What a client brings stays the client's: its tools turn no approvals on, and take the name of none of the agent's."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead import Agent, DeferredToolRequests
from stead.capabilities import HandleDeferredToolCalls, Journal
from stead.exceptions import CallDeferred
from stead.messages import ModelMessage
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.tools import DeferredToolResults
from stead.toolsets import FunctionToolset

from ..ui import ag_ui_requests as ag_ui

pytestmark = pytest.mark.filterwarnings('ignore::UserWarning')


def tool(name: str) -> dict[str, Any]:
    return {'name': name, 'description': '', 'parameters': {'type': 'object', 'properties': {}}}


def calling(name: str, args: str = '{}') -> FunctionModel:
    async def model(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if messages[-1].parts[-1].part_kind == 'tool-return':
            yield 'done'
        else:
            yield {0: DeltaToolCall(name, args, tool_call_id='c1')}

    return FunctionModel(stream_function=model)


@pytest.mark.parametrize('journal', [False, True])
def test_tools_of_a_client_turn_no_approvals_on(journal: bool) -> None:
    ran: list[str] = []
    agent = Agent(calling('wipe', '{"path": "/"}'), name='a', capabilities=[Journal()] if journal else [])

    @agent.tool_plain(requires_approval=True)
    def wipe(path: str) -> str:
        ran.append(path)
        return 'wiped'

    app = ag_ui.app(agent, ag_ui_version='1.0')
    for tools in ([], [tool('mine')]):
        *_, last = ag_ui.events(ag_ui.post(app, ag_ui.request(ag_ui.user('go'), tools=tools)))
        assert last['type'] == 'RUN_ERROR' and 'DeferredToolRequests' in last['message'], tools
        assert 'interrupt' not in json.dumps(last)
    assert ran == []


def test_tools_of_a_client_let_no_call_of_the_agent_wait() -> None:
    agent = Agent(calling('slow'), name='a')

    @agent.tool_plain
    def slow() -> str:
        raise CallDeferred

    app = ag_ui.app(agent, ag_ui_version='1.0')
    *_, last = ag_ui.events(ag_ui.post(app, ag_ui.request(ag_ui.user('go'), tools=[tool('mine')])))
    assert last['type'] == 'RUN_ERROR' and "['slow']" in last['message']


@pytest.mark.parametrize('decides', ['output type', 'option', 'handler'])
def test_an_agent_that_has_approvals_has_them_beside_tools_of_a_client(decides: str) -> None:
    ran: list[str] = []
    outputs: Any = [str, DeferredToolRequests]

    def approve(ctx: Any, requests: DeferredToolRequests) -> DeferredToolResults:
        return requests.build_results(approve_all=True)

    agent = Agent(
        calling('wipe'),
        name='a',
        output_type=outputs if decides == 'output type' else str,
        capabilities=[HandleDeferredToolCalls(approve)] if decides == 'handler' else [],
    )

    @agent.tool_plain(requires_approval=True)
    def wipe() -> str:
        ran.append('wiped')
        return 'wiped'

    options: dict[str, Any] = {'output_type': outputs} if decides == 'option' else {}
    app = ag_ui.app(agent, ag_ui_version='1.0', **options)
    *_, last = ag_ui.events(ag_ui.post(app, ag_ui.request(ag_ui.user('go'), tools=[tool('mine')])))
    assert last['type'] == 'RUN_FINISHED'
    assert ran == (['wiped'] if decides == 'handler' else [])
    assert ('outcome' in last) == (decides != 'handler')


HIDDEN: dict[str, Any] = {
    'filtered': lambda tools: tools.filtered(lambda ctx, definition: ctx.run_step > 1),
    'prepared': lambda tools: tools.prepared(lambda ctx, definitions: []),
    'prefixed and filtered': lambda tools: tools.prefixed('my').filtered(lambda ctx, definition: False),
    'renamed and filtered': lambda tools: tools.renamed({'my_mail': 'mail'}).filtered(lambda ctx, definition: False),
    'listed': lambda tools: tools,
}


@pytest.mark.parametrize('how', HIDDEN)
def test_a_tool_of_a_client_takes_the_place_of_none_that_the_agent_may_list_later(how: str) -> None:
    tools: FunctionToolset[Any] = FunctionToolset()
    tools.add_function(lambda: 'sent', name='mail')
    name = 'my_mail' if 'my' in repr(HIDDEN[how].__code__.co_consts) else 'mail'
    agent = Agent(calling(name), name='a', toolsets=[HIDDEN[how](tools)])
    app = ag_ui.app(agent, ag_ui_version='1.0')
    *_, last = ag_ui.events(ag_ui.post(app, ag_ui.request(ag_ui.user('go'), tools=[tool(name)])))
    assert last['type'] == 'RUN_ERROR' and name in last['message']
    *_, last = ag_ui.events(ag_ui.post(app, ag_ui.request(ag_ui.user('go'), tools=[tool('other')])))
    assert name != 'other' and 'and so has the agent' not in str(last)


def test_a_tool_that_a_step_does_not_show_keeps_its_name() -> None:
    agent = Agent(calling('mail'), name='a')

    @agent.tool_plain(prepare=lambda ctx, definition: definition if ctx.run_step > 1 else None)
    def mail() -> str:
        return 'sent'

    app = ag_ui.app(agent, ag_ui_version='1.0')
    *_, last = ag_ui.events(ag_ui.post(app, ag_ui.request(ag_ui.user('go'), tools=[tool('mail')])))
    assert last['type'] == 'RUN_ERROR' and 'mail' in last['message']
