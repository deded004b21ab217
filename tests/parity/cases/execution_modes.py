"""Execution modes of parallel tool calls: the order in which tools begin and end."""

from _execution import caller, logged, sleeper
from pydantic_ai import Agent

MODES = ('parallel', 'sequential', 'parallel_ordered_events')


def tools():
    return [sleeper('slow', 0.15), sleeper('mid', 0.08), sleeper('quick', 0.01)]


logged('default', caller('slow', 'mid', 'quick', tools=tools()))
for mode in MODES:
    with Agent.parallel_tool_call_execution_mode(mode):
        logged(mode, caller('slow', 'mid', 'quick', tools=tools()))
        logged(f'{mode}, one', caller('mid', tools=tools()))
        logged(f'{mode}, again', caller('quick', 'slow', tools=tools()))
logged('afterwards', caller('slow', 'quick', tools=tools()))
with Agent.parallel_tool_call_execution_mode():
    logged('without a mode', caller('slow', 'quick', tools=tools()))
