"""`NativeTool`: a tool that the provider runs, as a capability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AnyDepsT
from .._kit.keywords import hinted
from ..exceptions import UserError
from ..native_tools import NATIVE_TOOL_TYPES, AbstractNativeTool
from ..tools import AgentNativeTool


@hinted
@dataclass
class NativeTool(AbstractCapability[AnyDepsT]):
    """A native tool for the agent."""

    tool: AgentNativeTool[AnyDepsT] = field(kw_only=False)
    """The tool, or a function of the run context that returns one or `None`."""

    def get_native_tools(self) -> Sequence[AgentNativeTool[AnyDepsT]]:
        """Return the tool."""
        return [self.tool]

    @classmethod
    def from_spec(cls, tool: AbstractNativeTool | dict[str, Any] | None = None, **kwargs: Any) -> NativeTool[Any]:
        """Build the capability from the settings of a native tool.

        Args:
            tool: The settings as one object, which includes the `kind` of the tool.
            kwargs: The settings as keyword arguments; they replace those in `tool`.

        Raises:
            UserError: `kind` is missing, or there is no such kind of native tool.
            pydantic.ValidationError: A setting has the wrong type or is missing.
        """
        if isinstance(tool, AbstractNativeTool):
            return cls(tool)
        return cls(native_tool_from({**(tool or {}), **kwargs}))


def native_tool_from(settings: dict[str, Any]) -> AbstractNativeTool:
    """Return a native tool built from its settings.

    Args:
        settings: The settings by name, and the `kind` of the tool.

    Raises:
        UserError: `kind` is missing, or there is no such kind of native tool.
        pydantic.ValidationError: A setting has the wrong type or is missing.
    """
    kind = settings.get('kind')
    if kind not in NATIVE_TOOL_TYPES:
        raise UserError(
            f'There is no native tool of the kind {kind!r}. Set `kind` to one of {sorted(NATIVE_TOOL_TYPES)}.'
        )
    adapter: TypeAdapter[AbstractNativeTool] = TypeAdapter(NATIVE_TOOL_TYPES[kind])
    return adapter.validate_python(settings)
