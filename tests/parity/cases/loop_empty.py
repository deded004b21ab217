from _common import *

run('empty for ever', Agent(script([])), 'hi')
run('empty, then text', Agent(script([], [TextPart('ok')])), 'hi')
run('empty text, then text', Agent(script([TextPart('')], [TextPart('ok')])), 'hi')
