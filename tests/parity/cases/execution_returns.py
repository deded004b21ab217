"""Values that tools return: as they are kept, and as the model reads them."""

import datetime
import decimal
import enum
import uuid
from dataclasses import dataclass
from typing import NamedTuple

from _common import M, N, call, fact, script
from pydantic import BaseModel
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.messages import TextPart
from typing_extensions import TypedDict


class Color(enum.Enum):
    RED = 'red'


class Point(NamedTuple):
    x: int
    y: int


class Row(TypedDict):
    a: int


@dataclass
class Data:
    d: datetime.date
    items: list


class Model(BaseModel):
    when: datetime.datetime
    amount: decimal.Decimal


VALUES = {
    'none': None,
    'empty': '',
    'text': 'text',
    'true': True,
    'int': 3,
    'float': 1.5,
    'list': [1, 'a', None],
    'tuple': (1, (2, 3)),
    'dict': {'a': {'b': []}},
    'keys': {1: 'a', 2: 'b'},
    'set': {1},
    'enum': Color.RED,
    'point': Point(1, 2),
    'row': Row(a=1),
    'data': Data(datetime.date(2020, 1, 2), [Color.RED, {Point(1, 2)}]),
    'model': Model(when=datetime.datetime(2020, 1, 2, 3, 4), amount=decimal.Decimal('1.10')),
    'models': [M(n=1), N(k='x')],
    'uuid': uuid.UUID(int=5),
    'delta': datetime.timedelta(hours=1),
    'bytes': b'abc',
    'nan': float('inf'),
    'big': 2**70,
    'quotes': 'a"b\n',
    'json': '{"a": 1}',
}
for name, value in VALUES.items():
    for stepped in (value, ToolReturn(value), ToolReturn(value, metadata={'m': name})):
        agent = Agent(script([call('t', {})], [TextPart('x')]))
        agent.tool_plain(name='t')(lambda: stepped)
        part = agent.run_sync('q').all_messages()[2].parts[0]
        fact(
            name,
            [
                type(part.content).__name__,
                part.model_response_str(),
                part.model_response_object(),
                part.metadata,
                part.outcome,
            ],
        )
