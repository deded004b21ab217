"""`WebSearch`: searching the web, with the native tool or with DuckDuckGo."""

from __future__ import annotations

from dataclasses import field
from importlib.util import find_spec
from typing import Any, Literal

from typing_extensions import TypeAlias

from .._contracts.run_context import AnyDepsT
from .._kit.deprecated import warn_deprecated
from .._kit.keywords import dataclass, renamed
from ..exceptions import UserError
from ..native_tools import WebSearchTool, WebSearchUserLocation
from ..tools import Tool
from ._ids import id_of_level
from .native_or_local import NativeOrLocalTool, set_options

WebSearchLocalStrategy: TypeAlias = Literal['duckduckgo']
"""Local strategies, which search without the native tool."""


@renamed(builtin='native')
@dataclass(kw_only=True)
class WebSearch(NativeOrLocalTool[AnyDepsT]):
    """Web search: with the native tool where the model supports it, otherwise with the local tool.

    `local` is a tool, toolset or function, or `'duckduckgo'` (also as `True`), which needs the extra `duckduckgo`. By
    default DuckDuckGo is used, with a warning, if that extra is installed; `False` turns it off. With domains or
    `max_uses`, which only the native tool supports, there is no local tool.
    """

    id: str | None = field(default_factory=id_of_level('web_search'), kw_only=True)
    search_context_size: Literal['low', 'medium', 'high'] | None = None
    """How much of the search results goes into the context."""
    user_location: WebSearchUserLocation | None = None
    """The location of the user."""
    blocked_domains: list[str] | None = None
    """Domains never to show; native only."""
    allowed_domains: list[str] | None = None
    """The only domains to show; native only."""
    max_uses: int | None = None
    """How many times the model may search; native only."""
    external_web_access: bool | None = None
    """Whether the provider reads pages when it searches, or only knows what it has stored; `False` is native only."""

    def _default_native(self) -> WebSearchTool:
        return WebSearchTool(
            **set_options(
                search_context_size=self.search_context_size,
                user_location=self.user_location,
                blocked_domains=self.blocked_domains,
                allowed_domains=self.allowed_domains,
                max_uses=self.max_uses,
                external_web_access=self.external_web_access,
            )
        )

    def _default_local(self) -> Tool[Any] | None:
        if find_spec('ddgs') is None:
            return None
        warn_deprecated(
            'WebSearch uses DuckDuckGo as its local tool because the package `ddgs` is installed. The next version will not do '
            "so by default. Pass `local='duckduckgo'` to keep it, or `local=False` for the native tool only.",
            stacklevel=5,
        )
        return self._resolve_local_strategy('duckduckgo')

    def _resolve_local_strategy(self, name: str | bool) -> Tool[Any]:
        if name not in (True, 'duckduckgo'):
            raise UserError(
                f"WebSearch has no local strategy {name!r} to replace the native tool. Pass `local='duckduckgo'`, or a tool, "
                'toolset or function.'
            )
        from ..common_tools.duckduckgo import duckduckgo_search_tool

        return duckduckgo_search_tool()

    def _native_unique_id(self) -> str:
        return WebSearchTool.kind

    def _requires_native(self) -> bool:
        restricted = (self.blocked_domains, self.allowed_domains, self.max_uses)
        return self.external_web_access is False or any(value is not None for value in restricted)
