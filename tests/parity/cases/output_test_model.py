"""`TestModel` with every form of output: what it makes up, and what it is given to say."""

from typing import Literal, Optional, Union

from _common import attempt, fact
from _output import Color
from pydantic import BaseModel, Field
from pydantic_ai import Agent, NativeOutput, PromptedOutput, StructuredDict, TextOutput, ToolOutput
from pydantic_ai.models.test import TestModel


class Row(BaseModel):
    n: int = Field(ge=3)
    name: str = Field(min_length=2, max_length=4)
    color: Color
    size: Literal['s', 'm']
    tags: list[str] = Field(min_length=2)
    maybe: Optional[float] = None
    pick: Union[int, str]
    open: dict[str, bool]


def upper(text: str) -> str:
    return text.upper()


def double(n: int) -> int:
    return n * 2


FORMS = {
    'text': str,
    'model': Row,
    'int': int,
    'list': list[Row],
    'union': [Row, int],
    'or text': [Row, str],
    'function': double,
    'text function': TextOutput(upper),
    'marker': ToolOutput(Row, name='row'),
    'literal': Literal['a', 'b'],
    'enum': Color,
    'dict': dict[str, int],
    'tuple': tuple[int, str],
    'named dict': StructuredDict({'type': 'object', 'properties': {'a': {'type': 'integer'}}, 'required': ['a']}),
    'prompted': PromptedOutput(int),
    'native': NativeOutput(int),
    'or none': [int, None],
}


def described(model, form):
    agent = Agent(model, output_type=form)

    @agent.tool_plain
    def look(x: int, words: list[str]) -> str:
        return f'{x} {words}'

    result = agent.run_sync('hi')
    return [
        repr(result.output),
        [
            [part.part_kind, getattr(part, 'args', None)]
            for message in result.all_messages()
            for part in message.parts
            if message.kind == 'response'
        ],
    ]


for name, form in FORMS.items():
    for seed in (0, 1, 5):
        fact(f'{name} {seed}', attempt(lambda: described(TestModel(seed=seed), form)))
    fact(f'{name}, no tools', attempt(lambda: described(TestModel(call_tools=[]), form)))
    if name.startswith('text'):
        fact(f'{name}, text', attempt(lambda: described(TestModel(custom_output_text='12'), form)))
    for args in () if 'text' in name or name in ('prompted', 'native') else ({'n': 4}, {'response': 7}, 7):
        fact(f'{name}, args {args}', attempt(lambda: described(TestModel(custom_output_args=args), form)))
