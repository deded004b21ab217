"""How retries of a tool are counted: successes, other tools, text and invalid arguments in between."""

from _common import M, call, script
from _execution import logged, note
from pydantic_ai import Agent, ModelRetry, RunContext, Tool
from pydantic_ai.messages import TextPart


def shaky(*bad, name='t', **options):
    """A tool that fails in the calls of these numbers."""
    count = 0

    async def tool(ctx: RunContext, n: int = 0):
        nonlocal count
        count += 1
        note([ctx.tool_name, ctx.tool_call_id, ctx.retry, ctx.run_step, dict(sorted(ctx.retries.items()))])
        if count in bad:
            raise ModelRetry('again')
        return count

    return Tool(tool, name=name, **options)


def steps(*responses, **options):
    return Agent(script(*responses, [TextPart('done')]), **options)


CALL_T, CALL_U = call('t', {}), call('u', {})
logged('a success in between', steps([CALL_T], [CALL_T], [CALL_T], [CALL_T], tools=[shaky(1, 3)]))
logged('twice in a row', steps([CALL_T], [CALL_T], [CALL_T], tools=[shaky(1, 2)]))
logged('another tool in between', steps([CALL_T], [CALL_U], [CALL_T], [CALL_T], tools=[shaky(1, 2), shaky(name='u')]))
logged('the other fails', steps([CALL_T], [CALL_U], [CALL_T], tools=[shaky(1), shaky(1, name='u')]))
logged('both in turn', steps([CALL_T], [CALL_U], [CALL_T], [CALL_U], tools=[shaky(1, 2), shaky(1, 2, name='u')]))
logged(
    'text in between',
    Agent(
        script([CALL_T], [TextPart('no')], [CALL_T], [call('final_result', {'n': 1})]),
        output_type=M,
        tools=[shaky(1, 2)],
        retries={'output': 3},
    ),
)
pair = [call('t', {}, '1'), call('t', {}, '2')]
logged('two calls, one fails', steps(pair, pair, tools=[shaky(1, 3)]), retries=1)
with Agent.parallel_tool_call_execution_mode('sequential'):
    logged('two calls, both fail', steps(pair, pair, tools=[shaky(1, 2)]))
    logged('two calls, both fail, none left', steps(pair, tools=[shaky(1, 2, max_retries=0)]))
wrong = call('t', {'n': 'x'})
logged('wrong arguments, then a retry', steps([wrong], [CALL_T], tools=[shaky(1)]))
logged('wrong arguments twice', steps([wrong], [wrong], tools=[shaky()]))
logged('wrong arguments and a success', steps([wrong], [CALL_T], [wrong], [CALL_T], tools=[shaky()]))
logged(
    'wrong and right at once', steps([call('t', {'n': 'x'}, '1'), call('t', {'n': 2}, '2')], [CALL_T], tools=[shaky()])
)
