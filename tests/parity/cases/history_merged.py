"""Messages of one kind that follow each other: what is sent is merged, what is kept is not."""

from _common import call, dump, fact, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolReturnPart, UserPromptPart

seen = []
agent = Agent(script([TextPart('ok')], seen=seen))
HISTORY = [
    ModelRequest(parts=[UserPromptPart('q0')], instructions='A'),
    ModelRequest(parts=[UserPromptPart('q1')], instructions='B'),
    ModelResponse(parts=[call('t', {}, 'c1')]),
    ModelRequest(parts=[UserPromptPart('q2')], instructions='B'),
    ModelRequest(parts=[UserPromptPart('q3')], instructions='B'),
    ModelRequest(parts=[ToolReturnPart('t', 'x', 'c1')]),
    ModelResponse(parts=[TextPart('x')], provider_response_id='1'),
    ModelResponse(parts=[TextPart('y')], provider_response_id='2'),
    ModelResponse(parts=[TextPart('z')]),
    ModelResponse(parts=[TextPart('w')]),
    ModelResponse(parts=[TextPart('v')], model_name='m'),
]
run('mixed', agent, 'q', message_history=HISTORY)
print('sent')
dump(seen[0][0])
fact('unchanged', [len(HISTORY), len(HISTORY[1].parts)])
seen.clear()
run('prompt after a request', agent, 'q2', message_history=[ModelRequest(parts=[UserPromptPart('q1')])])
print('sent')
dump(seen[0][0])
