"""`WebFetch`: reading web pages, with the native tool or from here."""

from __future__ import annotations

from dataclasses import field
from importlib.util import find_spec
from typing import Any

from .._contracts.run_context import AnyDepsT
from .._kit.deprecated import warn_deprecated
from .._kit.keywords import dataclass, renamed
from ..exceptions import UserError
from ..native_tools import WebFetchTool
from ..tools import Tool
from ._ids import id_of_level
from .native_or_local import NativeOrLocalTool, set_options


@renamed(builtin='native')
@dataclass(kw_only=True)
class WebFetch(NativeOrLocalTool[AnyDepsT]):
    """Reading of web pages: with the native tool where the model supports it, otherwise with the local tool.

    `local` is a tool, toolset or function, or `True` for `stead.common_tools.web_fetch`, which respects the domains and
    needs the extra `web-fetch`. By default that tool is used, with a warning, if the extra is installed; `False` turns it
    off. With `max_uses`, which only the native tool supports, there is no local tool.
    """

    id: str | None = field(default_factory=id_of_level('web_fetch'), kw_only=True)
    allowed_domains: list[str] | None = None
    """The only domains to read from: full host names. What only the native tool understands, such as paths, leaves the local
    tool out."""
    blocked_domains: list[str] | None = None
    """Domains never to read from, likewise."""
    max_uses: int | None = None
    """How many pages the model may read; native only."""
    enable_citations: bool | None = None
    """Whether the response cites its sources; ignored by the local tool."""
    max_content_tokens: int | None = None
    """The most tokens of the content of a page; ignored by the local tool."""

    def _default_native(self) -> WebFetchTool:
        return WebFetchTool(
            **set_options(
                allowed_domains=self.allowed_domains,
                blocked_domains=self.blocked_domains,
                max_uses=self.max_uses,
                enable_citations=self.enable_citations,
                max_content_tokens=self.max_content_tokens,
            )
        )

    def _default_local(self) -> Tool[Any] | None:
        if find_spec('markdownify') is None or self._requires_native():
            return None
        warn_deprecated(
            'WebFetch reads pages from here where the model has no native tool, because the package `markdownify` is '
            'installed. The next version will not do so by default. Pass `local=True` to keep that, or `local=False` for the '
            'native tool only.',
            stacklevel=5,
        )
        return self._resolve_local_strategy(True)

    def _resolve_local_strategy(self, name: str | bool) -> Tool[Any]:
        if name is not True:
            raise UserError(
                f'WebFetch has no local strategy {name!r} to replace the native tool. Pass `local=True`, or a tool, '
                'toolset or function.'
            )
        from ..common_tools.web_fetch import web_fetch_tool

        return web_fetch_tool(allowed_domains=self.allowed_domains, blocked_domains=self.blocked_domains)

    def _native_unique_id(self) -> str:
        return WebFetchTool.kind

    def _requires_native(self) -> bool:
        if self.max_uses is not None:
            return True
        domains = [*(self.allowed_domains or ()), *(self.blocked_domains or ())]
        if not domains:
            return False
        from ..common_tools.web_fetch import is_host

        return not all(map(is_host, domains))
