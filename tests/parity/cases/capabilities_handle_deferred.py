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


def noting(name, results):
    def handle(ctx, requests):
        log.append(
            [
                name,
                [call.tool_call_id for call in requests.calls],
                [call.tool_call_id for call in requests.approvals],
                ctx.run_step,
            ]
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
        calls={call.tool_call_id: value for call in requests.calls},
        approvals={call.tool_call_id: approval for call in requests.approvals},
    )


def approvals(value):
    return lambda requests: DeferredToolResults(approvals={call.tool_call_id: value for call in requests.approvals})


def calls(value):
    return lambda requests: DeferredToolResults(calls={call.tool_call_id: value for call in requests.calls})


def raises(requests):
    raise Boom('handler')


CASES = {
    'all': [noting('h', all_of('answer'))],
    'async': [later(noting('h', all_of({'an': 'object'})))],
    'denied': [noting('h', all_of('answer', False))],
    'denied with words': [noting('h', all_of('answer', ToolDenied('please not')))],
    'other arguments': [noting('h', all_of('answer', ToolApproved(override_args={'x': 100})))],
    'retry': [noting('h', all_of(ModelRetry('not yet')))],
    'tool return': [noting('h', all_of(ToolReturn(return_value='value', content='more', metadata={'m': 1})))],
    'two': [noting('h', approvals(True)), noting('k', calls('from k'))],
    'two, the first has all': [noting('h', all_of('answer')), noting('k', all_of('never'))],
    'some': [noting('h', approvals(True))],
    'none': [noting('h', lambda requests: None), noting('k', lambda requests: None)],
    'raises': [noting('h', raises)],
}
for label, functions in CASES.items():
    for output_type in (str, [str, DeferredToolRequests]):
        log.clear()
        agent = Agent(
            FunctionModel(respond),
            output_type=output_type,
            capabilities=[HandleDeferredToolCalls(function) for function in functions],
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
                output = [
                    [call.tool_call_id for call in output.calls],
                    [call.tool_call_id for call in output.approvals],
                ]
            print(
                label,
                output_type is str,
                output,
                [[part.part_kind for part in message.parts] for message in result.all_messages()],
            )
        except Exception as error:
            print(label, output_type is str, type(error).__name__)
        for line in log:
            print('   ', line)
