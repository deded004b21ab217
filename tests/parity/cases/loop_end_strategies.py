"""End strategies: which calls beside a final result are executed, in either order."""

from _common import M, call, run, script
from pydantic_ai import Agent


def x(a: int) -> str:
    return 'r'


for strategy in ('early', 'graceful', 'exhaustive'):
    for turned in (False, True):
        parts = [
            call('final_result', {'n': 3}, 'f1'),
            call('x', {'a': 1}),
            call('final_result', {'n': 4}, 'f2'),
            call('nope', {}),
            call('x', {'a': 'bad'}, 'x2'),
        ]
        if turned:
            parts.reverse()
        run(f'{strategy} {turned}', Agent(script(parts), output_type=M, end_strategy=strategy, tools=[x]), 'hi')
