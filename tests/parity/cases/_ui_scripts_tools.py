"""Scripts of tools of the agent."""

import asyncio
from dataclasses import dataclass
from enum import Enum

from _ui_talk import Call, Say, Script, Think
from pydantic import BaseModel
from pydantic_ai import ModelRetry, ToolOutput, ToolReturn
from pydantic_ai.messages import BinaryContent, ImageUrl

CALL = Call('add', '{"a": 1,| "b"|: 2}', 'c1')
DONE = [Say('done')]
TURNS = ['Hi', 'more']


class Point(BaseModel):
    x: int
    y: int = 0


@dataclass
class Size:
    width: int


class Colour(Enum):
    RED = 'red'


async def add(a: int, b: int = 0) -> int:
    await asyncio.sleep(0 if b else 0.02)
    return a + b


async def noted(a: int = 0) -> str:
    await asyncio.sleep(0.02)
    return f'noted {a}'


async def again(a: int) -> str:
    if a < 2:
        raise ModelRetry('give more')
    return f'enough {a}'


async def plan(steps: list[str], at: Point) -> str:
    return f'{len(steps)} steps at {at.x}'


def returning(value):
    def give() -> object:
        return value

    return give


GIVE = [[Call('give', '{}', 'c1')], DONE]
IMAGE = BinaryContent(b'x', media_type='image/png', identifier='im')
VALUES = {
    'none': None,
    'text': 'r',
    'a dict': {'a': [1, None]},
    'a list': ['a', 2],
    'a model': Point(x=1),
    'a dataclass': Size(2),
    'an enum': Colour.RED,
    'bytes': b'abc',
    'a file': IMAGE,
    'a link': ImageUrl('https://example.com/a.png'),
    'text and a file': ['see', IMAGE],
    'more for the model': ToolReturn('short', content=['a lot ', 'more'], metadata={'kept': 1}),
}
SCRIPTS = [
    Script('a call', [[CALL], DONE], TURNS, [add]),
    Script('arguments as an object', [[Call('add', {'a': 1, 'b': 2}, 'c1')], DONE], TURNS, [add]),
    Script('a call without arguments', [[Call('noted', '', 'c1')], DONE], TURNS, [noted]),
    Script('a call without an id', [[Call('noted', '{}')], DONE], ['Hi'], [noted]),
    Script('nested arguments', [[Call('plan', '{"steps": ["ä", "b"], "at": {"x": 3}}', 'c1')], DONE], TURNS, [plan]),
    Script('two calls', [[CALL, Call('noted', '{"a": 5}', 'c2')], DONE], TURNS, [add, noted]),
    Script('the same call twice', [[CALL, Call('add', '{"a": 1}', 'c2')], DONE], TURNS, [add]),
    Script('one call after the other', [[CALL], [Call('noted', '{}', 'c2')], DONE], TURNS, [add, noted]),
    Script('text before a call', [[Say('I|add'), CALL], DONE], TURNS, [add]),
    Script('text after a call', [[CALL, Say('so')], DONE], TURNS, [add]),
    Script('thinking before a call', [[Think('hm', 's', {'provider_name': 'p'}), CALL], DONE], TURNS, [add]),
    Script(
        'text, thinking, calls',
        [[Say('a'), Think('b'), CALL, Say('c'), Call('noted', '{}', 'c2')], DONE],
        TURNS,
        [add, noted],
    ),
    Script('try again', [[Call('again', '{"a": 1}', 'c1')], [Call('again', '{"a": 2}', 'c2')], DONE], TURNS, [again]),
    Script('wrong arguments', [[Call('add', '{"b": 1}', 'c0')], [CALL], DONE], ['Hi'], [add]),
    Script('arguments that are not JSON', [[Call('add', '{"b": ', 'c0')], [CALL], DONE], ['Hi'], [add]),
    Script('a tool that is not there', [[Call('nothing', '{}', 'c1')], DONE], ['Hi'], [add]),
    *(
        Script(f'result: {name}', GIVE, TURNS if number > 5 else ['Hi'], [returning(value)])
        for number, (name, value) in enumerate(VALUES.items())
    ),
    Script('an output', [[Call('final_result', '{"x": |1}', 'c1')]], TURNS[:1], agent={'output_type': Point}),
    Script(
        'an output again',
        [[Call('final_result', '{"x": "a"}', 'c1')], [Call('final_result', '{"x": 1}', 'c2')]],
        TURNS[:1],
        agent={'output_type': Point},
    ),
    Script(
        'an output beside a call',
        [[CALL, Call('final_result', '{"x": 1}', 'c2')]],
        ['Hi'],
        [add],
        {'output_type': Point},
    ),
    Script(
        'a named output',
        [[Say('so'), Call('point', '{"x": 1}', 'c1')], DONE],
        ['Hi'],
        agent={'output_type': [ToolOutput(Point, name='point'), str]},
    ),
    Script(
        'an output, and then a prompt',
        [[Call('final_result', '{"x": 1}', 'c1')], [Call('final_result', '{"x": 2}', 'c2')]],
        TURNS,
        agent={'output_type': Point},
    ),
]
