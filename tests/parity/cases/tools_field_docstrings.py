"""Texts below the fields of the types of parameters become descriptions; in types of returns they do not."""

from dataclasses import dataclass, field
from typing import Annotated, Generic, Optional, TypeVar

from _common import fact
from pydantic import BaseModel, ConfigDict, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_ai import RunContext, Tool
from typing_extensions import TypedDict

T = TypeVar('T')


class Typed(TypedDict):
    """A typed dict."""

    a: int
    """The a."""
    b: str
    """The b."""


class Longer(Typed):
    c: int
    """The c."""


class Configured(TypedDict):
    __pydantic_config__ = ConfigDict(extra='forbid')  # type: ignore[misc]
    a: int
    """The a."""


@dataclass
class Data:
    """A dataclass."""

    a: int
    """The a."""
    b: str = field(default='x')
    """The b."""


@dataclass
class Described:
    a: Annotated[int, Field(description='Said before.')]
    """The a."""


@dataclass
class Outer:
    inner: Data
    """The inner."""
    typed: Typed


@dataclass
class Tree:
    children: list['Tree']
    """Its children."""


@dataclass
class Box(Generic[T]):
    content: T
    """The content."""


@pydantic_dataclass
class Checked:
    a: int
    """The a."""


class Model(BaseModel):
    a: int
    """The a."""
    data: Optional[Data] = None


class ModelWithTexts(BaseModel):
    model_config = ConfigDict(use_attribute_docstrings=True)
    a: int
    """The a."""


def typed(x: Typed): ...
def longer(x: Longer): ...
def configured(x: Configured): ...
def data(x: Data): ...
def described(x: Described): ...
def outer(x: Outer): ...
def tree(x: Tree): ...
def box(x: Box[int], y: int): ...
def checked(x: Checked): ...
def model(x: Model): ...
def model_with_texts(x: ModelWithTexts): ...
def with_default(x: Data = Data(1)): ...  # noqa: B008
def two(x: Typed, y: Data): ...
def with_configured(x: Configured, y: Data): ...
def two_models(x: Model, y: Data): ...
def many(x: list[Data]): ...
def optional(x: Optional[Data] = None): ...
def either(x: Optional[Data]): ...
def keywords(**x: Data): ...
def positional(*x: Data): ...
def annotated(x: Annotated[Data, Field(description='Here.')], y: int): ...
def returns() -> Data: ...
def returns_many() -> list[Typed]: ...


def from_docstring(ctx: RunContext[int], x: Data):
    """Do it.

    Args:
        x: The x.
    """


FUNCTIONS = [
    typed,
    longer,
    configured,
    data,
    described,
    outer,
    tree,
    box,
    checked,
    model,
    model_with_texts,
    with_default,
]
FUNCTIONS += [two, with_configured, two_models, many, optional, either, keywords, positional, annotated, from_docstring]
for function in FUNCTIONS:
    definition = Tool(function).tool_def
    fact(function.__name__, [definition.parameters_json_schema, definition.description])
for function in (returns, returns_many):
    fact(function.__name__, Tool(function).tool_def.return_schema)
