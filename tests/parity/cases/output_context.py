"""What an output function and a validator can see of the run."""

from _common import call, fact, script
from _output import PROMPTED, scripted
from pydantic_ai import Agent, ModelRetry, PromptedOutput, RunContext, TextOutput

NAMES = (
    'tool_name',
    'tool_call_id',
    'retry',
    'max_retries',
    'run_step',
    'retries',
    'partial_output',
    'tool_call_approved',
    'deps',
    'prompt',
)


def look(ctx, who):
    fact(who, [getattr(ctx, name) for name in NAMES] + [len(ctx.messages), ctx.usage.requests])


def number(ctx: RunContext[str], n: int) -> int:
    look(ctx, 'function')
    if ctx.retry < 1:
        raise ModelRetry('again')
    return n


def text(ctx: RunContext[str], answer: str) -> str:
    look(ctx, 'text function')
    if ctx.retry < 1:
        raise ModelRetry('again')
    return answer


for name, output, model in (
    ('tool', number, script([call('final_result', {'n': 1})])),
    ('prompted', PromptedOutput(number), scripted(['{"n": 1}'], PROMPTED)),
    ('text', TextOutput(text), scripted(['words'])),
    ('after a tool', number, script([call('helper', {})], [call('final_result', {'n': 1})])),
    ('beside a tool', number, script([call('helper', {}), call('final_result', {'n': 1})])),
    (
        'after a failing tool',
        number,
        script([call('broken', {})], [call('broken', {})], [call('final_result', {'n': 1})]),
    ),
):
    print('==', name)
    agent = Agent(model, output_type=output, retries=3, deps_type=str)

    @agent.tool
    def helper(ctx: RunContext[str]) -> str:
        look(ctx, 'helper')
        return 'x'

    @agent.tool
    def broken(ctx: RunContext[str]) -> str:
        look(ctx, 'broken')
        raise ModelRetry('no')

    @agent.output_validator
    def check(ctx: RunContext[str], value):
        look(ctx, 'validator')
        if ctx.retry < 2:
            raise ModelRetry('once more')
        return value

    result = agent.run_sync('hi', deps='d')
    fact('output', result.output)
    fact('usage', [result.usage.requests, result.usage.tool_calls])
