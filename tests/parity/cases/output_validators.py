"""Output validators: their order, what they change, and how they refuse, in each mode."""

from _common import run
from _output import NATIVE, PROMPTED, scripted
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, TextOutput


class Row(BaseModel):
    n: int


def size(text: str) -> int:
    return len(text)


def double(n: int) -> int:
    return n * 2


CASES = {
    'text': (str, None, 'a', 'bb'),
    'function of text': (TextOutput(size), None, 'a', 'bb'),
    'tool': (Row, None, ('final_result', {'n': 1}), ('final_result', {'n': 2})),
    'number': (int, None, ('final_result', {'response': 1}), ('final_result', {'response': 2})),
    'function': (double, None, ('final_result', {'n': 1}), ('final_result', {'n': 2})),
    'prompted': (PromptedOutput(Row), PROMPTED, '{"n": 1}', '{"n": 2}'),
    'native': (NativeOutput(Row), NATIVE, '{"n": 1}', '{"n": 2}'),
    'union': ([Row, int], None, ('final_result_Row', {'n': 1}), ('final_result_int', {'response': 2})),
}
for name, (output, profile, *answers) in CASES.items():
    for retries in (0, 1, 2):
        agent = Agent(scripted(answers, profile), output_type=output, retries=retries)
        agent.output_validator(lambda value: value)

        @agent.output_validator
        def first(ctx: RunContext[None], value):
            print(
                '   first', repr(value), ctx.tool_name, ctx.tool_call_id, ctx.retry, ctx.max_retries, ctx.partial_output
            )
            if ctx.retry == 0:
                raise ModelRetry(f'not {value!r}')
            return value

        @agent.output_validator
        async def second(value):
            print('   second', repr(value))
            return [value]

        run(f'{name} {retries}', agent, 'hi')


def failing(value: str) -> str:
    raise ValueError('mine')


agent = Agent(scripted(['a']))
agent.output_validator(failing)
run('fails', agent, 'hi')
agent = Agent(scripted(['a']))
agent.output_validator(lambda value: None)
run('nothing', agent, 'hi')
