"""A decision that the server passes is about the calls that the server knows, whatever calls a request brings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')

from stead import Agent, DeferredToolRequests, DeferredToolResults
from stead.messages import ModelMessage, ModelResponse, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter

from ..ui import ag_ui_requests as ag_ui

pytestmark = pytest.mark.filterwarnings('ignore:Tool calls at the end of the request were dropped:UserWarning')


class Files:
    """An agent whose tools need approvals; a person approves the call `c1`, which wipes `/tmp/x`."""

    def __init__(self) -> None:
        self.ran: list[Any] = []
        self.agent = Agent(FunctionModel(self._ask, stream_function=self._end), output_type=[str, DeferredToolRequests])
        self.agent.tool_plain(self.wipe, requires_approval=True)
        self.agent.tool_plain(self.drop, requires_approval=True)
        self.asked = self.agent.run_sync('Wipe /tmp/x')

    def _ask(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('wipe', {'path': '/tmp/x', 'depth': 1.0}, 'c1')])

    async def _end(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield 'done'

    def wipe(self, path: str, depth: float) -> str:
        self.ran.append((path, depth))
        return 'wiped'

    def drop(self, name: str) -> str:
        self.ran.append(name)
        return 'dropped'

    def answer(
        self, protocol: str, tool: str, args: dict[str, Any], results: DeferredToolResults, *, knows: bool
    ) -> None:
        """Answer a request that has a call of its own as `c1`, with a decision of the server."""
        adapter: Any
        if protocol == 'ag-ui':
            called = ag_ui.calls(('c1', tool, json.dumps(args)))
            adapter = AGUIAdapter[Any, Any](agent=self.agent, run_input=ag_ui.run_input(ag_ui.user('x'), called))
        else:
            part = {'type': f'tool-{tool}', 'toolCallId': 'c1', 'state': 'input-available', 'input': args}
            prompt = {'id': 'u', 'role': 'user', 'parts': [{'type': 'text', 'text': 'x'}]}
            messages = [prompt, {'id': 'a', 'role': 'assistant', 'parts': [part]}]
            body = json.dumps({'id': 'c', 'trigger': 'submit-message', 'messages': messages}).encode()
            adapter = VercelAIAdapter[Any, Any](agent=self.agent, run_input=VercelAIAdapter.build_run_input(body))
        history = self.asked.all_messages() if knows else None

        async def read() -> None:
            async for _ in adapter.run_stream(message_history=history, deferred_tool_results=results):
                pass

        asyncio.run(read())


CALLS = [
    ('wipe', {'path': '/', 'depth': 1}),
    ('drop', {'name': 'prod'}),
    ('wipe', {'path': '/tmp/x', 'depth': 1}),  # as a browser writes the call that was asked about
]


@pytest.mark.parametrize(('tool', 'args'), CALLS)
@pytest.mark.parametrize('protocol', ['ag-ui', 'ai-sdk'])
def test_a_decision_runs_the_call_of_the_history_that_the_server_kept(
    protocol: str, tool: str, args: dict[str, Any]
) -> None:
    files = Files()
    files.answer(protocol, tool, args, DeferredToolResults(approvals={'c1': True}), knows=True)
    assert files.ran == [('/tmp/x', 1.0)]


@pytest.mark.parametrize(('tool', 'args'), CALLS)
@pytest.mark.parametrize('protocol', ['ag-ui', 'ai-sdk'])
def test_a_decision_by_id_alone_runs_no_call_of_a_request(protocol: str, tool: str, args: dict[str, Any]) -> None:
    files = Files()
    files.answer(protocol, tool, args, DeferredToolResults(approvals={'c1': True}), knows=False)
    assert files.ran == []


@pytest.mark.parametrize('protocol', ['ag-ui', 'ai-sdk'])
def test_a_decision_that_knows_its_call_needs_no_history(protocol: str) -> None:
    files = Files()
    assert isinstance(files.asked.output, DeferredToolRequests)
    results = files.asked.output.build_results(approve_all=True)
    files.answer(protocol, 'wipe', {'path': '/', 'depth': 1.0}, results, knows=False)
    files.answer(protocol, 'drop', {'name': 'prod'}, results, knows=False)
    assert files.ran == []
    files.answer(protocol, 'wipe', {'path': '/tmp/x', 'depth': 1.0}, results, knows=False)
    assert files.ran == [('/tmp/x', 1.0)]
