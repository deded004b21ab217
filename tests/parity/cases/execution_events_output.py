"""Events of calls of output tools beside function tools, under each end strategy."""

from _common import M, call
from _execution import events_of, note, streamed
from pydantic_ai import Agent, ModelRetry


async def t():
    note('t')
    return 't'


async def bad():
    raise ModelRetry('bad')


OUT = call('final_result', {'n': 1})
SECOND = call('final_result', {'n': 2}, 'second')
WRONG = call('final_result', {'n': 'x'}, 'wrong')
for strategy in ('early', 'graceful', 'exhaustive'):
    for calls in (
        [OUT, call('t', {})],
        [call('t', {}), OUT],
        [OUT, SECOND],
        [WRONG, OUT],
        [OUT, WRONG, call('t', {})],
        [call('bad', {}), OUT],
        [WRONG, call('t', {})],
        [OUT, call('nobody', {})],
    ):
        print('#', strategy, [item.tool_call_id for item in calls])
        events_of(Agent(streamed(calls, [OUT]), output_type=M, tools=[t, bad], end_strategy=strategy))
