"""Retries of specs, under new and old names, and how arguments go over them."""

from _common import call, script
from _spec import build, show
from pydantic_ai import ModelRetry
from pydantic_ai.messages import TextPart


def budgets(spec, **over):
    """How often a failing tool, and a failing output, are tried."""
    counts = {'tool': 0, 'output': 0}
    agent = build(spec, **over)

    @agent.tool_plain
    def fail():
        counts['tool'] += 1
        raise ModelRetry('again')

    @agent.output_validator
    def refuse(output):
        counts['output'] += 1
        raise ModelRetry('again')

    for model in (script([call('fail', {})]), script([TextPart('x')])):
        try:
            agent.run_sync('x', model=model)
        except Exception:
            pass
    return counts


for spec in (
    {},
    {'retries': 3},
    {'retries': {'tools': 4}},
    {'retries': {'output': 5}},
    {'tool_retries': 3},
    {'output_retries': 4},
    {'tool_retries': 2, 'output_retries': 4},
):
    for over in ({}, {'retries': 2}, {'retries': {'output': 3}}, {'retries': {'tools': 0}}):
        if over and 'retries' not in spec:
            continue
        show(f'{spec} {over}', lambda: budgets(spec, **over))
