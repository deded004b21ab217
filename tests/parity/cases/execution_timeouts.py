"""Timeouts of tools: of the tool, its toolset and the agent; what is cancelled, and what the model is asked for."""

import asyncio

from _common import call, fact, script
from _execution import caller, events_of, logged, note, sleeper
from pydantic_ai import Agent, FunctionToolset, Tool
from pydantic_ai.messages import TextPart

logged(
    'one of three',
    caller('a', 'b', 'c', tools=[sleeper('a', 0.3, timeout=0.05), sleeper('b', 0.1), sleeper('c', 0.01)]),
)
logged('all', caller('a', 'b', tools=[sleeper('a', 0.3), sleeper('b', 0.3)], tool_timeout=0.05))
logged('the tool has more', caller('a', tools=[sleeper('a', 0.1, timeout=5)], tool_timeout=0.02))
logged('not of toolsets', caller('a', toolsets=[FunctionToolset([sleeper('a', 0.1)])], tool_timeout=0.02))
logged(
    'of the toolset',
    caller('a', 'b', toolsets=[FunctionToolset([sleeper('a', 0.1), sleeper('b', 0.1, timeout=3)], timeout=0.02)]),
)
logged('integers', caller('a', tools=[sleeper('a', 0.1, timeout=1)]))
logged('none left', caller('a', 'b', tools=[sleeper('a', 0.3, timeout=0.02, max_retries=0), sleeper('b', 0.2)]))
logged('sequential', caller('a', 'b', tools=[sleeper('a', 0.3, timeout=0.02, sequential=True), sleeper('b', 0.01)]))
logged('prefixed', caller('p_a', toolsets=[FunctionToolset([sleeper('a', 0.3, timeout=0.02)]).prefixed('p')]))
tool = Tool(sleeper('a', 0.3).function, name='a', timeout=1.5)
fact('definition', tool.tool_def.timeout)


async def stubborn():
    try:
        await asyncio.sleep(0.2)
    except asyncio.CancelledError:
        note('cancelled')
        raise


logged(
    'twice',
    Agent(
        script([call('stubborn', {}, '1'), call('stubborn', {}, '2')], [TextPart('x')]),
        tools=[Tool(stubborn, timeout=0.03)],
    ),
)
logged('in every step', Agent(script([call('stubborn', {})]), tools=[Tool(stubborn, timeout=0.02, max_retries=2)]))
events_of(caller('a', 'b', tools=[sleeper('a', 0.3, timeout=0.02), sleeper('b', 0.1)]))
