"""What arguments of tool calls are made of: missing, empty, coerced, invalid and unusual JSON."""

from _common import call, run, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


def t(n: int = 1, s: str = 'd'):
    return [n, s]


for args in (
    None,
    '',
    '{}',
    {},
    '[]',
    '{',
    'null',
    '"x"',
    '3',
    {'n': '2'},
    '{"n": "2"}',
    {'n': 2.0},
    {'n': 2.5},
    {'n': True},
    {'x': 1},
    '{"n": 1, "n": 2}',
    {'s': 3},
    {'n': None},
    '{"n": 1} ',
    ' {"n": 1}',
    '{"n": NaN}',
    {'n': '٣'},
    '{"n": 1e2}',
    {'n': 10**30},
):
    run(repr(args), Agent(script([call('t', args)], [TextPart('x')]), tools=[t]), 'q')
