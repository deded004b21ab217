"""Adapter for the tools of ACI.dev. Deprecated: `Tool.from_schema` wraps any function with a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._contracts.run_context import AgentDepsT
from .._kit.deprecated import warn_caller
from .._kit.extras import load_extra
from .._kit.json_types import JsonObject
from ..tools import Tool
from ..toolsets import FunctionToolset

_OLD = (
    '`stead.ext.aci` is deprecated: make the tool with `Tool.from_schema` from '
    '`aci.ACI().functions.get_definition(...)`, or use the package `aci-sdk` itself.'
)


def tool_from_aci(aci_function: str, linked_account_owner_id: str) -> Tool:
    """Return a tool that calls a function of ACI.dev, with a `DeprecationWarning`.

    Args:
        aci_function: The name of the function.
        linked_account_owner_id: The owner of the account that it is called for.

    Raises:
        ImportError: The package aci-sdk is not installed.
    """
    warn_caller(_OLD)
    return _tool(aci_function, linked_account_owner_id)


def _tool(name: str, owner: str) -> Tool:
    client: Any = load_extra('aci', extra='aci', what='A tool of ACI.dev').ACI()
    function: JsonObject = client.functions.get_definition(name)['function']

    def call(**arguments: Any) -> Any:
        return client.handle_function_call(
            function['name'], arguments, linked_account_owner_id=owner, allowed_apps_only=True
        )

    return Tool.from_schema(call, function['name'], function['description'], _without_visible(function['parameters']))


def _without_visible(schema: Any) -> Any:
    """Return a schema without the lists of visible properties, which JSON schema does not have."""
    if isinstance(schema, dict):
        items: JsonObject = schema  # type: ignore[reportUnknownVariableType]
        named = 'properties' in items
        return {key: _without_visible(value) for key, value in items.items() if not (named and key == 'visible')}
    return schema


class ACIToolset(FunctionToolset[AgentDepsT]):
    """A toolset of functions of ACI.dev."""

    def __init__(self, aci_functions: Sequence[str], linked_account_owner_id: str, *, id: str | None = None) -> None:
        """Make a tool of each function, with a `DeprecationWarning`.

        Args:
            aci_functions: The names of the functions.
            linked_account_owner_id: The owner of the account that they are called for.
            id: The id of the toolset.

        Raises:
            ImportError: The package aci-sdk is not installed.
        """
        warn_caller(_OLD)
        super().__init__([_tool(name, linked_account_owner_id) for name in aci_functions], id=id)


__all__ = ('ACIToolset', 'tool_from_aci')
