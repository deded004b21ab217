"""External events, and `RequestInput`, which waits for decisions about calls as for an event."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from stead import Agent, CallDeferred, DeferredToolResults, RunContext, ToolFailed, UserError
from stead.capabilities import HandleDeferredToolCalls, RequestInput
from stead.external_events import fail_external_event, resolve_external_event, wait_for_external_event
from stead.journal import Journal, MemoryStore
from stead.messages import (
    BinaryContent,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import DeferredToolRequests


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse([ToolCallPart('refund', {'order': 'A-17'}, 'c1'), ToolCallPart('ship', {}, 'c2')])
    return ModelResponse([TextPart('done')])


def shop(*capabilities: Any) -> Agent:
    agent = Agent(FunctionModel(respond), name='shop', capabilities=capabilities)

    @agent.tool_plain(requires_approval=True)
    def refund(order: str) -> str:
        return f'{order} is refunded'

    @agent.tool_plain
    def ship() -> str:
        raise CallDeferred

    return agent


def answers(messages: list[ModelMessage]) -> list[tuple[object, str]]:
    return [(part.content, part.outcome) for part in messages[2].parts if isinstance(part, ToolReturnPart)]


@pytest.mark.parametrize('recorded', [False, True])
def test_an_answer_arrives_from_another_thread(recorded: bool):
    def ask(ctx: RunContext, requests: DeferredToolRequests, token: str) -> None:
        payload = {'approvals': {'c1': True}, 'calls': {'c2': {'kind': 'tool-failed', 'message': 'No van is left.'}}}
        threading.Timer(0.01, resolve_external_event, (token, payload)).start()

    agent = shop(RequestInput(ask), *([Journal(MemoryStore())] if recorded else []))
    assert answers(agent.run_sync('Go').all_messages()) == [
        ('A-17 is refunded', 'success'),
        ('No van is left.', 'failed'),
    ]


def test_files_in_results_arrive_as_they_were():
    picture = BinaryContent(b'\xff\x00', media_type='image/png')

    def ask(ctx: RunContext, requests: DeferredToolRequests, token: str) -> DeferredToolResults:
        return requests.build_results(approve_all=True, calls={'c2': ToolReturn('sent', content=['label:', picture])})

    messages = shop(RequestInput(ask)).run_sync('Go').all_messages()
    assert messages[2].parts[-1].content == ['label:', picture]


def test_a_run_that_is_cancelled_waits_no_longer():
    tokens: list[str] = []

    async def main() -> None:
        asked = asyncio.Event()

        def ask(ctx: RunContext, requests: DeferredToolRequests, token: str) -> None:
            tokens.append(token)
            asked.set()

        run = asyncio.create_task(shop(RequestInput(ask)).run('Go'))
        await asked.wait()
        run.cancel()
        await asyncio.wait([run])

    asyncio.run(main())
    for late in (lambda: resolve_external_event(tokens[0], {}), lambda: fail_external_event(tokens[0], 'late')):
        with pytest.raises(UserError, match='No wait in this process has this token'):
            late()


def test_two_waits_have_their_own_answers():
    tokens: list[str] = []

    def ask(token: str) -> None:
        tokens.append(token)
        if len(tokens) == 2:
            resolve_external_event(tokens[1], 2)
            resolve_external_event(tokens[0], 1)

    async def main() -> list[object]:
        return await asyncio.gather(*(wait_for_external_event(name, ask=ask) for name in ('one', 'two')))

    assert asyncio.run(main()) == [1, 2]


def test_a_tool_waits_for_an_event():
    agent = Agent('test')

    @agent.tool_plain
    async def pay() -> object:
        return await wait_for_external_event('payment', ask=lambda token: {'paid': len(token) > 20})

    assert agent.run_sync('Go').output == '{"pay":{"paid":true}}'


@pytest.mark.parametrize('inside', [False, True])
def test_a_result_may_be_that_the_tool_failed(inside: bool):
    def decide(ctx: RunContext, requests: DeferredToolRequests) -> DeferredToolResults:
        return requests.build_results(
            approve_all=True, calls={call.tool_call_id: ToolFailed('No.') for call in requests.calls}
        )

    agent = shop(HandleDeferredToolCalls(decide), Journal(MemoryStore()))

    @agent.tool
    async def outer(ctx: RunContext) -> object:
        return await ctx.tool_manager.handle_call(ToolCallPart('ship', {}, 'i'))

    def calls_outer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('outer', {}, 'o')] if len(messages) == 1 else [TextPart('done')])

    result = agent.run_sync('Go', model=FunctionModel(calls_outer if inside else respond))
    assert answers(result.all_messages())[-1] == ('No.', 'failed')
