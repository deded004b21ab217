"""Tools of a kind that a package defines: what their calls and results have, how they are found, and which tools are refused."""

from _common import fact
from pydantic_ai import Agent, ModelRetry, RunContext, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolKind
from pydantic_ai.models.function import FunctionModel
from typing_extensions import TypedDict


class Args(TypedDict):
    q: str
    n: int


class Loose(TypedDict, total=False):
    n: int


ASKS, PLAIN, LOOSE = ToolKind('ns', 'k', args=Args, content=str), ToolKind('ns', 'd'), ToolKind('ns', 'o', args=Loose)


def script(messages, info):
    if len(messages) > 1:
        return ModelResponse([TextPart('x')])
    return ModelResponse(
        [
            ToolCallPart('a', {}, 'c1'),
            ToolCallPart('b', {'q': 'x', 'n': 1}, 'c2'),
            ToolCallPart('b', {'q': 'x', 'n': 'no'}, 'c3'),
            ToolCallPart('c', {}, 'c4'),
        ]
    )


agent = Agent(FunctionModel(script))


@agent.tool
def a(ctx: RunContext):
    fact('found', [ctx.tool_name_for_kind(kind) for kind in ('ns.k', 'ns.d', 'ns.o', 'tool-search', 'none')])
    return 'x'


@agent.tool_plain(tool_kind=ASKS.id)
def b(q: str, n: int):
    return 'r'


@agent.tool_plain(tool_kind='ns.d')
def c():
    raise ModelRetry('again')


for message in agent.run_sync('q').all_messages():
    kinds = [
        [type(part).__name__, getattr(part, 'tool_kind', None), getattr(part, 'outcome', None)]
        for part in message.parts
    ]
    fact(message.kind, kinds)


def attempt(name, function, kind):
    tool = Tool(function, name='t', tool_kind=kind)
    try:
        one = Agent(FunctionModel(lambda messages, info: ModelResponse([TextPart('ran')])), tools=[tool])
        fact(name, [tool.tool_kind, tool.tool_def.tool_kind, one.run_sync('q').output])
    except Exception as error:
        fact(name, type(error).__name__)


attempt('undefined', lambda: 'x', 'ns.other')
attempt('as an object', lambda: 'x', PLAIN)


def without(q: str):
    return 'x'


def other_types(q: int, n: str, z: int):
    return 'x'


attempt('without an argument', without, ASKS)
attempt('of other types', other_types, ASKS)
attempt('optional', without, LOOSE)
attempt('of the framework', without, 'tool-search')
