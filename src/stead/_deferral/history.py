"""The capabilities and tools that a conversation has loaded and discovered, and the typed parts that its history has of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union, cast, get_args

from pydantic import ValidationError
from typing_extensions import TypeAlias

from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.ids import id_of_names
from ..messages import (
    NATIVE_TOOL_SEARCH,
    CapabilityLoadDeltaPart,
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    NativeToolSearchReturnPart,
    ToolAvailabilityDeltaPart,
    ToolCallPart,
    ToolSearchArgs,
    ToolSearchCallPart,
    ToolSearchMatch,
    ToolSearchReturnContent,
    ToolSearchReturnPart,
)

_ReadPart: TypeAlias = Union[
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ToolSearchReturnPart,
    NativeToolSearchReturnPart,
    CapabilityLoadDeltaPart,
    ToolAvailabilityDeltaPart,
]
_READ: frozenset[type] = frozenset(get_args(_ReadPart))
_NOTHING: frozenset[str] = frozenset()


class LoadedAndDiscovered:
    """The ids of loaded capabilities and names of discovered tools in a history, which is read incrementally."""

    __slots__ = ('_announced', '_calls', '_loaded', '_read', 'discovered', 'loaded')

    def __init__(self, loaded: set[str], discovered: set[str]) -> None:
        """Start with an empty history.

        Args:
            loaded: The set of the ids of loaded capabilities to update; the contexts of the run share it.
            discovered: The set of the names of discovered tools to update, shared likewise.
        """
        self.loaded = loaded
        self.discovered = discovered
        # What the history says. `loaded` also has what the current step loaded, which a hook may still undo.
        self._loaded: frozenset[str] = _NOTHING
        self._calls: dict[str, str] = {}
        self._read = 0
        self._announced: object = None

    def begin(self, messages: Sequence[ModelMessage], length: int) -> None:
        """Read the history that a run starts with.

        Args:
            messages: The messages of the history that are more than text.
            length: The number of all messages of the history.
        """
        if messages:
            self.catch_up(messages)
        self._read = length

    def start_over(self) -> None:
        """Forget everything, because the history was replaced."""
        self._loaded = frozenset()
        self._calls.clear()
        self.discovered.clear()
        self._read = 0

    def catch_up(self, messages: Sequence[ModelMessage]) -> None:
        """Read the messages that were added to the history."""
        if len(messages) < self._read:
            self.start_over()
        for index in range(self._read, len(messages)):
            for part in messages[index].parts:
                if type(part) in _READ:
                    self._read_part(cast(_ReadPart, part))
        self._read = len(messages)
        if self.loaded != self._loaded:
            self.loaded.clear()
            self.loaded.update(self._loaded)

    def _read_part(self, part: _ReadPart) -> None:
        if isinstance(part, LoadCapabilityCallPart):
            if (capability_id := part.capability_id) is not None:
                self._calls[part.tool_call_id] = capability_id
        elif isinstance(part, LoadCapabilityReturnPart):
            capability_id = self._calls.pop(part.tool_call_id, None)
            if capability_id is not None and part.outcome == 'success':
                self._loaded |= {capability_id}
        elif isinstance(part, CapabilityLoadDeltaPart):
            self._loaded |= {*part.loaded}
        elif isinstance(part, ToolAvailabilityDeltaPart):
            self.discovered.update(part.tools_added)
        elif part.outcome == 'success':
            self.discovered.update(match['name'] for match in part.discovered_tools)

    def announcement(self, tools: dict[str, ToolsetTool[Any]]) -> list[ModelMessage]:
        """Return messages that announce the tools of loaded capabilities to the model, if there are new ones.

        For providers with a native tool search, the messages look like a search with its results. The tools of the
        request then stay the same, and with them what the provider has cached.

        Args:
            tools: The tools of the step, by name.
        """
        if not self.loaded or tools is self._announced:
            return []
        self._announced = tools
        new: dict[str, ToolDefinition] = {}
        for name, tool in tools.items():
            definition = tool.tool_def
            if (
                definition.with_native == NATIVE_TOOL_SEARCH
                and not definition.defer_loading
                and definition.capability_id in self.loaded
                and name not in self.discovered
            ):
                new[name] = definition
        if not new:
            return []
        names = sorted(new)
        call_id = f'auto_load_{id_of_names(names)}'
        owners = sorted({cast(str, definition.capability_id) for definition in new.values()})
        matches = [ToolSearchMatch(name=name, description=new[name].description) for name in names]
        call = ToolSearchCallPart(args=ToolSearchArgs(queries=owners), tool_call_id=call_id)
        result = ToolSearchReturnPart(content=ToolSearchReturnContent(discovered_tools=matches), tool_call_id=call_id)
        return [ModelResponse(parts=[call]), ModelRequest(parts=[result])]


def typed_calls(response: ModelResponse, tools: dict[str, ToolsetTool[Any]]) -> None:
    """Replace calls of tools with a kind by parts of that kind, except calls of the framework's tools with invalid arguments."""
    parts: list[ModelResponsePart] | None = None
    for index, part in enumerate(response.parts):
        if isinstance(part, ToolCallPart) and part.tool_kind is None:
            tool = tools.get(part.tool_name)
            if tool is None or tool.tool_def.tool_kind is None:
                continue
            try:
                typed = ToolCallPart.narrow_type(part, tool_kind=tool.tool_def.tool_kind)
            except ValidationError:
                continue  # validation of the call reports this to the model
            parts = [*response.parts] if parts is None else parts
            parts[index] = typed
    if parts is not None:
        response.parts = parts
