"""A tool that dispatches a call itself which turns out to be deferred: the handlers of the run are asked at once."""

import json

from pydantic_ai import Agent, RunContext, ToolReturn
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry
from pydantic_ai.messages import RetryPromptPart, ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import DeferredToolResults, ToolApproved, ToolDenied

APPROVALS = {
    'yes': True,
    'no': False,
    'denied': ToolDenied('not now'),
    'other arguments': ToolApproved(override_args={'count': 5}),
    'wrong arguments': ToolApproved(override_args={'count': 'many'}),
}
VALUES = {
    'value': 5,
    'null': None,
    'record': {'a': 1},
    'return': ToolReturn(return_value=7, content='told', metadata={'z': 1}),
    'retry': ModelRetry('again'),
    'retry part': RetryPromptPart('again, please'),
}
OTHER = {
    'with metadata': lambda call: DeferredToolResults(approvals={call: True}, metadata={call: {'m': 2}}),
    'about another': lambda call: DeferredToolResults(approvals={'another': True}),
    'empty': lambda call: DeferredToolResults(),
    'nothing': lambda call: None,
}


def results_of(kind, call):
    if kind in APPROVALS:
        return DeferredToolResults(approvals={call: APPROVALS[kind]})
    if kind in VALUES:
        return DeferredToolResults(calls={call: VALUES[kind]})
    return OTHER[kind](call)


def facts_of(value):
    if isinstance(value, ToolDenied):
        return ['denied', value.message]
    if isinstance(value, ToolReturn):
        return ['return', value.return_value, value.content, value.metadata]
    return value


def failure(error):
    retry = getattr(error, 'tool_retry', None)
    content = retry.content if retry is not None and isinstance(retry.content, str) else None
    return [type(error).__name__, getattr(error, 'metadata', None), content]


def attempt(tool, kind, **options):
    batches = []

    async def handler(ctx, requests):
        batches.append(
            [
                [call.tool_name for call in requests.approvals],
                [call.tool_name for call in requests.calls],
                requests.metadata,
            ]
        )
        batches.append([ctx.tool_name, ctx.tool_call_id])
        return results_of(kind, '1')

    agent = Agent(TestModel(call_tools=['outer']), capabilities=[HandleDeferredToolCalls(handler=handler)])

    @agent.tool
    def approved(ctx: RunContext, count: int = 1):
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'k': 1})
        return ['ran', count, ctx.tool_call_metadata]

    @agent.tool_plain
    def always(count: int = 1):
        raise ApprovalRequired

    @agent.tool_plain
    def elsewhere(count: int = 1):
        raise CallDeferred(metadata={'d': 1})

    @agent.tool
    def fails(ctx: RunContext, count: int = 1):
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        raise ModelRetry('failed')

    @agent.tool
    async def outer(ctx: RunContext) -> str:
        call = ToolCallPart(tool, {}, tool_call_id='1')
        try:
            outcome = facts_of(await ctx.tool_manager.handle_call(call, **options))
        except Exception as error:
            outcome = ['raised', *failure(error)]
        print(json.dumps([tool, kind, options, outcome, batches]))
        return 'ok'

    agent.run_sync('go')


for name in ('approved', 'always', 'elsewhere', 'fails'):
    for way in (*APPROVALS, *VALUES, *OTHER):
        attempt(name, way)
attempt('approved', 'wrong arguments', wrap_validation_errors=False)
attempt('approved', 'retry', wrap_validation_errors=False)
