"""Tools marked as sequential: they run alone, whatever is called beside them."""

from _common import call, script
from _execution import caller, logged, sleeper
from pydantic_ai import Agent, FunctionToolset, ModelRetry
from pydantic_ai.messages import TextPart


def tools(*sequential):
    return [
        sleeper(name, delay, sequential=name in sequential) for name, delay in (('a', 0.12), ('b', 0.06), ('c', 0.01))
    ]


for names in ((), ('a',), ('b',), ('c',), ('a', 'c'), ('a', 'b', 'c')):
    logged(f'sequential {names}', caller('a', 'b', 'c', tools=tools(*names)))
logged('not called', caller('a', 'b', tools=tools('c')))
logged(
    'twice',
    Agent(script([call('b', {}, '1'), call('b', {}, '2'), call('a', {}, '3')], [TextPart('x')]), tools=tools('b')),
)
logged(
    'in the next step',
    Agent(script([call('a', {}), call('c', {})], [call('b', {}), call('c', {})], [TextPart('x')]), tools=tools('b')),
)
sequential = FunctionToolset(tools(), sequential=True)
logged('toolset, added as Tool', caller('a', 'c', toolsets=[sequential]))
by_name = FunctionToolset(sequential=True)
by_name.add_function(sleeper('a', 0.1).function, name='a')
by_name.add_function(sleeper('b', 0.01).function, name='b', sequential=False)
logged('toolset', caller('a', 'b', toolsets=[by_name]))
logged('toolset, tool says no', caller('b', 'c', toolsets=[by_name, FunctionToolset([sleeper('c', 0.05)])]))
logged('prefixed', caller('p_a', 'c', toolsets=[by_name.prefixed('p'), FunctionToolset([sleeper('c', 0.01)])]))
logged(
    'fails',
    caller(
        'a',
        'b',
        'c',
        tools=[sleeper('a', 0.01, sequential=True), sleeper('b', 0.01, ValueError('x')), sleeper('c', 0.01)],
    ),
)
logged(
    'asks again', caller('a', 'b', tools=[sleeper('a', 0.01, ModelRetry('again'), sequential=True), sleeper('b', 0.01)])
)
with Agent.parallel_tool_call_execution_mode('parallel_ordered_events'):
    logged('mode and a sequential tool', caller('a', 'b', 'c', tools=tools('b')))
