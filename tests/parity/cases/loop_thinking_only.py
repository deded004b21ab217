from _common import *

run('then text', Agent(script([ThinkingPart('hm')], [TextPart('ok')])), 'hi')
run('for ever', Agent(script([ThinkingPart('hm')])), 'hi')
