"""`output_json_schema` for each form of output type, of the agent and of a run."""

from typing import Literal, Optional, Union

from _common import M, N, attempt, fact
from pydantic_ai import Agent, NativeOutput, PromptedOutput, RunContext, TextOutput, ToolOutput


def function(n: int, s: str = 'x') -> bool:
    """A function."""
    return True


def with_context(ctx: RunContext, m: M) -> str:
    return 'x'


def shout(text: str) -> str:
    return text.upper()


TYPES = {
    'str': str,
    'int': int,
    'model': M,
    'union': Union[M, N],
    'list': [M, N],
    'with_str': [str, M],
    'optional': Optional[M],
    'literal': Literal['a', 'b'],
    'lists': list[M],
    'mapping': dict[str, int],
    'function': function,
    'functions': [function, with_context],
    'tool': ToolOutput(M, name='m', description='d'),
    'tools': [ToolOutput(M, name='m'), ToolOutput(N, name='n')],
    'native': NativeOutput(M),
    'native_two': NativeOutput([M, N]),
    'prompted': PromptedOutput(M),
    'text': TextOutput(shout),
    'boolean': bool,
}
for name, output_type in TYPES.items():
    fact(name, attempt(lambda: Agent('test', output_type=output_type).output_json_schema()))
    fact(
        'of the run',
        attempt(lambda: Agent('test').output_json_schema(output_type))
        == attempt(lambda: Agent('test', output_type=output_type).output_json_schema()),
    )
