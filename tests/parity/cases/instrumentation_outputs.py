"""Spans of output functions; outputs without a function have none."""

from _common import M, N, call, script
from _instrumentation import REQUEST, trace
from pydantic_ai import Agent, ModelRetry, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.messages import TextPart


def numbers(n: int) -> str:
    """Do it."""
    if n == 3:
        raise ModelRetry('not 3')
    if n == 5:
        raise ValueError('five')
    return f'out{n}'


def model(m: M) -> str:
    return f'out{m.n}'


def text(value: str) -> int:
    return len(value)


CASES = {
    'function': ({'output_type': numbers}, [[call('final_result', {'n': 1})]]),
    'retry': ({'output_type': numbers}, [[call('final_result', {'n': 3})], [call('final_result', {'n': 4})]]),
    'error': ({'output_type': numbers}, [[call('final_result', {'n': 5})]]),
    'named': ({'output_type': [ToolOutput(model, name='mm'), N]}, [[call('mm', {'n': 5})]]),
    'text function': ({'output_type': TextOutput(text)}, [[TextPart('hello')]]),
    'prompted function': ({'output_type': PromptedOutput(model)}, [[TextPart('{"n": 3}')]]),
    'no function': ({'output_type': M}, [[call('final_result', {'n': 5})]]),
    'list': ({'output_type': list[int]}, [[call('final_result', {'response': [1, 2]})]]),
    'text': ({}, [[TextPart('hello')]]),
}
for title, (options, responses) in CASES.items():
    for settings in ({'version': 2}, {'version': 3}, {'version': 2, 'include_content': False}):
        trace(
            f'{title} {settings}',
            lambda capabilities: Agent(script(*responses), name='o', capabilities=capabilities, **options),
            'x',
            settings=settings,
            without=REQUEST,
        )
