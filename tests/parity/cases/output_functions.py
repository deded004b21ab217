"""Output functions: what they take, and how they refuse."""

from typing import Annotated

from _output import PROMPTED, answered, show
from pydantic import BaseModel, Field
from pydantic_ai import ModelRetry, PromptedOutput, RunContext, ToolOutput, UnexpectedModelBehavior


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


def of_model(row: Row) -> str:
    return f'row {row.n}'


def several(a: int, b: str = 'x', *, c: float = 1.5) -> str:
    return f'{a} {b} {c}'


def documented(n: Annotated[int, Field(ge=3, description='At least three.')]) -> Row:
    return Row(n=n)


def refuses(n: int) -> str:
    if n < 3:
        raise ModelRetry(f'{n} is too small')
    return f'enough {n}'


async def refuses_later(ctx: RunContext[None], n: int) -> str:
    if ctx.retry < 1:
        raise ModelRetry('wait')
    return f'{ctx.retry} of {ctx.max_retries}'


def fails(n: int) -> str:
    raise KeyError('mine')


def gives_up(n: int) -> str:
    raise UnexpectedModelBehavior('given up')


def nothing(n: int) -> None:
    return None


def untyped(n):
    return n


def no_arguments() -> str:
    return 'none'


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


FUNCTIONS = [
    plain,
    later,
    with_context,
    later_with_context,
    of_model,
    documented,
    nothing,
    Methods().bound,
    Methods.of_class,
    Methods.static,
]
for function in FUNCTIONS:
    show(function.__name__, function)
    answered(function.__name__, function, ('final_result', {'n': 5}))
    answered(f'{function.__name__} prompted', PromptedOutput(function), '{"n": 5}', profile=PROMPTED)
    answered(
        f'{function.__name__} with wrong arguments', function, ('final_result', {'n': 'x'}), ('final_result', {'n': 6})
    )
    answered(f'{function.__name__} named', ToolOutput(function, name='mine', description='Says.'), ('mine', {'n': 5}))
show('several', several)
for args in ({'a': 1}, {'a': 1, 'b': 'y', 'c': 2}, {'a': 1, 'd': 3}, {'b': 'y'}):
    answered(f'several {args}', several, ('final_result', args), ('final_result', {'a': 0}))
show('no arguments', no_arguments)
answered('no arguments', no_arguments, ('final_result', {}))
for first in (1, 2, 5):
    for retries in (0, 1, 2):
        answered(
            f'refuses {first} {retries}',
            refuses,
            ('final_result', {'n': first}),
            ('final_result', {'n': 4}),
            retries=retries,
        )
answered('refuses prompted', PromptedOutput(refuses), '{"n": 1}', '{"n": 4}', profile=PROMPTED)
answered('refuses later', refuses_later, ('final_result', {'n': 1}), retries=3)
answered('fails', fails, ('final_result', {'n': 1}))
answered('fails prompted', PromptedOutput(fails), '{"n": 1}', profile=PROMPTED)
answered('gives up prompted', PromptedOutput(gives_up), '{"n": 1}', profile=PROMPTED)
show('two functions', [plain, later])
answered('two functions', [plain, later], ('final_result_later', {'n': 1}))
answered('function or text', [plain, str], 'words')
answered('function or text, called', [plain, str], ('final_result', {'n': 3}))
answered('function or type', [plain, Row], ('final_result_Row', {'n': 3}))
