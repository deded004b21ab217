"""`Self` in the annotations of methods is the class that a method is bound to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from pydantic import BaseModel
from typing_extensions import Self

from stead import Tool


class Place(BaseModel):
    name: str

    def me(self) -> Self:
        return self

    def all_of_them(self) -> list[Self]:
        return [self]

    def perhaps(self) -> Optional[Self]:
        return None

    def next_to(self, other: Self, steps: int = 1) -> int:
        return steps

    @classmethod
    def make(cls) -> Self:
        return cls(name='made')


class Town(Place):
    people: int = 0


@dataclass
class Caller:
    name: str

    def __call__(self) -> Self:
        return self


def returned(function: Any) -> Any:
    return Tool(function).function_schema.return_schema


def test_each_class_has_a_schema_of_its_own():
    for _ in range(2):
        assert list(returned(Place(name='x').me)['properties']) == ['name']
        assert list(returned(Town(name='x').me)['properties']) == ['name', 'people']
    assert list(returned(Town.make)['properties']) == ['name', 'people']
    assert list(returned(Place.make)['properties']) == ['name']


def test_inside_of_other_types_and_in_callable_objects():
    assert returned(Place(name='x').all_of_them)['items'] == {'$ref': '#/$defs/Place'}
    assert returned(Place(name='x').perhaps)['anyOf'] == [{'$ref': '#/$defs/Place'}, {'type': 'null'}]
    assert list(returned(Caller('x'))['properties']) == ['name']


def test_as_a_parameter():
    schema = Tool(Town(name='x').next_to).tool_def.parameters_json_schema
    assert schema['properties']['other'] == {'$ref': '#/$defs/Town'}
    assert list(schema['$defs']) == ['Town']
