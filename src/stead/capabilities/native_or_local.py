"""`NativeOrLocalTool`: a native tool where the model supports it, and a local tool elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, fields, replace
from typing import Any, Union, cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AnyDepsT
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset
from .._kit.keywords import dataclass, renamed
from .._kit.merging import united
from .._kit.records import is_dict
from ..exceptions import UserError
from ..native_tools import AbstractNativeTool
from ..tools import AgentNativeTool, Tool
from ..toolsets import AgentToolset, FunctionToolset
from ..toolsets._definitions import DefinitionsToolset
from .native_tool import native_tool_from

LocalTool: TypeAlias = Union[Tool[AnyDepsT], AbstractToolset[AnyDepsT], Callable[..., Any], str, bool, None]
"""A tool, toolset or function; the name of a local strategy; `True` or `None` for the default, `False` for no local tool."""


def set_options(**options: object) -> dict[str, Any]:
    """Return the options that are not `None`; the others keep the defaults of the native tool."""
    return {name: value for name, value in options.items() if value is not None}


@renamed(builtin='native')
@dataclass
class NativeOrLocalTool(AbstractCapability[AnyDepsT]):
    """A native tool, which the provider runs, and a local one that replaces it where the model does not support it.

    Subclasses set the defaults of both by overriding the methods whose names begin with an underscore.
    """

    native: AgentNativeTool[AnyDepsT] | bool = field(default=True, kw_only=True)
    """The native tool, or a function of the run context that returns it; `True` for the default, `False` for none."""
    local: LocalTool[AnyDepsT] = field(default=None, kw_only=True)
    """The local tool, toolset, function or name of a strategy; `True` or `None` for the default, `False` for none."""

    def __post_init__(self) -> None:
        name = type(self).__name__
        self._passed = {'native': self.native, 'local': self.local}
        if is_dict(native := cast(object, self.native)):  # from a spec
            self.native = native_tool_from(native)
        if self.native is True:
            default = self._default_native()
            if default is None:
                raise UserError(f'{name} has no default native tool. Pass one as `native`, or `native=False`.')
            self.native = default
        local = self.local
        if local is None:
            self.local = self._default_local()
        elif local is True or isinstance(local, str):
            self.local = self._resolve_local_strategy(local)
        elif callable(local) and not isinstance(local, (Tool, AbstractToolset)):
            self.local = Tool[AnyDepsT](local)
        if self.native is False and self.local is False:
            raise UserError(f'{name} has neither a native nor a local tool; leave `native` or `local` on.')
        if self.native is False and self._requires_native():
            raise UserError(f'{name} has settings that only the native tool supports; leave `native` on.')

    @classmethod
    def combine(cls, capabilities: Sequence[AbstractCapability[AnyDepsT]]) -> AbstractCapability[AnyDepsT]:
        """Return the last capability, with what only earlier ones set, and the items of all lists.

        Args:
            capabilities: Capabilities of this class, in order.
        """
        if len(capabilities) == 1:
            return capabilities[0]
        passed = [{**vars(each), **cast('NativeOrLocalTool[AnyDepsT]', each)._passed} for each in capabilities]
        for each in passed:  # that is the default, and the last one may have no say in it
            each['native'] = None if each['native'] is True else each['native']
        values: dict[str, Any] = {
            one.name: united([each[one.name] for each in passed]) for one in fields(capabilities[0]) if one.init
        }
        return cls(**{name: value for name, value in values.items() if value is not None})

    # For subclasses to override.

    def _default_native(self) -> AgentNativeTool[AnyDepsT] | None:
        """Return the native tool for `native=True`."""
        return None

    def _default_local(self) -> Tool[AnyDepsT] | AbstractToolset[AnyDepsT] | Callable[..., Any] | None:
        """Return the local tool for `local=None`."""
        return None

    def _resolve_local_strategy(self, name: str | bool) -> LocalTool[AnyDepsT]:
        """Return the local tool for the name of a strategy, or for `local=True`.

        Raises:
            UserError: There is no such strategy.
        """
        raise UserError(
            f'{type(self).__name__} has no local strategy {name!r} to replace the native tool. '
            'Pass a tool, toolset or function as `local`.'
        )

    def _native_unique_id(self) -> str | None:
        """Return the id of the native tool that the local tool replaces, for when `native` is a function."""
        return None

    def _requires_native(self) -> bool:
        """Return whether there are settings that the local tool does not support."""
        return False

    # The interface for agents.

    def _unique_id(self) -> str | None:
        return self.native.unique_id if isinstance(self.native, AbstractNativeTool) else self._native_unique_id()

    def get_native_tools(self) -> Sequence[AgentNativeTool[AnyDepsT]]:
        """Return the native tool."""
        return [] if isinstance(self.native, bool) else [self.native]

    def get_toolset(self) -> AgentToolset[AnyDepsT] | None:
        """Return the local tool, which is left out where the model supports the native one.

        Raises:
            UserError: `native` is a function, and `_native_unique_id` does not tell which native tool it returns.
        """
        local: Any = self.local
        if local is None or local is False or self._requires_native():
            return None
        toolset: AbstractToolset[AnyDepsT] = (
            cast(AbstractToolset[AnyDepsT], local)
            if isinstance(local, AbstractToolset)
            else FunctionToolset[AnyDepsT]([local])
        )
        if self.native is False:
            return toolset
        native = self._unique_id()
        if native is None:
            raise UserError(
                f'{type(self).__name__} cannot tell which native tool its local tool replaces, because `native` is a '
                'function. Pass the native tool itself, `local=False`, or override `_native_unique_id`.'
            )
        return _UnlessNativeToolset(toolset, native)


@dataclass
class _UnlessNativeToolset(DefinitionsToolset[AnyDepsT]):
    """Tools that are left out where the model supports a native tool."""

    native: str
    """The id of the native tool."""

    def change(self, definition: ToolDefinition) -> ToolDefinition:
        return replace(definition, unless_native=self.native)
