"""A single parameter with fields of its own: they stand in for it."""

import dataclasses
from collections import namedtuple
from typing import Annotated, Generic, NamedTuple, Optional, TypeVar

import pydantic
from _tools import tool, validate
from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic_ai import RunContext
from typing_extensions import NotRequired, TypedDict

T = TypeVar('T')


class Undocumented(BaseModel):
    x: int
    some_name: str = 'a'


class Documented(BaseModel):
    """A documented model."""

    x: int = Field(description='the x', title='X marks')


class Titled(BaseModel):
    model_config = ConfigDict(title='My title', extra='allow')
    x: int


class Strict(BaseModel, extra='forbid'):
    x: int


class Box(BaseModel, Generic[T]):
    """A box."""

    inside: T


class Node(BaseModel):
    """A node."""

    value: int
    children: 'list[Node]' = []


class Outer(BaseModel):
    inner: Documented
    again: Documented | None = None


class Whole(RootModel[dict[str, int]]):
    """An object as a model."""


class Aliased(BaseModel):
    x: int = Field(alias='theX')


@dataclasses.dataclass
class Data:
    """Some data."""

    x: int
    y: str = 'b'


@dataclasses.dataclass
class NoDoc:
    x: int


@pydantic.dataclasses.dataclass
class PydanticData:
    """Pydantic data."""

    x: int
    y: list[int] = dataclasses.field(default_factory=list)


class Typed(TypedDict):
    """A typed dict."""

    x: int
    y: NotRequired[str]


class Half(TypedDict, total=False):
    x: int


class Tupled(NamedTuple):
    x: int


Old = namedtuple('Old', 'x y')


def undocumented(arg: Undocumented): ...
def documented(arg: Documented): ...
def with_doc(arg: Documented):
    """Do it."""


def with_args(arg: Documented):
    """Do it.

    Args:
        arg: The argument.
    """


def titled(arg: Titled): ...
def strict(arg: Strict): ...
def generic(arg: Box[int]): ...
def generic_bare(arg: Box): ...
def generic_of_model(arg: Box[Documented]): ...
def recursive(arg: Node): ...
def recursive_with_doc(arg: Node):
    """Walk."""


def nested(arg: Outer): ...
def root(arg: Whole): ...
def aliased(arg: Aliased): ...
def data(arg: Data): ...
def no_doc(arg: NoDoc): ...
def pydantic_data(arg: PydanticData): ...
def typed(arg: Typed): ...
def half(arg: Half): ...
def tupled(arg: Tupled): ...
def old(arg: Old): ...
def default(arg: Documented = Documented(x=1)): ...
def default_none(arg: Documented = None): ...
def default_data(arg: Data = Data(1)): ...
def optional(arg: Optional[Documented]): ...
def annotated(arg: Annotated[Documented, Field(description='annotated')]): ...
def annotated_data(arg: Annotated[Data, 'words']): ...
def field_default(arg: Documented = Field(description='as field')): ...
def ctx_and_model(ctx: RunContext[int], arg: Documented): ...
def two_models(a: Documented, b: Documented): ...
def model_and_int(a: Documented, b: int): ...
def keyword(*, arg: Documented): ...
def positional(arg: Documented, /): ...
def var(*arg: Documented): ...
def var_data(*arg: Data): ...
def kwargs(**arg: Documented): ...
def list_of(arg: list[Documented]): ...
def plain_dict(arg: dict): ...
def string(arg: 'Documented'): ...
def returning(arg: Documented) -> Documented: ...


tools = {}
for function in [
    value for value in list(globals().values()) if type(value) is type(tool) and value.__module__ == '__main__'
]:
    tools[function.__name__] = tool(function.__name__, function)
PAYLOADS = ['{"x": 1}', '{"x": "z"}', '{"x": 1, "more": 2}', '{}', '[]', '', {'x': 1, 'y': 'k'}, {'arg': {'x': 1}}]
for name in (
    'documented',
    'titled',
    'strict',
    'aliased',
    'data',
    'pydantic_data',
    'typed',
    'half',
    'root',
    'default',
    'keyword',
    'positional',
    'var',
    'var_data',
    'kwargs',
    'recursive',
    'generic',
    'tupled',
    'field_default',
):
    for payload in PAYLOADS:
        if tools[name]:
            validate(f'{name} <- {payload}', tools[name], payload)
validate('instance', tools['documented'], Documented(x=3))
validate('instance of data', tools['data'], Data(3))
