"""Functions of private modules that extension packages import do what they count on."""

from dataclasses import dataclass, field
from typing import Annotated, Any, List, Optional, Union

from _common import fact
from pydantic import BaseModel
from pydantic_ai import RunContext, TextOutput, ToolOutput, _utils as utils
from pydantic_ai.agent.abstract import types_from_output_spec
from pydantic_ai.exceptions import UserError
from pydantic_ai.models.openai import split_content_into_text_and_thinking
from typing_extensions import TypedDict


@dataclass
class Record:
    a: int = 1
    b: list = field(default_factory=list)
    c: int = field(default=2, repr=False)


class Model(BaseModel):
    x: int = 1


class Typed(TypedDict):
    x: int


kinds = [Record, Model, Typed, int, dict, List[Model], Record(), None, type('Marked', (), {'__is_model_like__': True})]
fact('is_model_like', [utils.is_model_like(kind) for kind in kinds])
for text in (
    '{"a": 1}',
    'see ```json\n{"a": 1}\n``` so',
    '```json {"a": 1}```',
    '```json\n{"a": 1}',
    '```\n{}\n```',
    'none',
):
    fact('strip_markdown_fences', utils.strip_markdown_fences(text))
fact('repr', [utils.dataclasses_no_defaults_repr(record) for record in (Record(), Record(2), Record(b=[1], c=3))])
for number in (1700000000, 1700000000.5, 1700000000000):
    fact('number_to_datetime', utils.number_to_datetime(number).timestamp())


def with_context(ctx: RunContext[int], x): ...


def without(x: int): ...


async def later(ctx: 'RunContext[Any]'): ...


class Callable:
    def __call__(self, ctx: RunContext[int]): ...


def optional(ctx: Optional[RunContext[int]]): ...


def bare(ctx): ...


for function in (with_context, without, later, Callable(), optional, bare, print, len):
    fact('takes_run_context', utils.takes_run_context(function))
fact('first', [str(utils.get_first_param_type(function)) for function in (without, bare, print)])
unions = [Union[int, str], Optional[int], Annotated[Union[int, str], 1], int]
fact('get_union_args', [[kind.__name__ for kind in utils.get_union_args(union)] for union in unions])
fact('sanitize_tool_name', [utils.sanitize_tool_name(name) for name in ('a b-c.d/é!', '__x__')])
for left in ({}, {'a': 1, 'b': 2}):
    try:
        fact('validate_empty_kwargs', utils.validate_empty_kwargs(left))
    except UserError as error:
        fact('refused', str(error))


class Renamed:
    def __init__(self, *, new=None):
        self.new = new


utils.install_deprecated_kwarg_alias(Renamed, old='old', new='new')
fact('alias of an argument', [Renamed(old=1).new, Renamed(old=1, new=2).new, Renamed(new=3).new])
for text in (
    'a<think>b</think>c',
    '<think>b',
    'x</think>y',
    '',
    '<think></think>z',
    '<think>a</think><think>b</think>',
):
    parts = split_content_into_text_and_thinking(text, ('<think>', '</think>'))
    fact('split', [[part.part_kind, part.content] for part in parts])


def of(x: int) -> str: ...


for output in (str, [int, str], ToolOutput(int), TextOutput(of), of, [of, Model]):
    fact('types', [kind.__name__ for kind in types_from_output_spec(output)])
