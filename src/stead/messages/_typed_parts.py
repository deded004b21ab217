"""Typed calls and returns of the tools of the framework: tool search and loading of capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, Union, cast

from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import NotRequired, TypedDict

from .._kit.ids import generate_tool_call_id
from .._kit.json_types import JsonObject
from ..exceptions import UserError
from ._tool_kinds import args_of_kind, parse_tool_kind
from ._tool_parts import (
    TYPED_PARTS,
    BaseToolCallPart,
    NativeToolCallPart,
    NativeToolReturnPart,
    ToolCallPart,
    ToolReturnPart,
)

_LATER = ConfigDict(defer_build=True, extra='allow')

SearchToolsName = Literal['search_tools']
SEARCH_TOOLS: SearchToolsName = 'search_tools'
"""The tool that finds deferred tools."""
LoadCapabilityName = Literal['load_capability']
LOAD_CAPABILITY: LoadCapabilityName = 'load_capability'
"""The tool that loads deferred capabilities."""
NativeToolSearchName = Literal['tool_search']
NATIVE_TOOL_SEARCH: NativeToolSearchName = 'tool_search'
"""The provider's tool that finds deferred tools, and its kind."""


class ToolSearchArgs(TypedDict):
    """Arguments of a tool search."""

    queries: list[str]
    """The search queries."""


class ToolSearchMatch(TypedDict):
    """A tool that a search found."""

    name: str
    """The name of the tool."""
    description: NotRequired[Union[str, None]]
    """Its description; 2.x leaves it out, since the tool itself has it."""


@with_config(_LATER)
class ToolSearchReturnContent(TypedDict):
    """The content of a return of a tool search."""

    discovered_tools: list[ToolSearchMatch]
    """The tools that were found."""
    message: NotRequired[str]
    """A note for the model, for example that nothing was found."""


class LoadCapabilityArgs(TypedDict):
    """Arguments of `load_capability`."""

    id: str
    """The id of the capability."""


@with_config(_LATER)
class LoadCapabilityReturnContent(TypedDict):
    """The content of a return of `load_capability`."""

    instructions: NotRequired[str]
    """The instructions of the capability."""


def _object(args: Any, part: BaseToolCallPart) -> Any:
    """Return the arguments of a call as an object, or `None` if they are missing, incomplete or something else."""
    if not args:
        return None if args is None or args == '' else args
    try:
        return part.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return None


class _SearchCall:
    @property
    def typed_args(self) -> ToolSearchArgs | None:
        """The arguments, or `None` while they are incomplete; their values are not validated."""
        part = cast(BaseToolCallPart, self)
        return _object(part.args, part)

    @property
    def queries(self) -> list[str]:
        """The search queries; empty while the arguments are incomplete or invalid."""
        queries: Any = (self.typed_args or {}).get('queries')
        return [query for query in queries if isinstance(query, str)] if isinstance(queries, list) else []  # type: ignore[reportUnknownVariableType]


class _SearchReturn:
    content: ToolSearchReturnContent
    """The result of the search."""

    @property
    def discovered_tools(self) -> Sequence[ToolSearchMatch]:
        """The tools that were found."""
        return self.content.get('discovered_tools', [])

    @property
    def message(self) -> str | None:
        """A note for the model."""
        return self.content.get('message')


@dataclass(repr=False, eq=False)
class ToolSearchCallPart(_SearchCall, ToolCallPart):
    """A call of the local tool search."""

    tool_name: SearchToolsName = SEARCH_TOOLS  # type: ignore[assignment]
    args: Union[str, ToolSearchArgs, None] = None  # type: ignore[assignment]
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False, eq=False)
class ToolSearchReturnPart(_SearchReturn, ToolReturnPart):
    """The result of the local tool search."""

    tool_name: SearchToolsName = SEARCH_TOOLS  # type: ignore[assignment]
    content: ToolSearchReturnContent = field(kw_only=True)
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False, eq=False)
class NativeToolSearchCallPart(_SearchCall, NativeToolCallPart):
    """A call of the provider's tool search."""

    tool_name: NativeToolSearchName = NATIVE_TOOL_SEARCH  # type: ignore[assignment]
    args: Union[str, ToolSearchArgs, None] = None  # type: ignore[assignment]
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False, eq=False)
class NativeToolSearchReturnPart(_SearchReturn, NativeToolReturnPart):
    """The result of the provider's tool search."""

    tool_name: NativeToolSearchName = NATIVE_TOOL_SEARCH  # type: ignore[assignment]
    content: ToolSearchReturnContent = field(kw_only=True)
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    tool_kind: Literal['tool-search'] = 'tool-search'  # type: ignore[assignment]


