"""The schemas of what tools return."""

import dataclasses
import enum
from typing import Annotated, Any, Generic, Literal, NoReturn, Optional, TypeVar

from _tools import show
from pydantic import BaseModel, Field, computed_field
from pydantic_ai import Tool, ToolReturn
from typing_extensions import TypedDict

T = TypeVar('T')


class Out(BaseModel):
    """An output."""

    x: int = 1
    y: 'Out | None' = None


class Aliased(BaseModel):
    x: int = Field(serialization_alias='out', validation_alias='in')

    @computed_field
    @property
    def twice(self) -> int:
        return 2


class Box(BaseModel, Generic[T]):
    inside: T


class Typed(TypedDict):
    x: int


@dataclasses.dataclass
class Data:
    x: int


class Color(enum.Enum):
    RED = 'red'


class Unknown: ...


ANNOTATIONS = {
    'str': str,
    'int': int,
    'float': float,
    'bool': bool,
    'None': None,
    'Any': Any,
    'object': object,
    'bytes': bytes,
    'list': list,
    'list of int': list[int],
    'dict': dict[str, int],
    'tuple': tuple[int, str],
    'model': Out,
    'aliased': Aliased,
    'box': Box[int],
    'typed': Typed,
    'data': Data,
    'enum': Color,
    'union': int | str,
    'optional': Optional[Out],
    'literal': Literal['a', 'b'],
    'annotated': Annotated[int, Field(description='a number', gt=1)],
    'tool return': ToolReturn,
    'tool return of': ToolReturn[int],
    'tool return of model': ToolReturn[Out],
    'tool return of any': ToolReturn[Any],
    'list of models': list[Out],
    'type var': T,
    'string': 'int',
    'complex': complex,
    'type': type,
}

for label, annotation in ANNOTATIONS.items():

    def function(): ...

    function.__annotations__['return'] = annotation
    tool = Tool(function)
    show(label, tool.function_schema.return_schema)
    show('    definition', tool.tool_def.return_schema)
for label, annotation in {'unknown': Unknown, 'list of unknown': list[Unknown], 'never': NoReturn}.items():

    def function(): ...

    function.__annotations__['return'] = annotation
    try:
        show(label, Tool(function).function_schema.return_schema)
    except Exception:
        show(label, '! refused')
