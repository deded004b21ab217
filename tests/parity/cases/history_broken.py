from _common import *

def t(): return 't'
BAD = [ModelRequest(parts=[UserPromptPart('q1')]), ModelResponse(parts=[call('t', '{bad', 'c1')]), ModelRequest(parts=[ToolReturnPart('t', 'x', 'c1')]), ModelResponse(parts=[TextPart('done')])]
run('invalid JSON', Agent(script([TextPart('ok')])), 'q', message_history=BAD)
run('no return', Agent(script([TextPart('ok')]), tools=[t]), 'q', message_history=[BAD[0], BAD[1], ModelRequest(parts=[UserPromptPart('q2')]), BAD[3]])
run('no call', Agent(script([TextPart('ok')])), 'q', message_history=BAD[2:])
