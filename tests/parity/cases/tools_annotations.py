"""Annotations of every kind as parameters."""

import datetime
import enum
import ipaddress
import pathlib
import re
import typing
import uuid
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, NewType, Optional, TypeVar, Union

import annotated_types
from _tools import tool
from pydantic import AnyUrl, BaseModel, BeforeValidator, Field, Json, SecretStr, StringConstraints, conint
from typing_extensions import TypeAliasType, TypedDict


class Color(enum.Enum):
    """Colors."""

    RED = 'red'
    BLUE = 'blue'


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class One(enum.Enum):
    ONLY = 'only'


class Flags(enum.Flag):
    A = 1
    B = 2


class Point(NamedTuple):
    x: int
    y: int = 0


class Cat(BaseModel):
    kind: Literal['cat']
    lives: int = 9


class Dog(BaseModel):
    kind: Literal['dog']


class Half(TypedDict, total=False):
    a: int
    b: str


UserId = NewType('UserId', int)
T = TypeVar('T')
B = TypeVar('B', bound=int)
C = TypeVar('C', int, str)
Ints = TypeAliasType('Ints', list[int])
Tree = TypeAliasType('Tree', 'dict[str, Tree] | int')

ANNOTATIONS = {
    'int': int,
    'float': float,
    'str': str,
    'bool': bool,
    'bytes': bytes,
    'None': None,
    'Any': Any,
    'object': object,
    'list': list,
    'list int': list[int],
    'List': typing.List[int],
    'dict': dict,
    'dict str int': dict[str, int],
    'dict int str': dict[int, str],
    'tuple': tuple,
    'tuple pair': tuple[int, str],
    'tuple many': tuple[int, ...],
    'tuple none': tuple[()],
    'set': set[int],
    'frozenset': frozenset[str],
    'deque': deque[int],
    'Sequence': Sequence[int],
    'Iterable': Iterable[int],
    'Mapping': Mapping[str, int],
    'OrderedDict': OrderedDict[str, int],
    'defaultdict': defaultdict[str, int],
    'union': Union[int, str],
    'pipe': int | str,
    'Optional': Optional[str],
    'three': int | str | None,
    'Literal': Literal['a', 'b'],
    'Literal one': Literal['a'],
    'Literal mixed': Literal['a', 1, None, True],
    'Enum': Color,
    'IntEnum': Level,
    'Enum one': One,
    'Flag': Flags,
    'list of Enum': list[Color],
    'Optional Enum': Color | None,
    'Literal Enum': Literal[Color.RED],
    'datetime': datetime.datetime,
    'date': datetime.date,
    'time': datetime.time,
    'timedelta': datetime.timedelta,
    'UUID': uuid.UUID,
    'Path': pathlib.Path,
    'IPv4': ipaddress.IPv4Address,
    'Pattern': re.Pattern,
    'AnyUrl': AnyUrl,
    'Secret': SecretStr,
    'Json': Json[list[int]],
    'conint': conint(gt=1),
    'NamedTuple': Point,
    'list NamedTuple': list[Point],
    'NewType': UserId,
    'TypeVar': T,
    'bound': B,
    'constrained': C,
    'alias type': Ints,
    'recursive alias': Tree,
    'alias pair': tuple[Ints, Ints],
    'discriminated': Annotated[Cat | Dog, Field(discriminator='kind')],
    'plain union of models': Cat | Dog,
    'list of model': list[Cat],
    'dict of models': dict[str, Dog],
    'optional model': Cat | None,
    'list half': list[Half],
    'gt': Annotated[int, annotated_types.Gt(3)],
    'len': Annotated[str, annotated_types.Len(1, 5)],
    'pattern': Annotated[str, StringConstraints(pattern='^x+$', strip_whitespace=True)],
    'before': Annotated[int, BeforeValidator(lambda value: value)],
    'type': type,
    'type of': type[int],
    'callable': typing.Callable[[int], int],
    'annotated in list': list[Annotated[int, Field(ge=1, description='each')]],
    'description twice': Annotated[int, Field(description='a'), Field(description='b')],
    'Hashable': typing.Hashable,
    'string': 'int',
    'complex': complex,
    'Text': typing.Text,  # noqa: UP019 - the old name is what is asked about
    'AnyStr': typing.AnyStr,
    'Never': typing.NoReturn,
    'class': type('Unknown', (), {}),
    'module': re,
    'number': 3,
}
for label, annotation in ANNOTATIONS.items():
    for default in (False, True):

        def function(other: int, x=None): ...

        if not default:

            def function(other: int, x): ...

        function.__annotations__['x'] = annotation
        tool(f'{label}{" = None" * default}', function)
