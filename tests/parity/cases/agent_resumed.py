"""Runs without a prompt that begin with the open tool calls of a history."""

from _common import call, fact, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolReturnPart, UserPromptPart

ran = []
agent = Agent(script([TextPart('done')]), instructions='now')


@agent.tool_plain
def t(n: int):
    ran.append(n)
    return n * 10


ASK = ModelRequest(parts=[UserPromptPart('q')], instructions='then')
TWO = ModelResponse(parts=[call('t', {'n': 1}, 'c1'), call('t', {'n': 2}, 'c2')])
HISTORIES = {
    'open': [ASK, TWO],
    'all answered': [ASK, TWO, ModelRequest(parts=[ToolReturnPart('t', 'x', 'c1'), ToolReturnPart('t', 'y', 'c2')])],
    'text beside': [ASK, ModelResponse(parts=[TextPart('let me'), call('t', {'n': 3}, 'c3')])],
    'broken': [ASK, ModelResponse(parts=[call('t', '{"n": ', 'c1')])],
    'unknown': [ASK, ModelResponse(parts=[call('gone', {}, 'c1')])],
}
for title, history in HISTORIES.items():
    del ran[:]
    result = run(title, agent, message_history=history)
    fact('ran', [sorted(ran), result and len(result.new_messages()), len(history)])
