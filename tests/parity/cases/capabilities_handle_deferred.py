"""`HandleDeferredToolCalls` in runs: sync and async functions, several of them, answers of every kind."""

import asyncio

from _hooks import Boom
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    ToolApproved,
    ToolDenied,
    ToolReturn,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

log = []


def respond(messages, info):
    for part in messages[-1].parts:
        if part.part_kind in ('tool-return', 'retry-prompt', 'user-prompt'):
            log.append([part.part_kind, getattr(part, 'tool_call_id', None), str(part.content)])
    if len(messages) > 3:
        return ModelResponse(parts=[TextPart('done')])
    if len(messages) > 1:
        return ModelResponse(
            parts=[ToolCallPart('outside', {'x': 9}, 'late'), ToolCallPart('guarded', {'x': 8}, 'later')]
        )
    return ModelResponse(parts=[ToolCallPart('outside', {'x': 1}, 'o1'), ToolCallPart('guarded', {'x': 2}, 'g1')])


def told(name, results):
    def handle(ctx, requests):
        log.append(
            [name, [c.tool_call_id for c in requests.calls], [c.tool_call_id for c in requests.approvals], ctx.run_step]
        )
        return results(requests)

    return handle


def later(function):
    async def handle(ctx, requests):
        await asyncio.sleep(0)
        return function(ctx, requests)

    return handle


def all_of(value, approval=True):
    return lambda requests: requests.build_results(
        calls={c.tool_call_id: value for c in requests.calls},
        approvals={c.tool_call_id: approval for c in requests.approvals},
    )


def approvals(value):
    return lambda requests: DeferredToolResults(approvals={c.tool_call_id: value for c in requests.approvals})


def calls(value):
    return lambda requests: DeferredToolResults(calls={c.tool_call_id: value for c in requests.calls})


def raises(requests):
    raise Boom('handler')


CASES = {
    'all': [told('h', all_of('answer'))],
    'async': [later(told('h', all_of({'an': 'object'})))],
    'denied': [told('h', all_of('answer', False))],
    'denied with words': [told('h', all_of('answer', ToolDenied('please not')))],
    'other arguments': [told('h', all_of('answer', ToolApproved(override_args={'x': 100})))],
    'retry': [told('h', all_of(ModelRetry('not yet')))],
    'tool return': [told('h', all_of(ToolReturn(return_value='value', content='more', metadata={'m': 1})))],
    'two': [told('h', approvals(True)), told('k', calls('from k'))],
    'two, the first has all': [told('h', all_of('answer')), told('k', all_of('never'))],
    'some': [told('h', approvals(True))],
    'none': [told('h', lambda requests: None), told('k', lambda requests: None)],
    'raises': [told('h', raises)],
}
for label, functions in CASES.items():
    for output_type in (str, [str, DeferredToolRequests]):
        log.clear()
        agent = Agent(
            FunctionModel(respond),
            output_type=output_type,
            capabilities=[HandleDeferredToolCalls(f) for f in functions],
        )

        @agent.tool_plain
        def outside(x: int) -> int:
            raise CallDeferred

        @agent.tool_plain(requires_approval=True)
        def guarded(x: int) -> int:
            return x * 10

        try:
            result = agent.run_sync('hi')
            output = result.output
            if isinstance(output, DeferredToolRequests):
                output = [[c.tool_call_id for c in output.calls], [c.tool_call_id for c in output.approvals]]
            print(label, output_type is str, output, [[p.part_kind for p in m.parts] for m in result.all_messages()])
        except Exception as error:
            print(label, output_type is str, type(error).__name__)
        for line in log:
            print('   ', line)
