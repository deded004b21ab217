"""Runs that continue with a history, instructions that change, and metadata that a function makes."""

from _common import call, script
from _instrumentation import SETUP, trace
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, ThinkingPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

HISTORY = [
    ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart('old')], instructions='old instructions'),
    ModelResponse(parts=[ThinkingPart('hm'), TextPart('old answer')], finish_reason='stop'),
]


def plain(capabilities):
    return Agent(script([TextPart('new')]), name='h', capabilities=capabilities)


def varying(capabilities):
    agent = Agent(
        script([call('t', {})], [TextPart('k')]),
        name='h',
        capabilities=capabilities,
        metadata=lambda ctx: {'steps': ctx.run_step},
    )

    @agent.tool_plain
    def t():
        return 'r'

    @agent.instructions
    def ins(ctx: RunContext):
        return f'step {ctx.run_step}'

    return agent


def fading(capabilities):
    agent = varying(capabilities)

    @agent.instructions
    def more(ctx: RunContext):
        return None if ctx.run_step > 1 else 'first'

    return agent


for version in (1, 2):
    for make in (plain, varying, fading):
        for history in (None, HISTORY):
            trace(
                f'{make.__name__} {version} {bool(history)}',
                make,
                'x',
                message_history=history,
                settings={'version': version},
                without=SETUP,
            )


def failing(capabilities):
    def fail(messages, info):
        raise ValueError('no')

    return Agent(FunctionModel(fail), name='h', capabilities=capabilities, metadata={'a': 1}, instructions='i')


trace('failing', failing, 'x', message_history=HISTORY)
trace('without a prompt', plain, message_history=HISTORY[:1])
trace('no name', lambda capabilities: Agent(TestModel(), capabilities=capabilities), 'x', infer_name=False)
