"""Deferred calls of tools behind toolsets that rename, prefix, build or approve them."""

from _common import call, run
from _deferred import agent_of, external, go_on
from pydantic_ai import ApprovalRequired, CallDeferred, FunctionToolset, RunContext, ToolApproved
from pydantic_ai.messages import TextPart


def where(ctx: RunContext, a: int = 0) -> list:
    return [ctx.tool_name, a, ctx.tool_call_approved, ctx.tool_call_metadata]


def waits(ctx: RunContext, a: int = 0):
    if not ctx.tool_call_approved:
        raise ApprovalRequired({'name': ctx.tool_name})
    return [ctx.tool_name, a]


def job(ctx: RunContext, a: int = 0):
    raise CallDeferred({'name': ctx.tool_name})


STACKS = {
    'approval in a prefix': (FunctionToolset([where]).approval_required().prefixed('p'), 'p_where'),
    'prefix in an approval': (FunctionToolset([where]).prefixed('p').approval_required(), 'p_where'),
    'approval of the tool': (
        FunctionToolset([where], requires_approval=True).prefixed('p').renamed({'z': 'p_where'}),
        'z',
    ),
    'asked inside': (FunctionToolset([waits]).prefixed('p').with_metadata(a=1).renamed({'z': 'p_waits'}), 'z'),
    'deferred inside': (FunctionToolset([job]).renamed({'j': 'job'}).prefixed('p'), 'p_j'),
    'external inside': (external('ask').prefixed('p').with_metadata(a=1), 'p_ask'),
    'made by a function': (
        lambda ctx: FunctionToolset([where], requires_approval=True).prefixed(f'step{ctx.run_step}'),
        'step1_where',
    ),
    'made for the run': (lambda ctx: external('ask'), 'ask'),
}
for title, (toolset, name) in STACKS.items():
    calls = [call(name, {'a': '1'})]

    def build():
        return agent_of(calls, [TextPart('done')], toolsets=[toolset])

    first = run(title, build(), 'q')
    if title == 'made by a function':
        continue
    requests = first.output
    if requests.approvals:
        results = requests.build_results(
            approvals={f'id_{name}': ToolApproved(override_args={'a': 4})}, metadata={f'id_{name}': {'by': 'me'}}
        )
    else:
        results = requests.build_results(calls={f'id_{name}': 'result'})
    go_on(f'{title}, resumed', build(), first, results)
