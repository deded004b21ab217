"""What the cases on agent specs share."""

import warnings
from dataclasses import dataclass, field
from typing import Any

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

OWN = ('ToolSearch', 'PendingMessageDrainCapability')


def build(spec, **options):
    """The agent of a spec, with the test model."""
    return Agent.from_spec({'model': 'test', **spec}, **options)


def capabilities(agent):
    """The capabilities of an agent, without those that every agent has."""
    return [item for item in agent.root_capability.capabilities if type(item).__name__ not in OWN]


def show(name, function):
    """Print what a function returns, or that it refuses; and what kinds of warnings it gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            value = function()
        except Exception as error:
            value = (
                'refused' if isinstance(error, (ValueError, TypeError, RuntimeError, AttributeError)) else repr(error)
            )
    fact(name, value)
    for warning in caught:
        print('   warning', warning.category.__name__)


def seen(agent, **options):
    """Run an agent, and return what the model got."""
    requests = []

    def answer(messages, info):
        tools = [(tool.name, tool.metadata) for tool in info.function_tools]
        requests.append([info.instructions, info.model_settings, tools, [tool.name for tool in info.output_tools]])
        return ModelResponse(parts=[TextPart('fine')])

    options.setdefault('model', FunctionModel(answer))
    result = agent.run_sync('x', **options)
    return [*requests, result.metadata, repr(result.output)]


@dataclass
class RateLimit(AbstractCapability[Any]):
    rpm: int = 60


@dataclass
class Needs(AbstractCapability[Any]):
    words: list[str] = field(default_factory=list)
    own: Any = None

    @classmethod
    def from_spec(cls, words: list[str], *, more: bool = False):
        return cls(words=words, own=('from spec', more))


@dataclass
class Renamed(AbstractCapability[Any]):
    size: int = 1

    @classmethod
    def get_serialization_name(cls):
        return 'renamed'


@dataclass
class NotForSpecs(AbstractCapability[Any]):
    @classmethod
    def get_serialization_name(cls):
        return None


@dataclass
class Broken(AbstractCapability[Any]):
    def __post_init__(self):
        raise RuntimeError('boom')
