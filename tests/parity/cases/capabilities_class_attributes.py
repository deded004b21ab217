"""`id`, `description` and `defer_loading` in the bodies of capability classes: plain ones, dataclasses, and in between."""

from dataclasses import dataclass

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, Capability, Hooks, Thinking, WebSearch, WrapperCapability
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel


class Plain(AbstractCapability):
    id = 'mine'
    description = 'what it is for'
    defer_loading = True

    def get_instructions(self):
        return 'Instructions.'


class OwnConstructor(AbstractCapability):
    id = 'mine'
    description = 'what it is for'
    defer_loading = True

    def __init__(self, x=1):
        self.x = x


class Calling(OwnConstructor):
    def __init__(self, x=1):
        AbstractCapability.__init__(self)
        self.x = x


class Annotated(AbstractCapability):
    id: str | None = 'mine'
    description: str | None = 'what it is for'
    defer_loading: bool = True


class Inherited(Plain):
    pass


class Renamed(Plain):
    id = 'other'


class Computed(AbstractCapability):
    @property
    def id(self):
        return 'computed'


@dataclass
class Data(AbstractCapability):
    id = 'mine'
    defer_loading = True


@dataclass
class AnnotatedData(AbstractCapability):
    id: str | None = 'mine'
    description: str | None = 'what it is for'
    defer_loading: bool = True


@dataclass
class DataOfPlain(Plain):
    x: int = 1


class PlainOfData(AnnotatedData):
    id = 'later'


class OfThinking(Thinking):
    id = 'mine'


class OfCapability(Capability):
    id = 'mine'


class OfHooks(Hooks):
    id = 'mine'


class OfWebSearch(WebSearch):
    id = 'mine'


class Wrapper(WrapperCapability):
    id = 'wrapper'


def show(name, build):
    try:
        capability = build()
        fact(name, [capability.id, capability.description, capability.defer_loading])
    except Exception as error:
        fact(name, type(error).__name__)


for kind in (
    Plain,
    OwnConstructor,
    Calling,
    Annotated,
    Inherited,
    Renamed,
    Computed,
    Data,
    AnnotatedData,
    DataOfPlain,
    PlainOfData,
    OfThinking,
    OfCapability,
    OfHooks,
    OfWebSearch,
):
    show(kind.__name__, kind)
for kind in (Data, AnnotatedData, DataOfPlain, PlainOfData, OfHooks):
    show(f'{kind.__name__} with an id', lambda: kind(id='passed'))
    show(f'{kind.__name__} not deferred', lambda: kind(defer_loading=False, description='passed'))
for kind in (Plain, Data, Thinking):
    show(f'wrapped {kind.__name__}', lambda: Wrapper(kind()))


def answer(messages, info):
    fact('sent', [info.instructions, [tool.name for tool in info.function_tools]])
    return ModelResponse(parts=[TextPart('done')])


Agent(FunctionModel(answer), capabilities=[Plain()]).run_sync('hi')
Agent(FunctionModel(answer), capabilities=[Renamed(), Plain(), AnnotatedData(id='data')]).run_sync('hi')
