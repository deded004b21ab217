"""`approval_required`: always, by a function, and what the function sees below and above other wrappers."""

from _common import call, fact, run, script
from _toolsets import listing
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, RunContext, ToolDenied
from pydantic_ai.messages import TextPart
from pydantic_ai.toolsets import FunctionToolset


def see(ctx, definition, args):
    fact(
        'asked',
        [
            ctx.tool_name,
            definition.name,
            definition.metadata,
            args,
            ctx.tool_call_approved,
            ctx.tool_call_id,
            ctx.tool_call_metadata,
        ],
    )
    return args.get('a', 0) > 1


def where(ctx: RunContext, a: int = 0) -> list:
    return [ctx.tool_name, a, ctx.tool_call_approved, ctx.tool_call_metadata]


def run_twice(title, toolset, *calls, results=None):
    agent = Agent(script(list(calls), [TextPart('done')]), toolsets=[toolset], output_type=[str, DeferredToolRequests])
    first = run(title, agent, 'q')
    if results is not None:
        run(f'{title}, resumed', agent, message_history=first.all_messages(), deferred_tool_results=results)


fact('definitions stay', listing(FunctionToolset([where]).approval_required(), 'kind', 'description'))
run_twice(
    'always',
    FunctionToolset([where]).approval_required(),
    call('where', {'a': '3'}),
    results=DeferredToolResults(approvals={'id_where': True}),
)
run_twice(
    'denied',
    FunctionToolset([where]).approval_required(),
    call('where', {}),
    results=DeferredToolResults(approvals={'id_where': ToolDenied('no')}),
)
run_twice(
    'by function',
    FunctionToolset([where]).approval_required(see),
    call('where', {'a': 1}, 'one'),
    call('where', {'a': 2}, 'two'),
)
run_twice(
    'resumed',
    FunctionToolset([where]).approval_required(see),
    call('where', {'a': 2}),
    results=DeferredToolResults(approvals={'id_where': True}, metadata={'id_where': {'by': 'me'}}),
)
run_twice(
    'names',
    FunctionToolset([where]).renamed({'z': 'where'}).approval_required(see).prefixed('p').with_metadata(m=1),
    call('p_z', {'a': 5}),
    results=DeferredToolResults(approvals={'id_p_z': True}),
)
run_twice('outside', FunctionToolset([where]).prefixed('p').approval_required(see), call('p_where', {'a': 5}))
run_twice(
    'twice',
    FunctionToolset([where]).approval_required(lambda ctx, definition, args: False).approval_required(),
    call('where', {}),
)
run_twice('invalid arguments', FunctionToolset([where]).approval_required(see), call('where', {'a': 'x'}))
run_twice(
    'and a tool that asks itself',
    FunctionToolset([where], requires_approval=True).approval_required(see),
    call('where', {'a': 1}),
    results=DeferredToolResults(approvals={'id_where': True}),
)
run_twice('error', FunctionToolset([where]).approval_required(lambda ctx, definition, args: 1 / 0), call('where', {}))
