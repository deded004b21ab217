"""Output functions: sync and async, with and without context, refusing and failing."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from pydantic import BaseModel

from stead import ModelRetry, PromptedOutput, RunContext, TextOutput, ToolOutput, UnexpectedModelBehavior

from .kit import PROMPTED, parameters_of, run


class Row(BaseModel):
    n: int


def plain(n: int) -> str:
    """Make text of a number.

    Args:
        n: The number.
    """
    return f'plain {n}'


async def later(n: int) -> str:
    return f'later {n}'


def with_context(ctx: RunContext[None], n: int) -> str:
    return f'{ctx.tool_name} {ctx.retry} {n}'


async def later_with_context(ctx: RunContext[None], n: int) -> str:
    return f'{ctx.tool_name} {ctx.retry} {n}'


class Methods:
    def bound(self, n: int) -> str:
        return f'bound {n}'

    @classmethod
    def of_class(cls, n: int) -> str:
        return f'{cls.__name__} {n}'

    @staticmethod
    def static(n: int) -> str:
        return f'static {n}'

    async def __call__(self, n: int) -> str:
        return f'called {n}'


FUNCTIONS: list[tuple[Any, str, str]] = [
    (plain, 'plain 5', 'plain 5'),
    (later, 'later 5', 'later 5'),
    (with_context, 'final_result 0 5', 'None 0 5'),
    (later_with_context, 'final_result 0 5', 'None 0 5'),
    (Methods().bound, 'bound 5', 'bound 5'),
    (Methods.of_class, 'Methods 5', 'Methods 5'),
    (Methods.static, 'static 5', 'static 5'),
    (Methods(), 'called 5', 'called 5'),
    (functools.partial(lambda by, n: f'{by} {n}', 'partial'), 'partial 5', 'partial 5'),
]


@pytest.mark.parametrize(('function', 'by_tool', 'by_text'), FUNCTIONS)
def test_functions_make_outputs(function: Any, by_tool: str, by_text: str):
    assert run(function, ('final_result', {'n': 5})).output == by_tool
    assert run(ToolOutput(function), ('final_result', {'n': 5})).output == by_tool
    assert run(PromptedOutput(function), '{"n": 5}', profile=PROMPTED).output == by_text


def test_a_function_is_described_by_its_docstring():
    (tool,) = parameters_of(plain).output_tools
    assert tool.description == 'Make text of a number.'
    assert tool.parameters_json_schema['properties'] == {'n': {'description': 'The number.', 'type': 'integer'}}
    (tool,) = parameters_of(ToolOutput(plain, name='mine', description='Mine')).output_tools
    assert (tool.name, tool.description) == ('mine', 'Mine. Make text of a number.')
    (tool,) = parameters_of(with_context).output_tools
    assert list(tool.parameters_json_schema['properties']) == ['n']


def several(a: int, b: str = 'x', *, c: float = 1.5) -> str:
    return f'{a} {b} {c}'


def of_model(row: Row) -> int:
    return row.n


@pytest.mark.parametrize(
    ('function', 'args', 'output'),
    [
        (several, {'a': 1}, '1 x 1.5'),
        (several, {'a': 1, 'b': 'y', 'c': 2}, '1 y 2.0'),
        (of_model, {'n': 3}, 3),
        (lambda: 'none', {}, 'none'),
        (lambda n: None, {'n': 1}, None),
    ],
)
def test_a_function_gets_the_arguments_of_the_model(function: Any, args: Any, output: Any):
    assert run(function, ('final_result', args)).output == output


def test_wrong_arguments_are_sent_back():
    record = run(several, ('final_result', {'b': 'y', 'd': 1}), ('final_result', {'a': 1}))
    assert record.output == '1 x 1.5'
    ((problems,),) = record.replies
    assert [(each['type'], each['loc']) for each in problems] == [('missing', ('a',)), ('extra_forbidden', ('d',))]


def picky(ctx: RunContext[None], n: int) -> str:
    if n < 3:
        raise ModelRetry(f'{n} is too small')
    return f'{n} after {ctx.retry} of {ctx.max_retries}'


def test_functions_may_ask_again():
    record = run(picky, ('final_result', {'n': 1}), ('final_result', {'n': 2}), ('final_result', {'n': 4}), retries=2)
    assert (record.output, record.replies) == ('4 after 2 of 2', [['1 is too small'], ['2 is too small']])
    record = run(PromptedOutput(picky), '{"n": 1}', '{"n": 4}', profile=PROMPTED)
    assert (record.output, record.replies) == ('4 after 1 of 1', [['1 is too small']])
    with pytest.raises(UnexpectedModelBehavior, match=r'Exceeded maximum output retries \(1\)'):
        run(picky, ('final_result', {'n': 1}))


@pytest.mark.parametrize(('output', 'answer'), [(ToolOutput, ('final_result', {'n': 1})), (PromptedOutput, '{"n": 1}')])
def test_errors_of_functions_end_the_run(output: Any, answer: Any):
    def fails(n: int) -> str:
        raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        run(output(fails), answer, profile=PROMPTED)


def test_functions_of_text():
    async def count(text: str) -> int:
        return len(text)

    def numbered(ctx: RunContext[None], text: str) -> str:
        return f'{ctx.tool_name} {ctx.retry} {text}'

    def keyword(*, text: str) -> str:
        return text.title()

    assert run(TextOutput(str.upper), 'words').output == 'WORDS'
    assert run(TextOutput(count), 'words').output == 5
    assert run(TextOutput(numbered), 'words').output == 'None 0 words'
    assert run(TextOutput(keyword), 'words').output == 'Words'
    assert run(TextOutput(functools.partial(str.replace, 'aXb', 'X')), '-').output == 'a-b'
    assert run([TextOutput(count), Row], 'words').output == 5
    assert run([TextOutput(count), Row], ('final_result', {'n': 1})).output == Row(n=1)


def test_functions_of_text_may_ask_again():
    def please(text: str) -> str:
        if 'please' not in text:
            raise ModelRetry('say please')
        return text

    record = run(TextOutput(please), 'now', 'now, please')
    assert (record.output, record.replies) == ('now, please', [['say please']])
    with pytest.raises(UnexpectedModelBehavior, match=r'Exceeded maximum output retries \(0\)'):
        run(TextOutput(please), 'now', retries=0)


def test_the_model_chooses_one_of_several_functions():
    assert run([plain, later], ('final_result_later', {'n': 1})).output == 'later 1'
    assert run([plain, str], 'words').output == 'words'
    prompted = PromptedOutput([plain, Row])
    assert run(prompted, '{"result": {"kind": "plain", "data": {"n": 1}}}', profile=PROMPTED).output == 'plain 1'
    assert run(prompted, '{"result": {"kind": "Row", "data": {"n": 1}}}', profile=PROMPTED).output == Row(n=1)
