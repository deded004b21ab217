"""What the messages have of a turn that failed."""

import warnings

from _common import fact
from pydantic_ai import Agent, ModelRetry, capture_run_messages
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

warnings.simplefilter('ignore')


def show(name, agent):
    with capture_run_messages() as messages:
        try:
            agent.run_sync('go')
        except Exception as error:
            fact(name, type(error).__name__)
    fact(name, [[type(message).__name__, [type(part).__name__ for part in message.parts]] for message in messages])
    fact(name, [(message.state, message.metadata) for message in messages if isinstance(message, ModelResponse)][-1:])


both = Agent(TestModel(), retries={'tools': 0, 'output': 0})


@both.tool_plain
def fails(x: int) -> int:
    raise ModelRetry('no')


@both.tool_plain
def fine() -> int:
    return 1


show('one of two', both)
boom = Agent(FunctionModel(lambda messages, info: ModelResponse(parts=[ToolCallPart('boom', {}, 'c1')])))


@boom.tool_plain(name='boom')
def explode():
    raise ValueError('x')


show('raised', boom)
