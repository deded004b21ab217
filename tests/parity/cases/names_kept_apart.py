"""What stead shows of its classes in another way: where they are, what their names are, what warns, and what may be one."""

from __future__ import annotations

import warnings
from typing import Any

from pydantic_ai import Agent, BinaryImage
from pydantic_ai.agent.spec import get_capability_registry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models.openai import OpenAIChatModelSettings
from pydantic_ai.settings import ModelSettings


class Plain(AbstractCapability[Any]):
    """A capability that is not a dataclass."""


def attempt(label: str, call: Any) -> None:
    try:
        print(label, call())
    except Exception as error:
        print(label, type(error).__name__)


def processors() -> str:
    agent: Any = Agent('test', history_processors=[lambda messages: messages])
    shown = len(agent.history_processors)
    agent.history_processors = []
    return f'{shown} {len(agent.history_processors)}'


def warned(code: str) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        exec(code, {})
    return sorted({warning.category.__name__ for warning in caught})


warnings.simplefilter('ignore')
print('BinaryImage', BinaryImage.__module__.rpartition('.')[0] in ('pydantic_ai', 'stead'))
attempt('not a dataclass', lambda: 'Plain' in get_capability_registry(custom_types=(Plain,)))
attempt('history_processors', processors)
result: Any = Agent('test').run_sync('x')
print('called', type(result.timestamp()).__name__, type(result.usage()).__name__)
own = set(OpenAIChatModelSettings.__annotations__) - set(ModelSettings.__annotations__)
print('settings', sorted(name for name in own if not name.startswith('openai_')))
print('graph', warned('from pydantic_graph.beta import GraphBuilder'))
