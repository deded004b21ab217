"""`TextOutput`: functions of the text."""

from _output import answered, show
from pydantic import BaseModel
from pydantic_ai import ModelRetry, RunContext, TextOutput


class Row(BaseModel):
    n: int


def words(text: str) -> list[str]:
    return text.split()


async def later(text: str) -> int:
    return len(text)


def with_context(ctx: RunContext[None], text: str) -> str:
    return f'{ctx.tool_name} {ctx.retry} {ctx.max_retries} {text}'


async def later_with_context(ctx: RunContext[None], text: str) -> str:
    return f'{ctx.run_step} {text}'


def refuses(text: str) -> str:
    if 'please' not in text:
        raise ModelRetry('say please')
    return text.upper()


def refuses_by_count(ctx: RunContext[None], text: str) -> str:
    if ctx.retry < 2:
        raise ModelRetry(f'not yet {ctx.retry}')
    return f'{ctx.retry} {text}'


def fails(text: str) -> str:
    raise ValueError('mine')


def nothing(text: str) -> None:
    return None


class Methods:
    def bound(self, text: str) -> str:
        return f'bound {text}'


for function in (words, later, with_context, later_with_context, nothing, Methods().bound):
    show(function.__name__, TextOutput(function))
    answered(function.__name__, TextOutput(function), 'some text')
for retries in (0, 1, 2, 3):
    answered(f'refuses {retries}', TextOutput(refuses), 'now', 'now please', retries=retries)
    answered(f'counts {retries}', TextOutput(refuses_by_count), 'x', retries=retries)
answered('fails', TextOutput(fails), 'x')
show('or a type', [TextOutput(words), Row])
answered('or a type, text', [TextOutput(words), Row], 'a b')
answered('or a type, called', [TextOutput(words), Row], ('final_result', {'n': 1}))
answered('or a type, wrong', [TextOutput(words), Row], ('final_result', {'n': 'x'}), 'c d')
show('or another', [TextOutput(words), TextOutput(later)])
answered('or text', [TextOutput(words), str], 'a b')
answered('or text, turned around', [str, TextOutput(words)], 'a b')
answered('empty', TextOutput(words), '', 'a')
