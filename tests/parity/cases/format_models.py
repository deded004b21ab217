"""Dataclasses and pydantic models as XML: their names in lists, what serialising changes, aliases, computed fields."""

import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import typing
import uuid

import pydantic
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SecretStr,
    computed_field,
    field_serializer,
    model_serializer,
)
from pydantic_ai import format_as_xml

T = typing.TypeVar('T')


class Color(enum.Enum):
    RED = 'red'


class Leaf(BaseModel):
    a: int = 1


class MoreLeaf(Leaf):
    b: int = 2


@dataclasses.dataclass
class Record:
    name: str
    color: Color = Color.RED
    leaves: list = dataclasses.field(default_factory=lambda: [Leaf(), Leaf(a=2)])
    hidden: int = dataclasses.field(default=3, repr=False)
    shared: typing.ClassVar[int] = 4


@pydantic.dataclasses.dataclass
class Checked:
    a: int = 1


class Typed(BaseModel):
    color: Color = Color.RED
    path: pathlib.Path = pathlib.Path('/a')
    numbers: set[int] = {1}
    when: datetime.datetime = datetime.datetime(2024, 1, 2, 3, 4, 5)
    took: datetime.timedelta = datetime.timedelta(days=1)
    key: uuid.UUID = uuid.UUID(int=1)
    price: decimal.Decimal = decimal.Decimal('1.50')
    raw: bytes = b'x'
    real: float = 1.0
    yes: bool = True
    pair: tuple[int, str] = (1, 'a')
    table: dict[int, str] = {1: 'a'}
    secret: SecretStr = SecretStr('q')
    nothing: typing.Any = None


class Named(BaseModel):
    model_config = ConfigDict(extra='allow')
    plain: int = Field(1, alias='Alias', serialization_alias='Out')
    skipped: int = Field(2, exclude=True)
    _private: int = 3

    @computed_field
    @property
    def computed(self) -> Leaf:
        return Leaf()

    @computed_field(alias='Listed')
    @property
    def listed(self) -> list[Leaf]:
        return [Leaf()]


class ByAlias(BaseModel):
    model_config = ConfigDict(serialize_by_alias=True)
    a: int = Field(1, alias='A1')


class Serialised(BaseModel):
    leaf: Leaf = Leaf()
    n: int = 1

    @field_serializer('leaf')
    def write_leaf(self, value):
        return 'a leaf'

    @field_serializer('n')
    def write_n(self, value):
        return {'n': [value, value]}


class Reshaped(BaseModel):
    q: int = 3

    @model_serializer
    def write(self):
        return {'other': self.q, 'q': 9}


class Holder(BaseModel):
    leaf: Leaf = MoreLeaf()
    leaves: list[Leaf] = [MoreLeaf(), Leaf()]
    record: Record = Record('r')
    by_name: dict[str, Leaf] = {'k': Leaf(), 'l': Leaf(a=5)}
    pair: tuple[Leaf, Record] = (Leaf(), Record('p'))
    anything: typing.Any = None
    nested: list[list[Leaf]] = [[Leaf()], []]


class Box(BaseModel, typing.Generic[T]):
    v: T


class Table(RootModel[dict[str, int]]):
    pass


VALUES = [
    Leaf(),
    Record('x'),
    Checked(),
    Typed(),
    Named(Alias=5, extra=6),
    ByAlias(A1=2),
    Serialised(),
    Reshaped(),
    Holder(),
    Holder(anything=[Leaf(), {'q': Leaf()}, Record('d'), Color.RED]),
    [Leaf(), MoreLeaf(), Record('y'), Checked()],
    {'k': Record('z'), 'm': [Box[int](v=3), Box[Leaf](v=Leaf())]},
    Table({'a': 1}),
    (Leaf(), [Leaf(), [Leaf()]]),
    [Color.RED],
    Holder(anything={None: 1, 2: 3}),
]
for value in VALUES:
    for options in ({}, {'root_tag': 'r'}, {'indent': None, 'item_tag': 'i'}):
        print(json.dumps([type(value).__name__, options, format_as_xml(value, **options)]))
for bad in (Holder(anything=object()), [pathlib.Path('/a')], Record(name=object())):
    try:
        format_as_xml(bad)
    except TypeError as error:
        print(type(error).__name__)
