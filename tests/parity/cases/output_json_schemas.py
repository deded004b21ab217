"""`Agent.output_json_schema`, for the agent and for one type."""

import dataclasses
import datetime
import enum
from typing import Annotated, Any, Literal, Optional, Union

from _common import attempt, fact
from pydantic import BaseModel, Field, computed_field
from pydantic_ai import Agent, NativeOutput, PromptedOutput, StructuredDict, TextOutput, ToolOutput
from pydantic_ai.messages import BinaryImage
from pydantic_ai.tools import DeferredToolRequests
from typing_extensions import TypedDict


class Row(BaseModel):
    """A row."""

    n: int = Field(alias='number', default=1)

    @computed_field
    @property
    def twice(self) -> int:
        return self.n * 2


class Tree(BaseModel):
    kids: list['Tree'] = []


class Typed(TypedDict, total=False):
    n: int


@dataclasses.dataclass
class Data:
    n: int
    row: Row


class Color(enum.Enum):
    RED = 'red'


def make(n: int) -> Row:
    return Row(number=n)


async def later(text: str) -> list[Data]:
    return []


def size(text: str) -> int:
    return len(text)


def silent(n: int):
    return n


def optional(n: int) -> Optional[Row]:
    return None


Named = StructuredDict({'type': 'object', 'properties': {'a': {'type': 'integer'}}}, name='Named', description='D')
FORMS = {
    'text': str,
    'number': int,
    'model': Row,
    'tree': Tree,
    'typed': Typed,
    'dataclass': Data,
    'enum': Color,
    'any': Any,
    'list': list[Row],
    'dict': dict[str, Row],
    'literal': Literal['a', 1],
    'date': datetime.date,
    'optional': Optional[Row],
    'union': Union[Row, Data],
    'several': [Row, Data, int],
    'with text': [Row, str],
    'function': make,
    'later': later,
    'silent': silent,
    'function of optional': optional,
    'functions': [make, later],
    'text function': TextOutput(size),
    'async text function': TextOutput(later),
    'tool': ToolOutput(Row, name='x', description='y'),
    'tool function': ToolOutput(make),
    'native': NativeOutput(Row, name='x', description='y'),
    'native several': NativeOutput([Row, Tree]),
    'prompted': PromptedOutput([Row, make]),
    'dict type': Named,
    'dict types': [Named, Row],
    'image': BinaryImage,
    'image or text': [BinaryImage, str],
    'deferred': [str, DeferredToolRequests],
    'annotated': Annotated[int, Field(ge=1)],
    'annotated in a list': [Annotated[int, Field(ge=1)], str],
    'none': None,
    'text or none': [str, None],
    'twice': [Row, Row],
}


def bare(schema):
    """A schema without descriptions: those of classes that are not of this case are in other words."""
    if isinstance(schema, list):
        return [bare(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: bare(value) for key, value in schema.items() if key != 'description'}


agent = Agent('test', output_type=Row)
for name, form in FORMS.items():
    simplify = bare if name.startswith(('image', 'deferred')) else lambda schema: schema
    fact(name, simplify(attempt(lambda: Agent('test', output_type=form).output_json_schema())))
    fact(f'{name}, given', simplify(attempt(lambda: agent.output_json_schema(output_type=form))))
