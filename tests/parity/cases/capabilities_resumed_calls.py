"""Hooks around tools whose calls were deferred: in the run that defers, and in the one that continues with results."""

import asyncio

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

log = []


class Watches(AbstractCapability):
    def __init__(self, where=None, error=None):
        self.where, self.error = where, error

    def at(self, hook, ctx, call, value):
        log.append(f'{hook} {call.tool_name} {value} {ctx.tool_call_approved} {ctx.tool_call_metadata}')
        if hook == self.where and not ctx.tool_call_approved:
            raise self.error()

    async def before_tool_validate(self, ctx, *, call, tool_def, args):
        self.at('before validate', ctx, call, args)
        return args

    async def after_tool_validate(self, ctx, *, call, tool_def, args):
        self.at('after validate', ctx, call, args)
        return args

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        self.at('before execute', ctx, call, args)
        return args

    async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
        self.at('wrap', ctx, call, args)
        return await handler(args)

    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        self.at('after execute', ctx, call, result)
        return result

    async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
        self.at('error', ctx, call, type(error).__name__)
        raise error


def respond(messages, info):
    if any(message.kind == 'response' for message in messages):
        return ModelResponse(parts=[TextPart('done')])
    return ModelResponse(parts=[ToolCallPart('guarded', {'x': 1}, 'g'), ToolCallPart('outside', {'x': 2}, 'o')])


def make(watches):
    agent = Agent(FunctionModel(respond), output_type=[str, DeferredToolRequests], capabilities=[watches], retries=1)

    @agent.tool_plain(requires_approval=True)
    def guarded(x: int) -> int:
        return x * 10

    @agent.tool_plain
    def outside(x: int) -> int:
        raise CallDeferred({'job': x})

    return agent


RESULTS = {
    'approved': DeferredToolResults(approvals={'g': True}, calls={'o': 'result'}),
    'denied': DeferredToolResults(approvals={'g': ToolDenied('no')}, calls={'o': 'result'}),
    'other arguments': DeferredToolResults(
        approvals={'g': ToolApproved(override_args={'x': 5})}, calls={'o': ModelRetry('bad')}
    ),
    'metadata': DeferredToolResults(approvals={'g': True}, calls={'o': 'result'}, metadata={'g': {'by': 'me'}}),
}


async def show(label, watches, results):
    log.clear()
    agent = make(watches)
    try:
        first = await agent.run('hi')
        if not isinstance(first.output, DeferredToolRequests):
            print(label, 'not deferred', first.output, log)
            return
        open_calls = [
            [call.tool_call_id for call in first.output.approvals],
            [call.tool_call_id for call in first.output.calls],
        ]
        print(label, open_calls, sorted(first.output.metadata), log)
        log.clear()
        second = await agent.run(message_history=first.all_messages(), deferred_tool_results=results)
        parts = [[part.part_kind, str(part.content)] for message in second.all_messages()[2:] for part in message.parts]
        print('   ', second.output, parts, log)
    except Exception as error:
        print(label, type(error).__name__, log)


async def main():
    for label, results in RESULTS.items():
        await show(label, Watches(), results)
    for where in ('before validate', 'after validate', 'before execute', 'wrap', 'after execute', 'error'):
        for error in (ApprovalRequired, CallDeferred, lambda: ModelRetry('hook')):
            await show(f'{where} {type(error()).__name__}', Watches(where, error), RESULTS['approved'])


asyncio.run(main())
