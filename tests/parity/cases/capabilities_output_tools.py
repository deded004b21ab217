"""Which hooks see the calls of output tools, beside those of function tools; strategies, several outputs, invalid ones."""

import asyncio

from _hooks import Out
from pydantic_ai import Agent, ModelRetry, ToolOutput
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

log = []


def noted(name):
    async def hook(self, ctx, *, call=None, tool_def=None, output_context=None, **options):
        what = call or (output_context and output_context.tool_call)
        log.append(
            f'{name} {what.tool_name if what else "text"}{" output" if tool_def and tool_def.kind == "output" else ""}'
        )
        if 'handler' in options:
            return await options['handler'](options.get('args', options.get('output')))
        if 'error' in options:
            raise options['error']
        return next(options[key] for key in ('result', 'output', 'args') if key in options)

    return hook


POINTS = ('tool_validate', 'tool_execute', 'output_validate', 'output_process')
HOOKS = [
    name for point in POINTS for name in (f'before_{point}', f'wrap_{point}', f'after_{point}', f'on_{point}_error')
]
Sees = type('Sees', (AbstractCapability,), {name: noted(name) for name in HOOKS})


def doubled(n: int) -> int:
    return n * 2


def refuses(n: int) -> int:
    if n < 5:
        raise ModelRetry('too small')
    return n


def give(n, call_id='o1', name='final_result'):
    return ToolCallPart(name, {'n': n}, call_id)


STEP = ToolCallPart('step', {'x': 1}, 's1')
CASES = {
    'alone': (Out, [[give(1)]], {}),
    'after a tool': (Out, [[STEP], [give(1)]], {}),
    'beside a tool, early': (Out, [[STEP, give(1)]], {'end_strategy': 'early'}),
    'before a tool, exhaustive': (Out, [[give(1), STEP]], {'end_strategy': 'exhaustive'}),
    'before a tool, graceful': (Out, [[give(1), STEP]], {'end_strategy': 'graceful'}),
    'two outputs, early': (Out, [[give(1), give(2, 'o2')]], {}),
    'two outputs, exhaustive': (Out, [[give(1), give(2, 'o2')]], {'end_strategy': 'exhaustive'}),
    'invalid, then valid': (Out, [[give('no')], [give(1, 'o2')]], {}),
    'invalid beside valid': (Out, [[give('no'), give(1, 'o2')]], {}),
    'function': (doubled, [[give(4)]], {}),
    'function that refuses': (refuses, [[give(4)], [give(5, 'o2')]], {}),
    'named': ([ToolOutput(Out, name='one'), ToolOutput(doubled, name='two')], [[give(3, name='two')]], {}),
    'text': (str, [[TextPart('hello')]], {}),
    'text beside a tool': (str, [[TextPart('wait'), STEP], [TextPart('hello')]], {}),
    'unknown tool': (Out, [[ToolCallPart('nothing', {}, 'u1')], [give(1)]], {}),
}
for label, (output_type, responses, options) in CASES.items():
    log.clear()
    left = list(responses)
    agent = Agent(
        FunctionModel(lambda messages, info: ModelResponse(parts=left.pop(0))),
        output_type=output_type,
        capabilities=[Sees()],
        **options,
    )

    @agent.tool_plain
    def step(x: int) -> int:
        return x

    try:
        print(label, repr(asyncio.run(agent.run('hi')).output))
    except Exception as error:
        print(label, type(error).__name__)
    for line in log:
        print('   ', line)
