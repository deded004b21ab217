"""Arguments that are nearly what was asked for."""

import dataclasses
from typing import Any, Literal, Optional, Union

from _common import fact
from _output import Color, understood
from pydantic import BaseModel
from typing_extensions import TypedDict


class Row(BaseModel):
    n: int


class Typed(TypedDict):
    n: int


@dataclasses.dataclass
class Data:
    n: int


FORMS = {
    'model': Row,
    'typed dict': Typed,
    'dataclass': Data,
    'int': int,
    'float': float,
    'bool': bool,
    'list': list[int],
    'tuple': tuple[int, str],
    'set': set[int],
    'dict': dict[str, int],
    'bare dict': dict,
    'bare list': list,
    'any': Any,
    'literal': Literal['a', 'b'],
    'enum': Color,
    'list of models': list[Row],
    'bytes': bytes,
    'optional': list[Optional[int]],
    'union': list[Union[int, str]],
}
ARGUMENTS = [
    {'response': 1},
    {'response': '1'},
    {'response': 'x'},
    {'response': [1]},
    {'response': '[1]'},
    {'response': {'n': 1}},
    {'response': '{"n": 1}'},
    {'response': [{'n': 1}]},
    {'response': None},
    {'response': 'null'},
    {'response': 'red'},
    {'response': 'a'},
    {'response': '"a"'},
    {'response': True},
    {'response': [1, 'a']},
    {'response': [None]},
    {},
    {'n': 1},
    {'n': '1'},
    {'n': 1, 'm': 2},
    {'response': 1, 'n': 2},
    '{"n": 1}',
    '{"response": 1}',
    '1',
    '[1]',
    '"x"',
    'null',
    '',
    None,
    '{"n": 1',
    '{"response": NaN}',
    '{"n": 1}{"n": 2}',
]
for name, form in FORMS.items():
    for args in ARGUMENTS:
        fact(f'{name} {args!r}', understood(form, ('final_result', args)))
