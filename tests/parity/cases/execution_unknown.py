"""Calls of tools that do not exist: alone, beside known ones, with and without retries."""

from _common import M, call, run, script
from _execution import events_of, note, streamed
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


def known():
    note('known')
    return 'k'


def steps(*responses, **options):
    return Agent(streamed(*responses, [TextPart('done')]), tools=[known], **options)


bad, good = call('nobody', {}), call('known', {})
run('once', steps([bad]), 'q')
run('twice', steps([bad], [bad]), 'q')
run('with retries', steps([bad], [bad], retries=2), 'q')
run('without', steps([bad], retries=0), 'q')
run('two unknown names', steps([bad, call('nowhere', '{}')]), 'q')
run('another one next time', steps([bad], [call('nowhere', {})]), 'q')
run('beside a known one', steps([bad, good]), 'q')
run('then a known one', steps([bad], [good], [bad]), 'q')
run('no tools', Agent(script([bad], [TextPart('x')])), 'q')
run('with an output tool', Agent(script([bad], [call('final_result', {'n': 1})]), output_type=M), 'q')
run('bad json', steps([call('nobody', '{')]), 'q')
run('empty name', steps([call('', {})]), 'q')
events_of(steps([bad, good]))
