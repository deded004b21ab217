"""A final result beside a tool that fails, runs out of retries or does not exist."""

from _common import M, call, fails, run, script
from pydantic_ai import Agent, ModelRetry


def boom():
    raise ModelRetry('tool retry')


parts = [call('final_result', {'n': 1}, '1'), call('boom', {}, '2')]
run('retry', Agent(script(parts), output_type=M, end_strategy='exhaustive', tools=[boom]), 'q')
fails('exceeded', Agent(script(parts), output_type=M, end_strategy='exhaustive', tools=[boom], retries=0), 'q')
fails('unknown', Agent(script([parts[0], call('nope', {}, '2')]), output_type=M, retries=0), 'q')
