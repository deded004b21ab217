"""Agents with deferred capabilities, models that play a script, and what these were sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stead import Agent, Tool
from stead.capabilities import Capability
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.profiles import ModelProfile

LOCAL = ModelProfile(supported_native_tools=frozenset())
"""A model without native tools; `FunctionModel` has all of them."""


@dataclass
class Script:
    """Answers requests with lists of parts, then with `done`, and keeps what it was sent."""

    steps: list[list[Any]]
    sent: list[AgentInfo] = field(default_factory=lambda: [])
    messages: list[list[ModelMessage]] = field(default_factory=lambda: [])

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append(info)
        self.messages.append(list(messages))
        place = len(self.sent) - 1
        return ModelResponse(parts=self.steps[place] if place < len(self.steps) else [TextPart('done')])

    @property
    def names(self) -> list[list[str]]:
        """The names of the tools of each request; those sent as deferred ones have a star."""
        return [[tool.name + '*' * tool.defer_loading for tool in info.function_tools] for info in self.sent]


def scripted(*steps: list[Any], local: bool = True, **options: Any) -> tuple[Agent[Any, Any], Script]:
    """Return an agent whose model plays a script."""
    script = Script(list(steps))
    return Agent(FunctionModel(script, profile=LOCAL if local else None), **options), script


def function(name: str, text: str | None = None, act: Callable[[int], Any] | None = None, **options: Any) -> Tool[Any]:
    """Return a tool that returns its argument, or what a function makes of it."""

    def tool(x: int) -> Any:
        return x if act is None else act(x)

    tool.__name__ = name
    tool.__doc__ = text or f'Does {name}.'
    return Tool(tool, **options)


def deferred(name: str, *tools: str, **options: Any) -> Capability[Any]:
    """Return a deferred capability with tools of these names."""
    options = {'description': f'About {name}.', 'instructions': f'How to {name}.', **options}
    return Capability(id=name, tools=[function(tool) for tool in tools], defer_loading=True, **options)


def load(*ids: str) -> list[ToolCallPart]:
    return [ToolCallPart('load_capability', {'id': name}, f'load_{name}') for name in ids]


def call(name: str, x: int = 1) -> list[ToolCallPart]:
    return [ToolCallPart(name, {'x': x}, f'{name}_id')]


def search(*queries: str) -> list[ToolCallPart]:
    return [ToolCallPart('search_tools', {'queries': list(queries)}, 'search')]


def parts(messages: list[ModelMessage], kind: type[Any]) -> list[Any]:
    """Return the parts of a kind, in order."""
    return [part for message in messages for part in message.parts if isinstance(part, kind)]
