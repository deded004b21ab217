"""Types whose values are objects: their fields are the arguments of the tool."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import pydantic.dataclasses
from _output import show
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict

T = TypeVar('T')


class Undocumented(BaseModel):
    a: int
    b: str = 'x'


class Documented(BaseModel):
    """A documented model.

    In two paragraphs."""

    a: int = Field(description='The a.')
    inner: Undocumented


class Titled(BaseModel):
    model_config = ConfigDict(title='My Title', json_schema_extra={'description': 'Extra'})
    a: int


class Examples(BaseModel):
    """Doc."""

    model_config = {'json_schema_extra': {'examples': [{'n': 1}]}, 'title': 'A Title!'}
    n: int


class Aliased(BaseModel):
    n: int = Field(alias='theN', validation_alias='vN')


class Closed(BaseModel, extra='forbid'):
    n: int


class Open(BaseModel, extra='allow'):
    n: int


@dataclass
class Data:
    """Some data."""

    a: int
    b: list[str]


@dataclass
class Bare:
    a: int


@pydantic.dataclasses.dataclass
class Checked:
    """Checked data."""

    v: int


class Fields(TypedDict, total=False):
    """A typed dict."""

    a: int


class Tree(BaseModel):
    """A tree."""

    children: list['Tree'] = []


class RootTree(RootModel[dict[str, 'RootTree']]):
    pass


class RootObject(RootModel[Undocumented]):
    """A root."""


class Box(BaseModel, Generic[T]):
    value: T


class GenericFields(TypedDict, Generic[T]):
    v: T


@dataclass
class GenericData(Generic[T]):
    v: T


class Settings:
    """Pydantic is told what this is."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source, handler):
        return handler(dict[str, int])


for form in (Undocumented, Documented, Titled, Examples, Aliased, Closed, Open, Data, Bare, Checked, Fields, Settings):
    show(form.__name__, form)
for form in (Tree, RootTree, RootObject, Box[int], Box[Documented], GenericFields[int], GenericData[int]):
    show(form.__name__, form)
