"""Runs that begin with histories of each ending: a request, open calls, text; with and without a prompt."""

from _common import call, fact, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

agent = Agent(script([TextPart('ok')]), instructions='base')


@agent.tool_plain
def t():
    return 't'


ASK, ANSWERED = ModelRequest(parts=[UserPromptPart('q1')]), ModelResponse(parts=[TextPart('done')])
CALLED = ModelResponse(parts=[call('t', {}, 'c1')])
for title, prompt, history in (
    ('request, no prompt', None, [ASK]),
    ('request, prompt', 'q2', [ModelRequest(parts=[UserPromptPart('q1')], instructions='old', conversation_id='cc')]),
    ('calls, no prompt', None, [ASK, CALLED]),
    ('calls, prompt', 'q2', [ASK, CALLED]),
    ('text, no prompt', None, [ASK, ANSWERED]),
    ('response only', 'q', [ANSWERED]),
    ('empty', 'q', []),
):
    result = run(title, agent, prompt, message_history=history)
    fact('lengths', [len(history), result and len(result.new_messages())])
