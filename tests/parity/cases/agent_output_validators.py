"""Output validators: their order and context, retries they ask for, other output types, and the `exhaustive` strategy."""

from _common import M, attempt, call, fact, run, script
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import TextPart

log = []


def watched(agent):
    @agent.output_validator
    def first(value):
        log.append(['first', repr(value)])
        return value

    @agent.output_validator
    async def second(ctx: RunContext, value):
        log.append(
            ['second', ctx.retry, ctx.max_retries, ctx.last_attempt, ctx.run_step, ctx.tool_name, ctx.partial_output]
        )
        if ctx.retry < 2:
            raise ModelRetry(f'again {ctx.retry}')
        return [value]

    return agent


run('text', watched(Agent(script([TextPart('a')]), retries=2)), 'q')
run('tool', watched(Agent(script([call('final_result', {'n': 1})]), output_type=M, retries=2)), 'q')
run('too few', watched(Agent(script([call('final_result', {'n': 1})]), output_type=M, retries=1)), 'q')


def function(n: int) -> int:
    return n * 10


run('function', watched(Agent(script([call('final_result', {'n': 1})]), output_type=function, retries=2)), 'q')
for line in log:
    fact('log', line)
agent = watched(Agent('test'))
fact('other type', attempt(lambda: agent.run_sync('q', output_type=int)))
changing = Agent(
    script([call('final_result', {'n': 1}), call('final_result', {'n': 2}, 'second')]),
    output_type=M,
    end_strategy='exhaustive',
)


@changing.output_validator
def change(value):
    return M(n=value.n + 100)


run('exhaustive', changing, 'q')
