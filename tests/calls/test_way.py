"""The way of a call: through each file once, through one gate to its execution, and through one place where it is approved."""

from __future__ import annotations

import ast
import sys
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from stead import Agent, ApprovalRequired, RunContext
from stead.capabilities import HandleDeferredToolCalls
from stead.messages import ModelMessage, ModelRequest, ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.output import ToolOutput
from stead.tools import DeferredToolRequests, DeferredToolResults, Tool

from ..following import functions_entered
from ..source import name_of, nodes_of, source_files
from .kit import call, context, managing, wait

WAY = [
    '_calls/batch.py',
    '_calls/approvals.py',
    '_calls/step_tools.py',
    '_contracts/run_context.py',
    '_calls/validate.py',
    '_kit/aio.py',
    '_calls/running.py',
    '_calls/execute.py',
    'toolsets/function.py',
    'tools/_schema.py',
    '_calls/answers.py',
]


async def add(a: int, b: int) -> int:
    return a + b


def test_a_call_never_returns_to_a_file_it_has_left() -> None:
    entered = functions_entered(Agent(TestModel(), tools=[add]))
    begin, end = entered.index(('_calls/batch.py', 'handle')), entered.index(('_calls/answers.py', 'answer_to'))
    assert [file for file, _ in groupby(file for file, _ in entered[begin : end + 1])] == WAY


# The gate


def functions_below() -> set[str]:
    """Return the names of the functions that wait for the one that asks."""
    names: set[str] = set()
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        names.add(frame.f_code.co_name)
        frame = frame.f_back
    return names


async def watched(ctx: RunContext[Any]) -> bool:
    return 'execute_call' in functions_below()


async def guarded(ctx: RunContext[Any]) -> bool:
    if not ctx.tool_call_approved:
        raise ApprovalRequired
    return await watched(ctx)


async def dispatching(ctx: RunContext[Any]) -> bool:
    assert ctx.tool_manager is not None
    return await ctx.tool_manager.handle_call(ToolCallPart('watched', {}, tool_call_id='inner'))


async def approve(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults:
    return DeferredToolResults(approvals=dict.fromkeys([item.tool_call_id for item in requests.approvals], True))


async def through_a_run(tool: Any, **options: Any) -> str:
    agent = Agent(TestModel(call_tools=[tool.__name__]), tools=list({tool, watched}), **options)
    return (await agent.run('go')).output


async def in_a_batch() -> str:
    return await through_a_run(watched)


async def from_another_tool() -> str:
    return await through_a_run(dispatching)


async def approved_by_a_capability() -> str:
    return await through_a_run(guarded, capabilities=[HandleDeferredToolCalls(handler=approve)])


async def in_a_streamed_run() -> str:
    agent = Agent(TestModel(), tools=[watched])
    async with agent.run_stream('go') as result:
        return await result.get_output()


async def resumed() -> str:
    agent = Agent(TestModel(), tools=[Tool(watched, requires_approval=True)], output_type=[str, DeferredToolRequests])
    first = await agent.run('go')
    assert isinstance(first.output, DeferredToolRequests)
    results = DeferredToolResults(approvals={item.tool_call_id: True for item in first.output.approvals})
    second = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
    assert isinstance(second.output, str)
    return second.output


async def by_itself() -> str:
    return str(await (await managing(watched)).handle_call(call('watched')))


@pytest.mark.parametrize(
    'way', [in_a_batch, from_another_tool, approved_by_a_capability, in_a_streamed_run, resumed, by_itself]
)
def test_every_execution_passes_one_function(way: Any) -> None:
    assert 'true' in wait(way()).lower()


def values_of(path: Path, names: tuple[str, ...]) -> set[str]:
    """Return what a file calls functions with, as the keywords of these names: as it is written."""
    calls = (node for node in nodes_of(path) if isinstance(node, ast.Call))
    return {ast.unparse(keyword.value) for node in calls for keyword in node.keywords if keyword.arg in names}


def test_calls_are_approved_in_one_place() -> None:
    # `False` approves nothing: a denied call is shown to an interface with it.
    approving = {
        name_of(path)
        for path in source_files()
        if values_of(path, ('approved', 'tool_call_approved')) - {'approved', 'False'}
    }
    assert approving == {'_calls/approvals.py'}


def test_a_call_does_not_inherit_the_approval_of_another() -> None:
    async def main() -> None:
        manager = await managing(guarded, ctx=context(tool_call_approved=True))
        await manager.handle_call(call('guarded'))

    with pytest.raises(ApprovalRequired):
        wait(main())


def test_calls_that_history_answers_are_not_answered_again() -> None:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart('done')])
        wrong, waits = ToolCallPart('number', {'response': 'x'}, 'wrong'), ToolCallPart('guarded', {}, 'waits')
        return ModelResponse(parts=[wrong, waits])

    async def main() -> list[str]:
        outputs: Any = [ToolOutput(int, name='number'), str, DeferredToolRequests]
        agent: Agent[None, Any] = Agent(FunctionModel(respond), tools=[guarded], output_type=outputs)
        first = await agent.run('go')
        results = DeferredToolResults(approvals={'waits': True})
        second = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
        assert second.output == 'done'
        requests = [message for message in second.all_messages() if isinstance(message, ModelRequest)]
        parts = [part for request in requests for part in request.parts]
        return [part.tool_call_id for part in parts if isinstance(part, RetryPromptPart)]

    assert wait(main()) == ['wrong']
