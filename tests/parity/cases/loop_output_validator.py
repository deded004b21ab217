"""An output validator that asks for a retry, and what its context says."""

from _common import fact, run, script
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import TextPart

agent = Agent(script([TextPart('a')], [TextPart('b')], [TextPart('c')]))


@agent.output_validator
def check(ctx: RunContext, output: str) -> str:
    fact('validator', [output, ctx.retry, ctx.max_retries, ctx.partial_output, ctx.run_step, ctx.tool_name])
    if output != 'b':
        raise ModelRetry('not b')
    return output + '!'


run('validator', agent, 'hi')
