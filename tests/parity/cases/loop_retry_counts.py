"""What the context says of retries, for each way to set their number."""

from _common import attempt, call, fact, script
from pydantic_ai import Agent, ModelRetry, RunContext

for retries in (None, 0, 3, {'tools': 2}, {'output': 2}, {'tools': 2, 'output': 3}):
    agent, seen = Agent(script([call('y', {})]), retries=retries), []

    @agent.tool
    def y(ctx: RunContext):
        seen.append((ctx.retry, ctx.max_retries, ctx.last_attempt, ctx.tool_name, ctx.run_step, dict(ctx.retries)))
        raise ModelRetry('n')

    fact(str(retries), [attempt(lambda: agent.run_sync('hi')), seen])
