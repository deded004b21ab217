"""Types at random, of all that tools are made of: for tests that say that whatever the schema, what is written is valid."""

from __future__ import annotations

import enum
import random
import uuid
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypedDict

NAMES = (
    'city',
    'amount',
    'größe',
    '日付',
    'a b',
    'quo"te',
    'back\\slash',
    'x',
    'is_ok',
    '_9',
    'tool',
    'answer',
    'é' * 9,
)
PATTERNS = (
    r'^[A-Z]{2}-\d{3}$',
    r'\d+',
    r'^(red|green|blue)( \w+)?$',
    r'^[^aeiou"\\]{3,8}$',
    r'^\S+@\S+\.com$',
    r'^"\\/\{\}$',
    r'[äöü]+',
    r'^.{2,4}$',
    r'^(?=a)[a-c]{2}$',
    r'^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$',
    r'^a|b$',
    r'^[\w.-]*$',
    r'^\s?\D$',
)
VALUES: tuple[Any, ...] = ('a', 'abc', 'with "quotes"', 'new\nline', '日本', '', 'a\\b', 1, 10, -3, True, None)


class Node(BaseModel):
    """A tree."""

    value: int
    children: list[Node] = []
    parent: Optional[Node] = None


class Leaf(BaseModel):
    """One kind of expression."""

    kind: Literal['leaf']
    text: Annotated[str, Field(max_length=4)]


class Pair(BaseModel):
    """Another kind, made of expressions."""

    kind: Literal['pair']
    one: Expression
    other: Expression


Expression = Annotated[Union[Leaf, Pair], Field(discriminator='kind')]
Pair.model_rebuild()


class Record(TypedDict, total=False):
    """A record of which nothing is required."""

    one: int
    two: list[str]


class Free(BaseModel):
    """A model that takes more than it says."""

    model_config = ConfigDict(extra='allow')
    name: str


class Color(enum.Enum):
    """Colors."""

    RED = 'red'
    DARK = 'dark "blue"'


class Types:
    """Makes types of a seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.count = 0

    def model(self, depth: int = 0) -> type[BaseModel]:
        """Return a model with some fields."""
        fields: dict[str, Any] = {}
        for name in self.chance.sample(NAMES, self.chance.randint(0 if depth else 1, 4)):
            kind = self.type(depth + 1)
            default: Any = self.chance.choice([..., ..., None])
            self.count += 1
            fields[f'f{self.count}'] = (kind if default is ... else Optional[kind], Field(default, alias=name))
        config = ConfigDict(extra=self.chance.choice(['ignore', 'ignore', 'forbid']))
        return create_model(f'Model{self.count}', __config__=config, **fields)

    def type(self, depth: int) -> Any:
        """Return a type; deep inside only plain ones."""
        return self.chance.choice(self._plain if depth > 2 else [*self._plain, *self._plain, *self._deep])(self, depth)

    def _integer(self, depth: int) -> Any:
        low = self.chance.choice([-(10**9), -150, -7, 0, 1, 5, 99, 10**6])
        high = low + self.chance.choice([0, 1, 8, 92, 10**4, 10**10])
        limits = self.chance.choice(
            [{}, {'ge': low}, {'lt': low}, {'ge': low, 'le': high}, {'gt': low - 1, 'lt': high + 1}, {'multiple_of': 7}]
        )
        return Annotated[int, Field(**limits)]

    def _number(self, depth: int) -> Any:
        low = self.chance.choice([-1e6, -2.75, -0.5, 0, 0.001, 3.14159, 1e5])
        high = low + self.chance.choice([0.25, 1, 12.5, 1e3])
        limits = self.chance.choice(
            [{}, {'ge': low}, {'gt': low}, {'le': low}, {'ge': low, 'le': high}, {'gt': low, 'lt': high}]
            + [{'multiple_of': 0.25}, {'multiple_of': 0.01, 'ge': 0}]
        )
        return Annotated[float, Field(**limits)]

    def _string(self, depth: int) -> Any:
        least = self.chance.choice([0, 1, 5])
        limits: dict[str, Any] = self.chance.choice([{}, {'min_length': least}, {'max_length': least + 3}])
        limits = limits or self.chance.choice([{}, {'pattern': self.chance.choice(PATTERNS)}])
        if limits.get('pattern', '').startswith('^(?'):  # the engine of pydantic has no such thing
            return Annotated[str, Field(json_schema_extra=limits)]
        return Annotated[str, Field(**limits)]

    def _known(self, depth: int) -> Any:
        return self.chance.choice([bool, None, date, datetime, time, timedelta, uuid.UUID, Color, Any, str, int, bytes])

    def _literal(self, depth: int) -> Any:
        values = tuple(self.chance.sample(VALUES, self.chance.randint(1, 4)))
        return Literal[values]

    def _list(self, depth: int) -> Any:
        kind: Any = self.chance.choice([list, list, set, frozenset])
        item = self.type(depth + 1) if kind is list else self.chance.choice([int, str, Literal['a', 'b', 'c']])
        least = self.chance.randint(0, 2)
        limits: dict[str, Any] = self.chance.choice([{}, {'min_length': least, 'max_length': least + 1}])
        return Annotated[kind[item], Field(**limits)]

    def _tuple(self, depth: int) -> Any:
        return tuple[tuple(self.type(depth + 1) for _ in range(self.chance.randint(1, 3)))]  # type: ignore[misc]

    def _dict(self, depth: int) -> Any:
        key: Any = self.chance.choice([str, str, Literal['a', 'b'], Annotated[str, Field(pattern='^[a-z]{2}$')]])
        least = self.chance.randint(0, 2)
        limits: dict[str, Any] = self.chance.choice([{}, {'min_length': least, 'max_length': least + 1}])
        return Annotated[dict[key, self.type(depth + 1)], Field(**limits)]  # type: ignore[valid-type, misc]

    def _union(self, depth: int) -> Any:
        return Union[tuple(self.type(depth + 1) for _ in range(self.chance.randint(2, 3)))]  # noqa: UP007

    def _nested(self, depth: int) -> Any:
        return self.model(depth + 1)

    def _named(self, depth: int) -> Any:
        return self.chance.choice([Node, Expression, Record, Free, Leaf])

    _plain = (_integer, _number, _string, _known, _literal)
    _deep = (_list, _tuple, _dict, _union, _nested, _named)
