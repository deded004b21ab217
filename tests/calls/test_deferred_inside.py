"""`handle_call`: a call that a tool dispatches itself, and that is deferred, is decided at once by the capabilities."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, ApprovalRequired, CallDeferred, ModelRetry, RunContext, ToolReturn
from stead.capabilities import HandleDeferredToolCalls
from stead.exceptions import ToolRetryError
from stead.messages import RetryPromptPart
from stead.models.test import TestModel
from stead.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied

from .kit import call, managing, wait


def guarded(ctx: RunContext[Any], count: int = 1) -> str:
    if not ctx.tool_call_approved:
        raise ApprovalRequired(metadata={'why': 'it costs'})
    return f'ran {count} {ctx.tool_call_metadata}'


def elsewhere() -> str:
    raise CallDeferred(metadata={'queue': 'a'})


def never() -> str:
    raise ApprovalRequired


def handler_of(
    results: DeferredToolResults | None, batches: list[DeferredToolRequests]
) -> HandleDeferredToolCalls[Any]:
    async def handler(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults | None:
        batches.append(requests)
        return results

    return HandleDeferredToolCalls(handler=handler)


def handle(tool: Any, results: DeferredToolResults | None, batches: list[DeferredToolRequests] | None = None) -> Any:
    async def main() -> Any:
        capability = handler_of(results, [] if batches is None else batches)
        manager = await managing(tool, root_capability=capability)
        return await manager.handle_call(call(tool.__name__, call_id='c'))

    return wait(main())


def test_an_approved_call_runs() -> None:
    batches: list[DeferredToolRequests] = []
    assert handle(guarded, DeferredToolResults(approvals={'c': True}), batches) == 'ran 1 None'
    (requests,) = batches
    assert [item.tool_name for item in requests.approvals] == ['guarded']
    assert (requests.calls, requests.metadata) == ([], {'c': {'why': 'it costs'}})


def test_an_approval_may_change_the_arguments_and_say_something() -> None:
    results = DeferredToolResults(
        approvals={'c': ToolApproved(override_args={'count': 3})}, metadata={'c': {'by': 'me'}}
    )
    assert handle(guarded, results) == "ran 3 {'by': 'me'}"


@pytest.mark.parametrize(
    ('decision', 'message'), [(False, 'The tool call was denied.'), (ToolDenied('not today'), 'not today')]
)
def test_a_denied_call_says_so(decision: Any, message: str) -> None:
    assert handle(guarded, DeferredToolResults(approvals={'c': decision})) == ToolDenied(message)


@pytest.mark.parametrize('value', [5, None, {'a': 1}, ToolReturn(return_value=7, content='look')], ids=repr)
def test_a_value_from_elsewhere_is_the_result(value: Any) -> None:
    batches: list[DeferredToolRequests] = []
    assert handle(elsewhere, DeferredToolResults(calls={'c': value}), batches) == value
    assert ([item.tool_name for item in batches[0].calls], batches[0].metadata) == (
        ['elsewhere'],
        {'c': {'queue': 'a'}},
    )


@pytest.mark.parametrize('value', [ModelRetry('once more'), RetryPromptPart('once more')], ids=['error', 'part'])
def test_a_retry_is_raised(value: Any) -> None:
    with pytest.raises(ToolRetryError) as caught:
        handle(elsewhere, DeferredToolResults(calls={'c': value}))
    assert caught.value.tool_retry.content == 'once more'


@pytest.mark.parametrize(
    'results', [None, DeferredToolResults(), DeferredToolResults(approvals={'d': True})], ids=['none', 'empty', 'other']
)
def test_an_undecided_call_stays_deferred(results: DeferredToolResults | None) -> None:
    with pytest.raises(ApprovalRequired) as caught:
        handle(guarded, results)
    assert caught.value.metadata == {'why': 'it costs'}


def test_handlers_are_asked_once() -> None:
    batches: list[DeferredToolRequests] = []
    with pytest.raises(ApprovalRequired):
        handle(never, DeferredToolResults(approvals={'c': True}), batches)
    assert len(batches) == 1


def test_without_handlers_it_stays_deferred() -> None:
    async def main() -> None:
        await (await managing(guarded)).handle_call(call('guarded'))

    with pytest.raises(ApprovalRequired):
        wait(main())


def test_from_a_tool_of_a_run() -> None:
    agent = Agent(
        TestModel(call_tools=['outer']),
        capabilities=[handler_of(DeferredToolResults(approvals={'c': True}), [])],
        tools=[guarded],
    )

    @agent.tool
    async def outer(ctx: RunContext[None]) -> str:
        assert ctx.tool_manager is not None
        return await ctx.tool_manager.handle_call(call('guarded', call_id='c'))

    assert asyncio.run(agent.run('go')).output == '{"outer":"ran 1 None"}'
