"""Typed calls and returns of the framework's own tools: tool search and loading of capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any, Literal, Union

from pydantic import TypeAdapter, ValidationError
from typing_extensions import NotRequired, TypedDict

from .._kit.ids import generate_tool_call_id
from .tool_parts import (
    NativeToolCallPart,
    NativeToolReturnPart,
    ToolCallPart,
    ToolPartKind,
    ToolReturnContent,
    ToolReturnPart,
)


class ToolSearchArgs(TypedDict):
    """Arguments of a tool search."""

    queries: list[str]
    """What is looked for."""


class ToolSearchMatch(TypedDict):
    """A tool that a search found."""

    name: str
    """The name of the tool."""
    description: NotRequired[Union[str, None]]
    """What it does."""


class ToolSearchReturnContent(TypedDict):
    """What a tool search returns."""

    discovered_tools: list[ToolSearchMatch]
    """The tools that were found."""
    message: NotRequired[Union[str, None]]
    """A note for the model, for example that nothing was found."""


class LoadCapabilityArgs(TypedDict):
    """Arguments of `load_capability`."""

    id: str
    """The id of the capability."""


class LoadCapabilityReturnContent(TypedDict):
    """What `load_capability` returns."""

    instructions: NotRequired[Union[str, None]]
    """The instructions of the capability."""


_adapters: dict[str, TypeAdapter[Any]] = {}


def _adapter(name: str, form: Any) -> TypeAdapter[Any]:
    if name not in _adapters:
        _adapters[name] = TypeAdapter(form)
    return _adapters[name]


def _typed_args(part: ToolCallPart | NativeToolCallPart, form: Any) -> Any:
    """Return the arguments of a call in a form, or `None` if they do not have it; models may send anything."""
    try:
        return _adapter(form.__name__, form).validate_python(part.args_as_dict())
    except ValidationError:
        return None


class _SearchCall:
    @property
    def typed_args(self) -> ToolSearchArgs | None:
        """The arguments, or `None` while they are incomplete or wrong."""
        return _typed_args(self, ToolSearchArgs)  # type: ignore[arg-type]

    @property
    def queries(self) -> list[str]:
        """What is looked for."""
        args = self.typed_args
        return args['queries'] if args is not None else []


class _SearchReturn:
    content: Any

    @property
    def discovered_tools(self) -> Sequence[ToolSearchMatch]:
        """The tools that were found."""
        return self.content.get('discovered_tools', [])

    @property
    def message(self) -> str | None:
        """A note for the model."""
        return self.content.get('message')


@dataclass(repr=False)
class ToolSearchCallPart(_SearchCall, ToolCallPart):
    """A call of the local tool search."""

    tool_name: str = 'search_tools'
    args: Union[str, dict[str, Any], None] = None
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False)
class ToolSearchReturnPart(_SearchReturn, ToolReturnPart):
    """What the local tool search found."""

    tool_name: str = 'search_tools'
    content: ToolReturnContent = field(kw_only=True)
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False)
class NativeToolSearchCallPart(_SearchCall, NativeToolCallPart):
    """A call of the provider's tool search."""

    tool_name: str = 'tool_search'
    args: Union[str, dict[str, Any], None] = None
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False)
class NativeToolSearchReturnPart(_SearchReturn, NativeToolReturnPart):
    """What the provider's tool search found."""

    tool_name: str = 'tool_search'
    content: ToolReturnContent = field(kw_only=True)
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False)
class LoadCapabilityCallPart(ToolCallPart):
    """A call that loads a deferred capability."""

    tool_name: str = field(default='load_capability', kw_only=True)
    args: Union[str, dict[str, Any], None] = field(default=None, kw_only=True)
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    _: KW_ONLY
    tool_kind: Literal['capability-load'] = 'capability-load'  # type: ignore[assignment]

    @property
    def typed_args(self) -> LoadCapabilityArgs | None:
        """The arguments, or `None` while they are incomplete or wrong."""
        return _typed_args(self, LoadCapabilityArgs)

    @property
    def capability_id(self) -> str | None:
        """The id of the capability."""
        args = self.typed_args
        return args['id'] if args is not None else None


@dataclass(repr=False)
class LoadCapabilityReturnPart(ToolReturnPart):
    """What loading a capability came to: its instructions."""

    tool_name: str = field(default='load_capability', kw_only=True)
    content: ToolReturnContent = field(kw_only=True)
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    _: KW_ONLY
    tool_kind: Literal['capability-load'] = 'capability-load'  # type: ignore[assignment]

    @property
    def instructions(self) -> str | None:
        """The instructions of the capability."""
        return self.content.get('instructions') if isinstance(self.content, dict) else None  # type: ignore[reportUnknownVariableType]


# Which class a part becomes by its base and kind, and the form that its payload must have.
_TYPED: dict[tuple[type, ToolPartKind], tuple[type, Any]] = {
    (ToolCallPart, 'tool-search'): (ToolSearchCallPart, ToolSearchArgs),
    (ToolReturnPart, 'tool-search'): (ToolSearchReturnPart, ToolSearchReturnContent),
    (NativeToolCallPart, 'tool-search'): (NativeToolSearchCallPart, ToolSearchArgs),
    (NativeToolReturnPart, 'tool-search'): (NativeToolSearchReturnPart, ToolSearchReturnContent),
    (ToolCallPart, 'capability-load'): (LoadCapabilityCallPart, LoadCapabilityArgs),
    (ToolReturnPart, 'capability-load'): (LoadCapabilityReturnPart, LoadCapabilityReturnContent),
}


def narrow(part: Any, tool_kind: ToolPartKind | None = None) -> Any:
    """Return a part as the typed part for its kind, or as it is if there is none.

    Raises:
        ValidationError: An object among the arguments or the result is not of the typed part's form.
    """
    kind = tool_kind or part.tool_kind
    if kind is None or (type(part), kind) not in _TYPED:
        return part
    cls, form = _TYPED[type(part), kind]
    values = {item.name: getattr(part, item.name) for item in fields(part)}
    payload = values['args'] if 'args' in values else values['content']
    if not ('args' in values and (payload is None or isinstance(payload, str))):
        _adapter(form.__name__, form).validate_python(payload)
    return cls(**{**values, 'tool_kind': kind})


def narrow_stored(part: Any) -> Any:
    """Return a stored part as its typed part where it fits, and as it is where it does not: history is untrusted."""
    if part.tool_kind is None:
        return part
    try:
        return narrow(part)
    except ValidationError:
        return part
