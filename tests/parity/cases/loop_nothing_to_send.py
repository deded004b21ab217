from _common import *

fact('nothing', attempt(lambda: Agent('test').run_sync()))
for prompt in ('', [], ['']):
    dump(Agent('test', instructions='i').run_sync(prompt).all_messages()[:1])
