"""The retries of a tool count until it returns something in 2.x: a step without it, a denial or a failure keeps them."""

from __future__ import annotations

import warnings
from typing import Any

from pydantic_ai import Agent, DeferredToolResults, ModelRetry, RunContext, ToolDenied, ToolOutput, messages as m
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ToolFailed
from pydantic_ai.models.function import FunctionModel

warnings.simplefilter('ignore')


def call(name: str, id: str = 'c', **args: Any) -> m.ToolCallPart:
    return m.ToolCallPart(name, args, tool_call_id=id)


DONE = [m.TextPart('done')]
OTHER = [call('other')]
NONE = [call('nope')]
FAIL, OK, BROKEN, EXTERNAL, ASKS = ([call('t', x=x)] for x in range(5))
INVALID = [call('final_result', response='s')]


def decided(approval: Any, result: Any) -> HandleDeferredToolCalls:
    return HandleDeferredToolCalls(
        lambda ctx, requests: DeferredToolResults(
            approvals={part.tool_call_id: approval for part in requests.approvals},
            calls={part.tool_call_id: result for part in requests.calls},
        )
    )


def run(name: str, *steps: list[Any], limit: int = 5, **options: Any) -> None:
    responses, log = iter(steps), list[object]()
    model = FunctionModel(lambda messages, info: m.ModelResponse(parts=next(responses)))
    agent: Agent[None, Any] = Agent(model, retries=limit, **options)

    @agent.tool
    async def t(ctx: RunContext, x: int) -> int:  # in a thread, two of them log in either order
        log.append(('t', x, ctx.retry))
        if x == 0:
            raise ModelRetry('no')
        if x == 2:
            raise ToolFailed('no')
        if x == 3:
            raise CallDeferred
        if x == 4 and not ctx.tool_call_approved:
            raise ApprovalRequired
        return x

    @agent.tool
    def other(ctx: RunContext) -> int:
        log.append(('other', dict(ctx.retries)))
        return 1

    @agent.tool
    async def inner(ctx: RunContext, x: int) -> str:
        try:
            result = await ctx.tool_manager.handle_call(call('t', 'in', x=x))
        except Exception as error:
            result = type(error).__name__
        log.append(('inner', result, dict(ctx.retries)))
        return str(result)

    try:
        log.append(agent.run_sync('x').output)
    except Exception as error:
        log.append(type(error).__name__)
    print(name)
    for entry in log:
        print('  ', entry)


run('kept over steps', FAIL, OTHER, FAIL, OTHER, OK, OTHER, FAIL, DONE)
run('used up over steps', FAIL, OTHER, FAIL, OTHER, FAIL, OTHER, DONE, limit=2)
run('invalid arguments', [call('t', x='a')], OTHER, OK, OK, DONE)
run('both in a step', FAIL, [call('t', x=0), call('t', 'c2', x=1)], OTHER, DONE)
run('failed', FAIL, BROKEN, OTHER, OK, DONE)
run('denied', FAIL, ASKS, OTHER, OK, DONE, capabilities=[decided(ToolDenied('d'), 4)])
run('approved', FAIL, ASKS, OTHER, OK, DONE, capabilities=[decided(True, 4)])
run('a result from outside', FAIL, EXTERNAL, OTHER, OK, DONE, capabilities=[decided(True, 4)])
run('called by a tool', FAIL, [call('inner', x=1)], OTHER, OK, DONE)
run('failing in a tool', FAIL, [call('inner', x=0)], OTHER, OK, DONE)
run('unknown tools', NONE, OTHER, NONE, OTHER, NONE, OTHER, DONE, limit=2)
run('outputs', INVALID, OTHER, INVALID, OTHER, [call('final_result', response=3)], output_type=ToolOutput(int))
run('an empty response', FAIL, [], OTHER, OK, DONE)
