"""End strategies where an output call is invalid, beside tools and beside a valid one."""

from _common import M, call, run, script
from pydantic_ai import Agent


def x(a: int) -> str:
    return 'r'


for strategy in ('early', 'graceful', 'exhaustive'):
    bad = call('final_result', {'n': 'bad'}, 'f1')
    run(
        f'{strategy} bad, tool',
        Agent(
            script([bad, call('x', {'a': 1})], [call('final_result', {'n': 1})]),
            output_type=M,
            end_strategy=strategy,
            tools=[x],
        ),
        'hi',
    )
    run(
        f'{strategy} bad, good',
        Agent(script([bad, call('final_result', {'n': 4}, 'f2')]), output_type=M, end_strategy=strategy),
        'hi',
    )
    run(
        f'{strategy} good, bad',
        Agent(script([call('final_result', {'n': 4}, 'f2'), bad]), output_type=M, end_strategy=strategy),
        'hi',
    )
run('no retries', Agent(script([bad, call('final_result', {'n': 4}, 'f2')]), output_type=M, retries=0), 'hi')
