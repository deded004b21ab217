"""End strategies with an output function that refuses one of two results."""

from _common import call, run, script
from pydantic_ai import Agent, ModelRetry


def out(n: int) -> int:
    if n == 5:
        raise ModelRetry('not five')
    return n


for strategy in ('early', 'graceful', 'exhaustive'):
    for values in ((1, 5), (5, 1)):
        parts = [call('final_result', {'n': value}, str(place)) for place, value in enumerate(values)]
        run(f'{strategy} {values}', Agent(script(parts), output_type=out, end_strategy=strategy), 'q')
