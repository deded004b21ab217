"""Histories with invalid JSON, a call without its return, and a return without its call."""

from _common import call, dump, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolReturnPart, UserPromptPart


def t():
    return 't'


BAD = [
    ModelRequest(parts=[UserPromptPart('q1')]),
    ModelResponse(parts=[call('t', '{bad', 'c1')]),
    ModelRequest(parts=[ToolReturnPart('t', 'x', 'c1')]),
    ModelResponse(parts=[TextPart('done')]),
]
run('invalid JSON', Agent(script([TextPart('ok')])), 'q', message_history=BAD)


def carried(title, agent, history):
    """What is sent is mended here, so only what the run keeps is printed, and not what it costs."""
    print('==', title)
    result = agent.run_sync('q', message_history=history)
    print('  output', repr(result.output))
    dump(result.all_messages())


carried(
    'no return',
    Agent(script([TextPart('ok')]), tools=[t]),
    [BAD[0], BAD[1], ModelRequest(parts=[UserPromptPart('q2')]), BAD[3]],
)
carried('no call', Agent(script([TextPart('ok')])), BAD[2:])
