"""`wait_for_external_event`: what answers a wait, in time and too late, and what waits; `RequestInput`, which waits so for decisions."""

import asyncio
from datetime import timedelta

from _common import fact
from pydantic_ai import Agent, CallDeferred, DeferredToolRequests, DeferredToolResults, ToolFailed
from pydantic_ai.capabilities import HandleDeferredToolCalls, RequestInput
from pydantic_ai.external_events import (
    ExternalEventWaiter,
    external_event_scope,
    fail_external_event,
    resolve_external_event,
    wait_for_external_event,
)
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

SOON = timedelta(seconds=0.02)
RESULTS = DeferredToolResults(approvals={'c1': True}, calls={'c2': 'B'})


def attempt(name, ask, timeout=None, waiter=None):
    async def wait():
        if waiter is None:
            return await wait_for_external_event('n', ask=ask, timeout=timeout)
        with external_event_scope(waiter) as entered:
            fact(f'{name}: entered', entered is waiter)
            return await wait_for_external_event('n', ask=ask, timeout=timeout)

    try:
        fact(name, asyncio.run(wait()))
    except Exception as error:
        fact(name, type(error).__name__)


def resolves(payload):
    return lambda token: resolve_external_event(token, payload)


def twice(token):
    resolve_external_event(token, 1)
    resolve_external_event(token, 2)


async def slow(token):
    await asyncio.sleep(5)


class Waiter(ExternalEventWaiter):
    async def wait(self, name, *, ask, timeout):
        fact('waiter', [name, str(timeout), await ask('T')])
        return {'approvals': {'c1': True}, 'calls': {'c2': 'B'}}


def script(messages, info):
    if len(messages) == 1:
        return ModelResponse([ToolCallPart('a', {'x': 1}, 'c1'), ToolCallPart('b', {'x': 1}, 'c2')])
    return ModelResponse([TextPart(repr([(part.content, part.outcome) for part in messages[-1].parts]))])


def decide(name, capability, waiter=None):
    agent = Agent(FunctionModel(script), capabilities=[capability], output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def a(x: int):
        return f'a{x}'

    @agent.tool_plain
    def b(x: int):
        raise CallDeferred

    async def run():
        if waiter is None:
            return await agent.run('q')
        with external_event_scope(waiter):
            return await agent.run('q')

    try:
        output = asyncio.run(run()).output
        waiting = [*getattr(output, 'approvals', ()), *getattr(output, 'calls', ())]
        fact(name, [call.tool_name for call in waiting] if waiting else output)
    except Exception as error:
        fact(name, type(error).__name__)


def sends(payload):
    return RequestInput(lambda ctx, requests, token: resolve_external_event(token, payload))


attempt('resolved', resolves({'x': 1}))
attempt('with nothing', resolves(None))
attempt('with a tuple', resolves((1, 2)))
attempt('without JSON', resolves(object()))
attempt('returned', lambda token: {'y': 2})
attempt('failed', lambda token: fail_external_event(token, 'closed'))
attempt('twice', twice)
attempt('unknown', lambda token: resolve_external_event(f'{token}x', 1))
attempt('too late', lambda token: None, SOON)
attempt('slow to ask', slow, SOON)
attempt('no time', lambda token: None, timedelta(0))
attempt('elsewhere', lambda token: {'token': token}, timedelta(days=1), Waiter())
attempt('elsewhere, without JSON', lambda token: object(), None, Waiter())

decide('results', sends(RESULTS))
decide('data', sends({'approvals': {'c1': False}, 'calls': {'c2': {'kind': 'model-retry', 'message': 'again'}}}))
decide(
    'other arguments',
    sends({'approvals': {'c1': {'kind': 'tool-approved', 'override_args': {'x': 5}}}, 'calls': {'c2': 0}}),
)
decide('some', sends({'approvals': {'c1': True}}))
decide('none', sends({'other': 1}))
decide('text', sends('yes'))
decide('of another call', sends({'approvals': {'zzz': True}}))
decide('at once', RequestInput(lambda ctx, requests, token: RESULTS))
decide('never', RequestInput(lambda ctx, requests, token: fail_external_event(token, 'closed')))
decide('not in time', RequestInput(lambda ctx, requests, token: None, timeout=SOON))
decide('scope', RequestInput(lambda ctx, requests, token: None, name='nm'), Waiter())
decide(
    'failed tool', HandleDeferredToolCalls(lambda ctx, requests: DeferredToolResults(calls={'c2': ToolFailed('no')}))
)
fact('spec', RequestInput.get_serialization_name())
