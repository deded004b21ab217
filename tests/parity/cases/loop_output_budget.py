"""The budget of retries for outputs: calls of tools in between do not reset it."""

from _common import M, call, fact, run, script
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import TextPart


def z():
    return 1


bad, good = [call('final_result', {'n': 'x'})], [call('final_result', {'n': 1})]
agent = Agent(script(bad, [call('z', {})], bad, good), output_type=M, tools=[z])
run('budget of a tool', agent, 'q')
agent, seen = Agent(script(bad, [call('z', {})], bad, good), output_type=M, tools=[z], retries={'output': 3}), []


@agent.output_validator
def check(ctx: RunContext, output: M) -> M:
    seen.append((ctx.retry, ctx.max_retries, ctx.tool_name, ctx.tool_call_id))
    return output


agent.run_sync('q')
fact('seen', seen)
agent = Agent(script([TextPart('a')], [call('z', {})], [TextPart('a')], [TextPart('b')]), tools=[z])


@agent.output_validator
def only_b(output: str) -> str:
    if output != 'b':
        raise ModelRetry('x')
    return output


run('budget of text', agent, 'q')
