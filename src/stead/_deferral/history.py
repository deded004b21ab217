"""What a conversation has loaded and discovered so far: read from its history, and kept up with it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, cast

from .._contracts.tool_definition import ToolDefinition
from ..messages import (
    NATIVE_TOOL_SEARCH,
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolSearchReturnPart,
    ToolSearchArgs,
    ToolSearchCallPart,
    ToolSearchMatch,
    ToolSearchReturnContent,
    ToolSearchReturnPart,
)

_READ = frozenset({LoadCapabilityCallPart, LoadCapabilityReturnPart, ToolSearchReturnPart, NativeToolSearchReturnPart})


class LoadedAndDiscovered:
    """Reads a history once, and from then on only what is new in it."""

    def __init__(self, loaded: set[str], discovered: set[str]) -> None:
        """Begin with nothing.

        Args:
            loaded: The set to keep the ids of loaded capabilities in; the contexts of the run share it.
            discovered: The set to keep the names of discovered tools in.
        """
        self.loaded = loaded
        self.discovered = discovered
        self._loaded: set[str] = set()  # without what the current step has loaded, which a hook may still undo
        self._calls: dict[str, str] = {}
        self._read = 0
        self._announced: Any = None

    def begin(self, messages: Sequence[ModelMessage], length: int) -> None:
        """Read the history that a run begins with.

        Args:
            messages: Those of its messages that are more than text.
            length: How many messages it has.
        """
        if messages:
            self.catch_up(messages)
        self._read = length

    def start_over(self) -> None:
        """Forget everything: the history is another one now."""
        self._loaded.clear()
        self._calls.clear()
        self.discovered.clear()
        self._read = 0

    def catch_up(self, messages: Sequence[ModelMessage]) -> None:
        """Read what was added to a history."""
        if len(messages) < self._read:
            self.start_over()
        for index in range(self._read, len(messages)):
            for part in messages[index].parts:
                if type(part) in _READ:
                    self._take(part)
        self._read = len(messages)
        if self.loaded != self._loaded:
            self.loaded.clear()
            self.loaded.update(self._loaded)

    def _take(self, part: Any) -> None:
        if isinstance(part, LoadCapabilityCallPart):
            if (capability_id := part.capability_id) is not None:
                self._calls[part.tool_call_id] = capability_id
        elif isinstance(part, LoadCapabilityReturnPart):
            capability_id = self._calls.pop(part.tool_call_id, None)
            if capability_id is not None and part.outcome == 'success':
                self._loaded.add(capability_id)
        elif part.outcome == 'success':
            self.discovered.update(match['name'] for match in part.discovered_tools)

    def announcement(self, tools: dict[str, Any]) -> list[ModelMessage]:
        """Return messages that tell the model of the tools which the capabilities it loaded have brought.

        To a provider with a native tool search they are the answer to a search, so that the tools of the request, and
        with them what the provider has cached of it, stay as they were.

        Args:
            tools: The tools of the step, by name.
        """
        if not self.loaded or tools is self._announced:
            return []
        self._announced = tools
        new: dict[str, ToolDefinition] = {}
        for name, tool in tools.items():
            definition: ToolDefinition = tool.tool_def
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
        call_id = f'auto_load_{hashlib.blake2s(chr(0).join(names).encode(), digest_size=8).hexdigest()}'
        owners = sorted({cast(str, definition.capability_id) for definition in new.values()})
        found = [ToolSearchMatch(name=name, description=new[name].description) for name in names]
        call = ToolSearchCallPart(args=ToolSearchArgs(queries=owners), tool_call_id=call_id)
        answer = ToolSearchReturnPart(content=ToolSearchReturnContent(discovered_tools=found), tool_call_id=call_id)
        return [ModelResponse(parts=[call]), ModelRequest(parts=[answer])]
