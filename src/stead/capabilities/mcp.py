"""`MCP`: the tools of an MCP server, called by the provider or by this program."""

from __future__ import annotations

from dataclasses import field
from typing import Any, cast
from urllib.parse import urlsplit

from .._contracts.capability import CapabilityDescription
from .._contracts.run_context import AnyDepsT
from .._contracts.toolset import AbstractToolset
from .._kit.deprecated import warn_deprecated
from .._kit.keywords import dataclass, renamed
from ..exceptions import UserError
from ..mcp import MCPToolset, MCPToolsetClient
from ..native_tools import MCPServerTool
from ..tools import AgentNativeTool, Tool
from ..toolsets import AgentToolset, FilteredToolset
from ._owned import as_toolset
from .native_or_local import LocalTool, NativeOrLocalTool


@renamed(builtin='native')
@dataclass(init=False)
class MCP(NativeOrLocalTool[AnyDepsT]):
    """The tools of an MCP server: called by the provider where the model supports that, otherwise over a connection from here."""

    url: str = field(kw_only=False)
    """The URL of the server."""
    authorization_token: str | None = field(default=None, kw_only=True)
    """The value of the `Authorization` header, sent to the server unchanged."""
    headers: dict[str, str] | None = field(default=None, kw_only=True)
    """HTTP headers to send to the server."""
    allowed_tools: list[str] | None = field(default=None, kw_only=True)
    """Names of the only tools to use; `None` for all."""

    def __init__(
        self,
        url: str,
        *,
        native: AgentNativeTool[AnyDepsT] | bool | None = None,
        local: LocalTool[AnyDepsT] | MCPToolsetClient = None,
        id: str | None = None,
        authorization_token: str | None = None,
        headers: dict[str, str] | None = None,
        allowed_tools: list[str] | None = None,
        description: str | None = None,
        defer_loading: bool = False,
    ) -> None:
        """Build the capability.

        Args:
            url: The URL of the server.
            native: Whether the provider may connect to the server, or the native tool for that. By default it may, with a
                warning, because the next version will connect from here.
            local: How to connect from here: the URL of another server, a toolset, or anything that `MCPToolset` takes;
                by default a connection to `url`. `False` for no local connection.
            id: The id; by default derived from the URL.
            authorization_token: The value of the `Authorization` header, sent to the server unchanged.
            headers: HTTP headers to send to the server.
            allowed_tools: Names of the only tools to use; all by default.
            description: What the server is for.
            defer_loading: Whether the tools are deferred until the model loads the capability.

        Raises:
            UserError: Both `native` and `local` are off, or `local` is a string that is not a URL.
        """
        if native is None:
            native = True
            warn_deprecated(
                'MCP lets the provider connect to the server where the model supports that, which will not be the default in '
                'the next version. Pass `native=True` to keep it, or `native=False` to connect from here (with the extra '
                '`mcp`).'
            )
        self.url = url
        self.authorization_token = authorization_token
        self.headers = headers
        self.allowed_tools = allowed_tools
        self.description: CapabilityDescription[AnyDepsT] | None = description
        self.defer_loading = defer_loading
        self.native = native
        self.id: str | None = id or (native.id if isinstance(native, MCPServerTool) else _id_of(url))
        if local is None or isinstance(local, (bool, str, Tool, AbstractToolset)) or callable(local):
            self.local: LocalTool[AnyDepsT] = cast('LocalTool[AnyDepsT]', local)
        else:
            self.local = MCPToolset[AnyDepsT](local)
        self.__post_init__()

    @classmethod
    def from_spec(
        cls,
        url: str,
        *,
        native: bool = True,
        local: bool | str | None = None,
        id: str | None = None,
        authorization_token: str | None = None,
        headers: dict[str, str] | None = None,
        allowed_tools: list[str] | None = None,
        description: str | None = None,
        defer_loading: bool = False,
    ) -> MCP[Any]:
        """Build the capability from a spec. Arguments are the same as for the constructor, but `native` is on by default."""
        return cls(
            url,
            native=native,
            local=local,
            id=id,
            authorization_token=authorization_token,
            headers=headers,
            allowed_tools=allowed_tools,
            description=description,
            defer_loading=defer_loading,
        )

    def _default_native(self) -> MCPServerTool:
        assert self.id is not None
        return MCPServerTool(
            id=self.id,
            url=self.url,
            authorization_token=self.authorization_token,
            description=self.description if isinstance(self.description, str) else None,
            allowed_tools=self.allowed_tools,
            headers=self.headers,
        )

    def _default_local(self) -> MCPToolset[AnyDepsT]:
        return self._connection(self.url)

    def _resolve_local_strategy(self, name: str | bool) -> MCPToolset[AnyDepsT]:
        if name is True:
            return self._connection(self.url)
        if not (isinstance(name, str) and urlsplit(name).scheme in ('http', 'https')):
            raise UserError(
                f'MCP cannot connect to {name!r}: as text, `local` is an http(s):// URL. For scripts, servers in this process '
                'and transports pass `local=MCPToolset(...)`.'
            )
        return self._connection(name)

    def _connection(self, url: str) -> MCPToolset[AnyDepsT]:
        headers = dict(self.headers or {})
        if self.authorization_token is not None:
            headers = {name: value for name, value in headers.items() if name.lower() != 'authorization'}
            headers['Authorization'] = self.authorization_token
        return MCPToolset[AnyDepsT](url, headers=headers or None)

    def _native_unique_id(self) -> str:
        return f'{MCPServerTool.kind}:{self.id}'

    def get_toolset(self) -> AgentToolset[AnyDepsT] | None:
        """Return the tools of the server for calls from here; they are left out where the provider calls them."""
        toolset = super().get_toolset()
        allowed = self.allowed_tools
        if allowed is None or toolset is None:
            return toolset
        return FilteredToolset[AnyDepsT](as_toolset(toolset), lambda ctx, definition: definition.name in allowed)


PATHS_ARE_IN_IDS = True
"""Whether the id of a server has the end of its path; in 2.x it is the host alone."""


def _id_of(url: str) -> str:
    """Return an id for a server: its host, or the scheme of a name like `connector:wiki`, and the last segment of the path."""
    parts = urlsplit(url)
    if parts.hostname and not PATHS_ARE_IN_IDS:
        return parts.hostname
    last = parts.path.rstrip('/').rpartition('/')[2]
    first = parts.hostname or (parts.scheme if last else '')
    return '-'.join(filter(None, (first, last))) if first else url
