"""A run with an ordinary, an unapproved and a deferred call, resumed with each kind of result."""

from _common import call, run, script
from pydantic_ai import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    ToolApproved,
    ToolDenied,
)
from pydantic_ai.messages import TextPart

agent = Agent(
    script([call('ok', {}), call('need', {'x': 1}), call('ext', {})], [TextPart('done')]),
    output_type=[str, DeferredToolRequests],
)


@agent.tool_plain
def ok():
    return 'fine'


@agent.tool_plain(requires_approval=True)
def need(x: int):
    return f'did {x}'


@agent.tool_plain
def ext():
    raise CallDeferred({'job': 1})


first = run('deferred', agent, 'q')
RESULTS = [
    DeferredToolResults(calls={'id_ext': 'E'}, approvals={'id_need': True}),
    DeferredToolResults(calls={'id_ext': 'E'}, approvals={'id_need': ToolDenied('no way')}),
    DeferredToolResults(
        calls={'id_ext': ModelRetry('bad')}, approvals={'id_need': ToolApproved(override_args={'x': 7})}
    ),
    DeferredToolResults(calls={'id_ext': 1}),
    DeferredToolResults(calls={'id_ext': 1, 'zz': 2}, approvals={'id_need': False}),
    DeferredToolResults(calls={'id_ext': 1, 'id_ok': 2}, approvals={'id_need': False}),
]
for number, results in enumerate(RESULTS):
    run(f'resumed {number}', agent, message_history=first.all_messages(), deferred_tool_results=results)
run('with prompt', agent, 'more', message_history=first.all_messages(), deferred_tool_results=RESULTS[0])
run('no history', agent, 'more', deferred_tool_results=RESULTS[0])
