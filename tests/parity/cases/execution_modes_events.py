"""The order of events in each execution mode, with retries, unknown tools, sequential tools and errors."""

from _execution import caller, events_of, sleeper
from pydantic_ai import Agent, ModelRetry

for mode in ('parallel', 'sequential', 'parallel_ordered_events'):
    with Agent.parallel_tool_call_execution_mode(mode):
        print('#', mode)
        tools = [
            sleeper('slow', 0.15),
            sleeper('mid', 0.08),
            sleeper('quick', 0.01),
            sleeper('retry', 0.04, ModelRetry('again')),
        ]
        events_of(caller('slow', 'retry', 'mid', 'quick', 'nobody', tools=tools))
        events_of(caller('slow', 'quick', 'mid', tools=[*tools[:2], sleeper('quick', 0.01, sequential=True)]))
        events_of(caller('mid', tools=tools))
        if mode != 'parallel_ordered_events':
            events_of(caller('slow', 'bad', tools=[tools[0], sleeper('bad', 0.01, ValueError('x'))]))
