"""Return schemas that are asked for and say nothing: the run warns. Subclasses of `Tool`, and functions without context."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

from _common import fact
from pydantic_ai import Agent, RunContext, Tool, ToolReturn
from pydantic_ai.capabilities import IncludeToolReturnSchemas, PrepareTools
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ExternalToolset, FunctionToolset, PreparedToolset

MODEL = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('x')]))


@contextmanager
def warned(name):
    """Print which categories were warned of: how often differs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield
    fact(name, sorted({item.category.__name__ for item in caught}))


def unknown(): ...
def anything() -> Any: ...
def an_object() -> object: ...
def returned() -> ToolReturn: ...
def nothing() -> None: ...
def number() -> int: ...
def mapping() -> dict: ...


for function in (unknown, anything, an_object, returned, nothing, number, mapping):
    with warned(f'tool {function.__name__}'):
        Agent(MODEL, tools=[Tool(function, include_return_schema=True)]).run_sync('x')
    with warned(f'not asked for {function.__name__}'):
        Agent(MODEL, tools=[Tool(function)]).run_sync('x')


async def prepare(ctx, definition):
    return replace(definition, include_return_schema=True)


async def hide(ctx, definitions):
    return None


for function in (unknown, number):
    with warned(f'toolset {function.__name__}'):
        Agent(MODEL, toolsets=[FunctionToolset([function], include_return_schema=True)]).run_sync('x')
    with warned(f'wrapper {function.__name__}'):
        Agent(MODEL, toolsets=[FunctionToolset([function]).include_return_schemas()]).run_sync('x')
    with warned(f'capability {function.__name__}'):
        Agent(MODEL, tools=[function], capabilities=[IncludeToolReturnSchemas()]).run_sync('x')
    with warned(f'prepared {function.__name__}'):
        Agent(MODEL, tools=[Tool(function, prepare=prepare)]).run_sync('x')
with warned('external'):
    Agent(MODEL, toolsets=[ExternalToolset([ToolDefinition(name='e', include_return_schema=True)])]).run_sync('x')


@dataclass
class Priced(Tool[Any]):
    price: int


@dataclass(init=False)
class Labelled(Tool[Any]):
    label: str

    def __init__(self, function, label, **options):
        super().__init__(function, **options)
        self.label = label


fact('added field', [fields(Priced)[-1].name, fields(Labelled)[-1].name])
labelled = Labelled(number, 'a number')
fact('labelled', [labelled.label, labelled.name, labelled.tool_def.name])

with warned('prepared toolset'):
    Agent(MODEL, toolsets=[PreparedToolset(FunctionToolset([number]), hide)]).run_sync('x')
with warned('prepared by method'):
    Agent(MODEL, toolsets=[FunctionToolset([number]).prepared(lambda ctx, definitions: None)]).run_sync('x')
with warned('prepared, none left'):
    Agent(MODEL, toolsets=[FunctionToolset([number]).prepared(lambda ctx, definitions: [])]).run_sync('x')
with warned('capability'):
    Agent(MODEL, tools=[number], capabilities=[PrepareTools(hide)]).run_sync('x')

toolset = FunctionToolset[Any]()
with warned('without context'):

    @toolset.tool
    def plain(x: int) -> int:
        return x


with warned('without context, options'):

    @toolset.tool(name='renamed')
    def other(x: int) -> int:
        return x


with warned('with context'):

    @toolset.tool
    def context(ctx: RunContext[Any], x: int) -> int:
        return x


with warned('plain'):

    @toolset.tool_plain
    def really_plain(x: int) -> int:
        return x


with warned('added'):
    toolset.add_function(number)
fact('toolset', [[name, tool.takes_ctx] for name, tool in toolset.tools.items()])
