"""What differs between the versions of the `mcp` package, and what this room needs of all of them."""

from __future__ import annotations

import re
from typing import Any

from .._kit.extras import missing

_MISSING: Any = object()
CONNECTION_CLOSED = -32000
INTERNAL_ERROR = -32603


def sdk() -> Any:
    """Return the `mcp` package.

    Raises:
        ImportError: It is not installed.
    """
    try:
        import mcp  # type: ignore[reportMissingImports]
    except ImportError as error:
        raise missing('mcp', extra='mcp', what='Connecting to MCP servers') from error
    return mcp


def types() -> Any:
    """Return the module with the messages of the protocol."""
    sdk()
    import mcp.types as mcp_types

    return mcp_types


def is_v1() -> bool:
    """Return whether the package is of the first generation: no `Client`, and names in camel case."""
    return not hasattr(sdk(), 'Client')


def field(message: Any, name: str) -> Any:
    """Return a field of a message by its name in snake case; the first generation has them in camel case."""
    value = getattr(message, name, _MISSING)
    if value is _MISSING:
        value = getattr(message, re.sub(r'_([a-z])', lambda letter: letter[1].upper(), name), None)
    return value


def dump(message: Any) -> dict[str, Any] | None:
    """Return a message as it is written on the wire, with fields that are not set."""
    return None if message is None else message.model_dump(by_alias=True)


class MCPError(RuntimeError):
    """An MCP server answered with an error, or could not be reached."""

    message: str
    """What it said."""
    code: int
    """The code of JSON-RPC."""
    data: Any | None
    """More about it."""

    def __init__(self, message: str, code: int, data: Any | None = None) -> None:
        self.message = message
        self.code = code
        self.data = data
        super().__init__(message)

    @classmethod
    def from_mcp_sdk(cls, error: Any) -> MCPError:
        """Make one of the error of the `mcp` package."""
        about = getattr(error, 'error', error)
        return cls(about.message, about.code, about.data)

    def __str__(self) -> str:
        more = f', data: {self.data}' if self.data is not None else ''
        return f'{self.message} (code: {self.code}{more})'


def sdk_error() -> type[Exception]:
    """Return the class of errors that the `mcp` package raises for answers that are errors."""
    from mcp.shared import exceptions

    found: type[Exception] | None = getattr(exceptions, 'MCPError', None) or getattr(exceptions, 'McpError', None)
    assert found is not None
    return found
