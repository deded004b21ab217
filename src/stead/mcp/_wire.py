"""The differences between the versions of the `mcp` package, behind functions that work with all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from typing_extensions import TypeAlias

from .._kit.extras import missing
from .._kit.json_types import JsonObject, JsonValue

SdkObject: TypeAlias = Any
"""An object of the `mcp` package, whose classes and names of fields differ between its generations."""

Callback: TypeAlias = Callable[..., Any]
"""A callback with the signature that the installed generation of the `mcp` package expects."""

_MISSING = object()
CONNECTION_CLOSED = -32000
INTERNAL_ERROR = -32603


def sdk() -> SdkObject:
    """Return the `mcp` package.

    Raises:
        ImportError: It is not installed.
    """
    try:
        import mcp  # type: ignore[reportMissingImports]
    except ImportError as error:
        raise missing('mcp', extra='mcp', what='Connecting to MCP servers') from error
    return mcp


def types() -> SdkObject:
    """Return the module with the messages of the protocol."""
    sdk()
    import mcp.types as mcp_types

    return mcp_types


def is_v1() -> bool:
    """Return whether the package is of the first generation: no `Client`, and names in camel case."""
    return not hasattr(sdk(), 'Client')


def field(message: SdkObject, name: str) -> SdkObject:
    """Return a field of a message by its name in snake case; in the first generation, names are in camel case."""
    value: SdkObject = getattr(message, name, _MISSING)
    if value is _MISSING:
        value = getattr(message, re.sub(r'_([a-z])', lambda letter: letter[1].upper(), name), None)
    return value


def dump(message: SdkObject) -> JsonObject | None:
    """Return a message in its wire format, including fields that are not set."""
    return None if message is None else message.model_dump(by_alias=True)


class MCPError(RuntimeError):
    """An MCP server returned an error, or could not be reached."""

    __module__ = 'stead.mcp'  # where it is imported from, as a traceback shows it

    message: str
    """The error message."""
    code: int
    """The error code of JSON-RPC."""
    data: JsonValue | None
    """Further data of the error."""

    def __init__(self, message: str, code: int, data: JsonValue | None = None) -> None:
        self.message = message
        self.code = code
        self.data = data
        super().__init__(message)

    @classmethod
    def from_mcp_sdk(cls, error: SdkObject) -> MCPError:
        """Convert an error of the `mcp` package."""
        details = getattr(error, 'error', error)
        return cls(details.message, details.code, details.data)

    def __str__(self) -> str:
        data = f', data: {self.data}' if self.data is not None else ''
        return f'{self.message} (code: {self.code}{data})'


def sdk_error() -> type[Exception]:
    """Return the exception that the `mcp` package raises when a server returns an error."""
    from mcp.shared import exceptions

    error: type[Exception] | None = getattr(exceptions, 'MCPError', None) or getattr(exceptions, 'McpError', None)
    assert error is not None
    return error
