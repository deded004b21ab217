"""Hooks that answer deferred calls: answer, deny, retry, leave open, raise; one capability and three, under every way to run."""

import asyncio
import json

from _hooks import MODES, Boom, in_short, run_as, throw
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel


def answering(name, log, act):
    async def handle_deferred_tool_calls(self, ctx, *, requests):
        log.append(
            [name, [call.tool_call_id for call in requests.calls], [call.tool_call_id for call in requests.approvals]]
        )
        return act(requests)

    return type(f'Answers{name}', (AbstractCapability,), {'handle_deferred_tool_calls': handle_deferred_tool_calls})()


ACTS = {
    'nobody answers': lambda requests: None,
    'answer all': lambda requests: DeferredToolResults(
        calls={call.tool_call_id: 'answered' for call in requests.calls},
        approvals={call.tool_call_id: True for call in requests.approvals},
    ),
    'answer one': lambda requests: DeferredToolResults(calls={call.tool_call_id: 'one' for call in requests.calls[:1]}),
    'approve': lambda requests: DeferredToolResults(approvals={call.tool_call_id: True for call in requests.approvals}),
    'approve with arguments': lambda requests: DeferredToolResults(
        approvals={call.tool_call_id: ToolApproved(override_args={'x': 50}) for call in requests.approvals}
    ),
    'deny': lambda requests: DeferredToolResults(
        calls={call.tool_call_id: 'answered' for call in requests.calls},
        approvals={call.tool_call_id: ToolDenied('not this') for call in requests.approvals},
    ),
    'retry as an answer': lambda requests: DeferredToolResults(
        calls={call.tool_call_id: ModelRetry('again') for call in requests.calls},
        approvals={call.tool_call_id: True for call in requests.approvals},
    ),
    'raise': throw(Boom('deferred')),
    'retry': throw(ModelRetry('deferred')),
    'empty': lambda requests: DeferredToolResults(),
}


async def cell(mode, count, act, waits):
    log, sent = [], []

    def parts(messages):
        sent.append(
            [
                f'{"retry" if isinstance(part, RetryPromptPart) else "return"} {part.tool_call_id} {part.content}'
                for part in messages[-1].parts
                if getattr(part, 'tool_call_id', None)
            ]
        )
        if len(messages) > 1:
            return [TextPart('done')]
        return [ToolCallPart(name, '{"x": 2}', f'c-{name}') for name in ('outside', 'guarded', 'plain')]

    async def stream(messages, info):
        for index, part in enumerate(parts(messages)):
            if isinstance(part, TextPart):
                yield part.content
            else:
                yield {index: DeltaToolCall(part.tool_name, part.args, tool_call_id=part.tool_call_id)}

    model = FunctionModel(lambda messages, info: ModelResponse(parts=parts(messages)), stream_function=stream)
    acting = 'B' if count == 3 else 'A'
    agent = Agent(
        model,
        output_type=[str, DeferredToolRequests] if waits else str,
        capabilities=[
            answering(name, log, act if name == acting else ACTS['nobody answers']) for name in 'ABC'[:count]
        ],
        retries=1,
    )

    @agent.tool_plain
    def outside(x: int) -> int:
        raise CallDeferred

    @agent.tool
    def guarded(ctx, x: int) -> int:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return x * 2

    @agent.tool_plain
    def plain(x: int) -> int:
        return x + 1

    try:
        outcome = await run_as(mode, agent)
        if isinstance(outcome, DeferredToolRequests):
            outcome = [
                'deferred',
                [call.tool_name for call in outcome.calls],
                [call.tool_name for call in outcome.approvals],
            ]
    except Exception as error:
        outcome = ['raised', in_short(error)]
    return [log, sent, outcome]


for label, act in ACTS.items():
    for count in (1, 3):
        for waits in (True, False):
            modes_by_outcome = {}
            for mode in MODES:
                fact = json.dumps(asyncio.run(cell(mode, count, act, waits)), default=str)
                modes_by_outcome.setdefault(fact, []).append(mode)
            for fact, modes in modes_by_outcome.items():
                print(
                    json.dumps(f'{label} x{count} {"may wait" if waits else "must not wait"} {"+".join(modes)}'), fact
                )
