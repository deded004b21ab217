"""What spans say about errors of the model, of tools, and of runs that used up their retries."""

from _common import call, script
from _instrumentation import REQUEST, trace
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import TextPart
from pydantic_ai.models.function import FunctionModel


def failing(messages, info):
    raise RuntimeError('boom')


def model_error(capabilities):
    return Agent(FunctionModel(failing), name='e', capabilities=capabilities)


def tool_error(capabilities):
    agent = Agent(script([call('t', {})]), name='e', capabilities=capabilities)

    @agent.tool_plain
    def t():
        raise ValueError('bad tool')

    return agent


def retries(capabilities):
    agent = Agent(
        script([call('t', {'n': 1})], [call('t', {'n': 'x'})], [call('zz', {})], [TextPart('ok')]),
        name='e',
        capabilities=capabilities,
        retries=4,
    )

    @agent.tool_plain
    def t(n: int):
        raise ModelRetry('again please')

    return agent


def exhausted(capabilities):
    agent = Agent(script([call('t', {'n': 1})]), name='e', capabilities=capabilities, retries=1)

    @agent.tool_plain
    def t(n: int):
        raise ModelRetry('again please')

    return agent


for version in (1, 2, 3):
    for make in (model_error, tool_error, retries, exhausted):
        trace(f'{make.__name__} {version}', make, 'x', settings={'version': version})
trace('no content', retries, 'x', settings={'include_content': False}, without=REQUEST)
