"""Scripts of errors, limits, and clients that leave."""

import asyncio

from _ui_talk import Call, Say, Script, Think, native
from pydantic_ai import ModelRetry, UsageLimits
from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior, UserError

BOOM = ValueError('boom')
TURNS = ['Hi', 'and now?']


async def add(a: int = 1) -> int:
    return a + 1


async def boom() -> str:
    await asyncio.sleep(0.02)
    raise ValueError('the tool broke')


async def never() -> str:
    raise ModelRetry('again')


async def slow() -> str:
    await asyncio.sleep(30)
    return 'slow'


def failing(title, *replies, tools=(add, boom, never, slow), turns=TURNS, **more):
    return Script(title, [*replies, [Say('well')]], turns, list(tools), **more)


ADD, BREAK = Call('add', '{"a": 1}', 'c1'), Call('boom', '{}', 'c2')
LIMIT = UsageLimits
SCRIPTS = [
    failing('at once', [BOOM]),
    failing('in text', [Say('a|b'), BOOM]),
    failing('in thinking', [Think('hm'), BOOM]),
    failing('in a call', [Call('add', '{"a"', 'c1'), BOOM], turns=['Hi']),
    failing('after a call', [ADD, BOOM], turns=['Hi']),
    failing('after a native call', [*native(), BOOM]),
    failing('in the second response', [ADD], [Say('a'), BOOM]),
    failing('of the provider', [ModelHTTPError(500, 'm', {'e': 1})]),
    failing('of the model', [UnexpectedModelBehavior('odd')]),
    failing('of the developer', [UserError('wrong')]),
    failing('of a tool', [BREAK], turns=['Hi']),
    failing('of a tool, after text', [Say('a'), BREAK], turns=['Hi']),
    failing('of one tool of two', [ADD, BREAK], turns=['Hi']),
    failing('of the second round', [ADD], [BREAK], turns=['Hi']),
    failing('too many tries', *[[Call('never', '{}', f'c{n}')] for n in range(4)], turns=['Hi']),
    failing('too many unknown tools', *[[Call('nothing', '{}', f'c{n}')] for n in range(4)], turns=['Hi']),
    failing('too many wrong arguments', *[[Call('add', '{"a": "x"}', f'c{n}')] for n in range(4)], turns=['Hi']),
    failing(
        'too many outputs',
        *[[Call('final_result', '{}', f'c{n}')] for n in range(4)],
        turns=['Hi'],
        agent={'output_type': int},
    ),
    failing('text that is not an output', *[[Say('x')] for _ in range(4)], turns=['Hi'], agent={'output_type': int}),
    failing('no request allowed', [Say('a')], options={'usage_limits': LIMIT(request_limit=0)}),
    failing('one request allowed', [ADD], options={'usage_limits': LIMIT(request_limit=1)}, turns=['Hi']),
    failing('no call allowed', [ADD], options={'usage_limits': LIMIT(tool_calls_limit=0)}, turns=['Hi']),
]


def left(title, after, *replies, turns=('Hi',), **more):
    return Script(f'left {title}', list(replies), list(turns), [add, slow], leave=after, **more)


LEFT = [
    left('at once', 1, [Say('a|b')]),
    left('in text', 3, [Say('a|b|c')]),
    left('in thinking', 4, [Think('a|b|c'), Say('d')]),
    left('in arguments', 4, [Call('add', '{"a"|: |1}', 'c1')], [Say('done')]),
    left('in a second response', 7, [ADD], [Say('a|b|c')]),
    left('at the end', 5, [Say('a')]),
]
