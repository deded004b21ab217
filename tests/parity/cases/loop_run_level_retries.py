"""Retries set for a run and by an override."""

from _common import attempt, fact, script
from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.messages import TextPart

for kwargs in ({'retries': 2}, {'retries': {'output': 1}}, {'retries': {'tools': 1}}):
    agent, seen = Agent(script([TextPart('x')]), retries=3), []

    @agent.output_validator
    def check(ctx: RunContext, output: str) -> str:
        seen.append((ctx.retry, ctx.max_retries))
        raise ModelRetry('n')

    fact(str(kwargs), [attempt(lambda: agent.run_sync('hi', **kwargs)), seen])
    seen.clear()

    def overridden():
        with agent.override(**kwargs):
            agent.run_sync('hi')

    fact('override ' + str(kwargs), [attempt(overridden), seen])
