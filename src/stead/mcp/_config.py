"""Configuration files with MCP servers, in the format that many programs share: `{"mcpServers": {NAME: {...}}}`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError, model_validator
from pydantic_core import from_json
from typing_extensions import deprecated

from .._contracts.toolset import AbstractToolset
from ._servers import MCPServer, MCPServerSSE, MCPServerStdio, MCPServerStreamableHTTP, quietly
from ._transports import HttpTransport, ProcessTransport

_VARIABLE = re.compile(r'\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<other>:-(?P<default>[^}]*))?\}')


class _Server(BaseModel):
    command: str | None = None
    args: list[str] = []
    env: dict[str, str] | None = None
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] | None = None
    transport: str | None = Field(default=None, validation_alias=AliasChoices('type', 'transport'))

    @model_validator(mode='after')
    def _reachable(self) -> _Server:
        if (self.command is None) == (self.url is None):
            raise ValueError('a server has either a `command` or a `url`')
        return self

    @property
    def is_sse(self) -> bool | None:
        return None if self.transport is None else self.transport == 'sse'


class _Config(BaseModel):
    mcpServers: dict[str, _Server]  # noqa: N815 - the name in the file


class MCPServerConfig(BaseModel, arbitrary_types_allowed=True):
    """The servers of a file, as toolsets of the older classes."""

    mcp_servers: dict[str, Annotated[MCPServer[Any], BeforeValidator(lambda value: _built(value))]] = Field(
        alias='mcpServers'
    )
    """The servers, by name."""


def _built(value: object) -> object:
    if isinstance(value, MCPServer):
        return cast('MCPServer[Any]', value)
    return _server_of(_transport(_Server.model_validate(value)))


def transports_of(config: Mapping[str, Any]) -> dict[str, HttpTransport | ProcessTransport]:
    """Return transports for the servers of a configuration, by name.

    Raises:
        pydantic.ValidationError: The configuration does not have this format.
        ValueError: It names an environment variable that is not set and has no default.
    """
    servers = TypeAdapter(_Config).validate_python(_expanded(dict(config))).mcpServers
    return {name: _transport(server) for name, server in servers.items()}


def _transport(server: _Server) -> HttpTransport | ProcessTransport:
    if server.command is not None:
        return ProcessTransport(server.command, server.args, server.env, server.cwd)
    return HttpTransport(server.url or '', server.headers, sse=server.is_sse)


def _expanded(value: object) -> Any:
    """Return a value with environment variables expanded: `${NAME}`, or `${NAME:-default}`."""
    if isinstance(value, str):
        return _VARIABLE.sub(_variable, value)
    if isinstance(value, list):
        return [_expanded(item) for item in cast('list[object]', value)]
    if isinstance(value, dict):
        return {key: _expanded(item) for key, item in cast('dict[object, object]', value).items()}
    return value


def _variable(match: re.Match[str]) -> str:
    value = os.environ.get(match['name'], match['default'] if match['other'] else None)
    if value is None:
        raise ValueError(
            f'The environment variable {match["name"]!r} is not set. Set it, or add a default: ${{{match["name"]}:-...}}.'
        )
    return value


def _read(config_path: str | Path) -> dict[str, HttpTransport | ProcessTransport]:
    path = Path(config_path)
    if not path.exists():
        raise FileNotFoundError(f'There is no file {str(path)!r} with MCP servers.')
    config: Any = from_json(path.read_bytes())
    try:
        return transports_of(cast('Mapping[str, Any]', config))
    except ValidationError as error:
        error.add_note(f'in {path}') if hasattr(error, 'add_note') else None  # type: ignore[reportAttributeAccessIssue]
        raise


def load_mcp_toolsets(config_path: str | Path) -> list[AbstractToolset[Any]]:
    """Return a toolset for each server in a file; its name is a prefix of the names of its tools.

    In the file, `${NAME}` and `${NAME:-default}` are replaced by environment variables.

    Args:
        config_path: The path of the JSON file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not JSON, does not have the expected format, or an environment variable is not set.
    """
    from ._toolset import MCPToolset

    return [MCPToolset[Any](transport, id=name).prefixed(name) for name, transport in _read(config_path).items()]


@deprecated('`load_mcp_servers` is an old name; use `load_mcp_toolsets`.')
def load_mcp_servers(config_path: str | Path) -> list[MCPServer[Any]]:
    """Return the servers in a file; the name of each is a prefix of the names of its tools.

    Args:
        config_path: The path of the JSON file.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: It is not JSON, does not have the expected format, or an environment variable is not set.
    """
    return [_server_of(transport, name) for name, transport in _read(config_path).items()]


def _server_of(transport: HttpTransport | ProcessTransport, name: str | None = None) -> MCPServer[Any]:
    """Return a toolset of the older classes for a transport; a name is its id, and the prefix of the names of its tools."""
    if isinstance(transport, ProcessTransport):
        return quietly(
            MCPServerStdio,
            transport.command,
            transport.args,
            env=transport.env,
            cwd=transport.cwd,
            id=name,
            tool_prefix=name,
        )
    kind = MCPServerSSE if transport.sse else MCPServerStreamableHTTP
    return quietly(kind, transport.url, headers=transport.headers, id=name, tool_prefix=name)
