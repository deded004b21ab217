"""Types whose values are not objects: they are sent under a key."""

import datetime
import enum
import pathlib
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, List, Literal, NamedTuple, NewType, TypeVar

from _output import show
from pydantic import BaseModel, Field

T = TypeVar('T')
UserId = NewType('UserId', int)


class Row(BaseModel):
    n: int


class Pair(NamedTuple):
    a: int
    b: str = 'x'


class Color(enum.Enum):
    """Colours."""

    red = 'r'
    blue = 'b'


for title, form in {
    'int': int,
    'bool': bool,
    'float': float,
    'bytes': bytes,
    'list': list,
    'list[int]': list[int],
    'List[str]': List[str],
    'dict': dict,
    'dict[str, int]': dict[str, int],
    'dict[str, Any]': dict[str, Any],
    'tuple': tuple[int, str],
    'set': set[int],
    'literal': Literal['a', 'b'],
    'one literal': Literal['a'],
    'enum': Color,
    'named tuple': Pair,
    'newtype': UserId,
    'newtype of a model': NewType('NR', Row),
    'annotated': Annotated[int, Field(ge=3, title='X', description='At least three')],
    'annotated model': Annotated[Row, Field(description='Annotated model')],
    'Any': Any,
    'object': object,
    'list of models': list[Row],
    'datetime': datetime.datetime,
    'uuid': uuid.UUID,
    'path': pathlib.Path,
    'ordered dict': OrderedDict[str, int],
    'mapping': Mapping[str, int],
    'sequence': Sequence[int],
    'iterable': Iterable[int],
    'type variable': T,
    'type[int]': type[int],
}.items():
    show(title, form)