@dataclass(repr=False, eq=False)
class LoadCapabilityCallPart(ToolCallPart):
    """A call that loads a deferred capability."""

    tool_name: LoadCapabilityName = field(default=LOAD_CAPABILITY, kw_only=True)  # type: ignore[assignment]
    args: Union[str, LoadCapabilityArgs, None] = field(default=None, kw_only=True)  # type: ignore[assignment]
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    _: KW_ONLY
    tool_kind: Literal['capability-load'] = 'capability-load'  # type: ignore[assignment]

    @property
    def typed_args(self) -> LoadCapabilityArgs | None:
        """The arguments, or `None` while they are incomplete; their values are not validated."""
        return _object(self.args, self)

    @property
    def capability_id(self) -> str | None:
        """The id of the capability; `None` while the arguments are incomplete or invalid."""
        capability_id: Any = (self.typed_args or {}).get('id')
        return capability_id if isinstance(capability_id, str) else None


@dataclass(repr=False, eq=False)
class LoadCapabilityReturnPart(ToolReturnPart):
    """The result of loading a capability: its instructions."""

    tool_name: LoadCapabilityName = field(default=LOAD_CAPABILITY, kw_only=True)  # type: ignore[assignment]
    content: LoadCapabilityReturnContent = field(kw_only=True)
    tool_call_id: str = field(default_factory=generate_tool_call_id)
    _: KW_ONLY
    tool_kind: Literal['capability-load'] = 'capability-load'  # type: ignore[assignment]

    @property
    def instructions(self) -> str | None:
        """The instructions of the capability."""
        return self.content.get('instructions')


_search_args: TypeAdapter[Any] = TypeAdapter(Union[str, ToolSearchArgs], config=_LATER)
_search_content: TypeAdapter[Any] = TypeAdapter(ToolSearchReturnContent)
_load_args: TypeAdapter[Any] = TypeAdapter(Union[str, LoadCapabilityArgs], config=_LATER)
_load_content: TypeAdapter[Any] = TypeAdapter(LoadCapabilityReturnContent)

TYPED_PARTS.update(
    {
        (ToolCallPart, 'tool-search'): (ToolSearchCallPart, _search_args),
        (ToolReturnPart, 'tool-search'): (ToolSearchReturnPart, _search_content),
        (NativeToolCallPart, 'tool-search'): (NativeToolSearchCallPart, _search_args),
        (NativeToolReturnPart, 'tool-search'): (NativeToolSearchReturnPart, _search_content),
        (ToolCallPart, 'capability-load'): (LoadCapabilityCallPart, _load_args),
        (ToolReturnPart, 'capability-load'): (LoadCapabilityReturnPart, _load_content),
    }
)


_OWN_ARGS: dict[str, type] = {'tool-search': ToolSearchArgs, 'capability-load': LoadCapabilityArgs}


def check_tool_kind(kind: str, tool_name: str, schema: JsonObject) -> None:
    """Check that the kind of a tool is known, and that the tool has the parameters that calls of the kind have.

    Raises:
        UserError: It is not.
    """
    if parse_tool_kind(kind) is None:
        raise UserError(
            f'The tool {tool_name!r} has the kind {kind!r:.100}, which is not defined. Define it with `ToolKind`, or import the '
            'module that does, before the run.'
        )
    if (args := _OWN_ARGS.get(kind) or args_of_kind(kind)) is None:
        return
    declared = TypeAdapter(args).json_schema()
    wanted, found = declared.get('properties', {}), schema.get('properties', {})
    wrong = [f'it has no parameter {name!r}' for name in declared.get('required', ()) if name not in found]
    for name in wanted.keys() & found.keys():
        types = wanted[name].get('type'), found[name].get('type')
        if None not in types and types[0] != types[1]:
            wrong.append(f'its parameter {name!r} has the type {types[1]}, not {types[0]}')
    if wrong:
        raise UserError(
            f'The tool {tool_name!r} has the kind {kind!r}, but not the arguments of that, {args.__name__}: '
            f'{"; ".join(sorted(wrong))}.'
        )
