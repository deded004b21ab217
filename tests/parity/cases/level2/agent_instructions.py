"""Instructions that are texts: each is a block in 2.x, after a blank line, and those of the agent are one block."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset


class Adds(AbstractCapability[Any]):
    def __init__(self, *texts: Any) -> None:
        self.texts = texts

    def get_instructions(self) -> Any:
        return self.texts[0] if len(self.texts) == 1 else [*self.texts]


def dynamic() -> str:
    return ' dyn '


def nothing() -> None:
    return None


def show(name: str, agent: Agent[Any, str], within: AbstractContextManager[Any] | None = None, **options: Any) -> None:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = info.model_request_parameters.instruction_parts or []
        print(name, [(part.content, part.dynamic) for part in parts], repr(info.instructions))
        return ModelResponse(parts=[TextPart('done')])

    with within or nullcontext():
        result = agent.run_sync('q', model=FunctionModel(model), **options)
    print(' ', repr(getattr(result.all_messages()[0], 'instructions', None)))


for texts in (['a'], ['a', 'b'], [' a ', 'b\n', '\nc'], ['a', '', ' ', 'b'], 'a\n\nb\n', [' '], []):
    show(str(texts), Agent(instructions=texts))
show('functions', Agent(instructions=[dynamic, 'a', nothing, 'b', dynamic]))
show('a capability', Agent(instructions=['a', 'b'], capabilities=[Adds('k', 'l', dynamic), Adds(' m ')]))
show('only that', Agent(capabilities=[Adds('k', 'l')]))
show('a run', Agent(instructions=['a', 'b']), instructions=['c ', ' ', 'd', dynamic])
show('all', Agent(instructions=['a'], capabilities=[Adds('k')]), instructions='r', capabilities=[Adds('c')])
show('a toolset', Agent(instructions=['a'], toolsets=[FunctionToolset(instructions=['t', 'u'])]), instructions='r')
overridden = Agent[Any, str](instructions=['a'], capabilities=[Adds('k')])
show('override', overridden, overridden.override(instructions=['c', 'd', dynamic]), instructions='r')
show('of nothing', overridden, overridden.override(instructions=[]))
