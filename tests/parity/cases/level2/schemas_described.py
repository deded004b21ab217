"""What models read of functions and enums: docstrings of the members of enums, and of parameters in a signature."""

from enum import Enum, IntEnum

from _common import fact
from pydantic import BaseModel, TypeAdapter
from pydantic_ai import Agent, Tool, UseEnumMemberDocstrings
from pydantic_ai.function_signature import FunctionParam, FunctionSignature, SimpleTypeExpr
from pydantic_ai.models.test import TestModel


class Size(UseEnumMemberDocstrings, Enum):
    """How large."""

    SMALL = 's'
    """For one person."""
    LARGE = 'l'
    """For two persons.

    Or for one who is hungry.
    """
    OTHER = 'o'


class Level(UseEnumMemberDocstrings, IntEnum):
    LOW = 1
    'Quiet.'
    HIGH = 2


class Silent(UseEnumMemberDocstrings, Enum):
    A = 'a'
    B = 'b'


class Plain(Enum):
    A = 'a'
    """Not shown."""


class Order(BaseModel):
    size: Size
    levels: list[Level]
    plain: Plain | None = None


def order(size: Size, level: Level, silent: Silent, plain: Plain, other: Size = Size.SMALL) -> str:
    """Order."""
    return ''


fact('a tool', Tool(order).tool_def.parameters_json_schema)
for output in (Size, Order):
    model = TestModel(call_tools=[])
    Agent(model, output_type=output).run_sync('hi')
    fact('an output', [tool.parameters_json_schema for tool in model.last_model_request_parameters.output_tools])
fact('other schemas', TypeAdapter(Size).json_schema())


def signature(**described):
    properties = {name: {'type': 'integer', 'description': text} for name, text in described.items()}
    schema = {'type': 'object', 'properties': properties, 'required': ['a']}
    return FunctionSignature.from_schema(name='go', parameters_schema=schema)


one = signature(a='The first.', b='The\nsecond.', c='', d='  "quoted" \\ ')
fact('descriptions', {name: param.description for name, param in one.params.items()})
for name, description in (('none', None), ('one', 'Do it.'), ('empty', ''), ('long', 'Do\n  it "now".')):
    fact(f'{name} described', one.render('...', description=description))
fact('nothing described', signature(a='', b=' ').render('...', description='Do "it".', is_async=True))
fact('a parameter', str(FunctionParam(name='x', type=SimpleTypeExpr('int'), description='It.')))
