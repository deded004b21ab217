"""Deferred tool calls that capabilities answer during the run."""

from pydantic_ai import Agent, ApprovalRequired, CallDeferred, DeferredToolRequests, ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability, HandleDeferredToolCalls, Hooks
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import DeferredToolResults, ToolApproved, ToolDenied

log = []


def respond(messages, info):
    if len(messages) == 1:
        calls = [('external', 'c1'), ('external', 'c2'), ('approve', 'p1'), ('approve', 'p2'), ('plain', 'f1')]
        return ModelResponse(parts=[ToolCallPart(name, {'x': n}, call_id) for n, (name, call_id) in enumerate(calls)])
    for part in messages[-1].parts:
        log.append([part.part_kind, part.tool_call_id, str(part.content)])
    return ModelResponse(parts=[TextPart('done')])


def show(label, *capabilities, output_type=None):
    log.clear()
    agent = Agent(
        FunctionModel(respond), output_type=output_type or [str, DeferredToolRequests], capabilities=list(capabilities)
    )

    @agent.tool_plain
    def external(x: int) -> int:
        raise CallDeferred({'x': x})

    @agent.tool
    def approve(ctx: RunContext, x: int) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired({'x': x})
        return f'approved {x} {ctx.tool_call_metadata}'

    @agent.tool_plain
    def plain(x: int) -> int:
        return x

    try:
        result = agent.run_sync('go')
    except Exception as error:
        print(label, type(error).__name__, log)
        return
    output = result.output
    if isinstance(output, DeferredToolRequests):
        output = [sorted(call.tool_call_id for call in calls) for calls in (output.calls, output.approvals)] + [
            sorted(output.metadata)
        ]
    print(label, output)
    for line in log:
        print('   ', line)
    print('   ', [[part.part_kind for part in message.parts] for message in result.all_messages()])


def note(requests, name):
    ids = [sorted(call.tool_call_id for call in calls) for calls in (requests.calls, requests.approvals)]
    log.append([name, *ids, sorted(requests.metadata.items())])


def some(ctx, requests):
    note(requests, 'some')
    return DeferredToolResults(calls={'c1': 'one'}, approvals={'p1': True})


async def rest(ctx, requests):
    note(requests, 'rest')
    return requests.build_results(
        calls={call.tool_call_id: f'rest {call.tool_call_id}' for call in requests.calls},
        approve_all=True,
        metadata={'p2': {'who': 'me'}},
    )


def deny(ctx, requests):
    return requests.build_results(approvals={call.tool_call_id: ToolDenied('no way') for call in requests.approvals})


def retry(ctx, requests):
    return DeferredToolResults(
        calls={'c1': ModelRetry('again'), 'c2': RetryPromptPart('oh no', tool_name='external', tool_call_id='c2')}
    )


def override(ctx, requests):
    return DeferredToolResults(approvals={'p1': ToolApproved(override_args={'x': 40}), 'p2': False})


show('nobody')
show('some', HandleDeferredToolCalls(some))
show('some and rest', HandleDeferredToolCalls(some), HandleDeferredToolCalls(rest))
show('rest', HandleDeferredToolCalls(rest), HandleDeferredToolCalls(some))
show('rest, no deferred output', HandleDeferredToolCalls(rest), output_type=str)
show('some, no deferred output', HandleDeferredToolCalls(some), output_type=str)
show('none', HandleDeferredToolCalls(lambda ctx, requests: None))
show('empty', HandleDeferredToolCalls(lambda ctx, requests: DeferredToolResults()))
show('deny', HandleDeferredToolCalls(deny), HandleDeferredToolCalls(rest))
show('retry', HandleDeferredToolCalls(retry), HandleDeferredToolCalls(rest))
show('override', HandleDeferredToolCalls(override), HandleDeferredToolCalls(rest))
show('hooks', Hooks(deferred_tool_calls=lambda ctx, *, requests: some(ctx, requests)), HandleDeferredToolCalls(rest))


class InExecute(AbstractCapability):
    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        if call.tool_name == 'plain' and not ctx.tool_call_approved:
            raise ApprovalRequired({'why': 'hook'})
        return args


show('from a hook', InExecute())
show('from a hook, answered', InExecute(), HandleDeferredToolCalls(rest))
