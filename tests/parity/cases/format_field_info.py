"""Titles and descriptions of fields as XML attributes: everywhere, once, and how they are escaped."""

import dataclasses
import json
import typing

from pydantic import BaseModel, Field, computed_field
from pydantic_ai import format_as_xml


class Leaf(BaseModel):
    a: int = Field(1, title='A', description='leaf a')


class MoreLeaf(Leaf):
    b: int = Field(2, description='leaf b')


@dataclasses.dataclass
class Record:
    a: int = dataclasses.field(default=1, metadata={'description': 'record a', 'title': 5, 'other': 1})
    leaf: Leaf = dataclasses.field(default_factory=Leaf, metadata={'title': 'Leaf'})
    none: typing.Any = dataclasses.field(default=None, metadata={'title': None, 'description': ['x']})


class Tree(BaseModel):
    first: Leaf = Field(Leaf(), description='first')
    second: Leaf = Field(Leaf(), description='<"second" & \n\t\'more\'>')
    leaves: list[Leaf] = Field([MoreLeaf(), Leaf(), Leaf()], description='leaves')
    record: Record = Record()
    table: dict[str, Leaf] = {'k': Leaf()}
    child: 'Tree | None' = Field(None, description='a child')
    empty: str = Field('', title='', description='')
    old: int = Field(1, deprecated=True, description='old', json_schema_extra={'description': 'other'})

    @computed_field(description='computed', title='C')
    @property
    def computed(self) -> int:
        return 1

    @computed_field
    @property
    def documented(self) -> Leaf:
        """from the docstring"""
        return Leaf()


for value in (
    Leaf(),
    Record(),
    Tree(),
    Tree(child=Tree()),
    [Leaf(), Leaf(a=2), Record(), Record()],
    [MoreLeaf(), Leaf()],
    {'x': Leaf(), 'y': Leaf()},
    {'x': [Tree(), Leaf()]},
    {'a': 1},
):
    for info in (False, True, 'once'):
        for root_tag in (None, 'r'):
            xml = format_as_xml(value, root_tag=root_tag, include_field_info=info)
            print(json.dumps([type(value).__name__, info, root_tag, xml]))
