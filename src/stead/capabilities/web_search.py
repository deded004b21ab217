"""`WebSearch`: searching the web, by the provider or with DuckDuckGo."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

from typing_extensions import TypeAlias

from .._contracts.run_context import AgentDepsT
from .._kit.deprecated import warn_deprecated
from ..exceptions import UserError
from ..native_tools import WebSearchTool, WebSearchUserLocation
from ..tools import Tool
from .native_or_local import NativeOrLocalTool, given

WebSearchLocalStrategy: TypeAlias = Literal['duckduckgo']
"""Ways to search without the native tool."""


@dataclass(kw_only=True)
class WebSearch(NativeOrLocalTool[AgentDepsT]):
    """Searches the web: with the native tool where the model has one, else with the local tool.

    `local` is a tool, toolset or function, or `'duckduckgo'` (also as `True`), which needs the extra `duckduckgo`. Without
    it, DuckDuckGo is used if that extra is installed, with a warning; `False` for none. Domains and `max_uses` are settings
    that only native tools honour: with them, there is no local tool.
    """

    search_context_size: Literal['low', 'medium', 'high'] | None = None
    """How much of what is found goes into the context."""
    user_location: WebSearchUserLocation | None = None
    """Where the user is."""
    blocked_domains: list[str] | None = None
    """Domains never to show; native only."""
    allowed_domains: list[str] | None = None
    """The only domains to show; native only."""
    max_uses: int | None = None
    """How often the model may search; native only."""

    def _default_native(self) -> WebSearchTool:
        return WebSearchTool(
            **given(
                search_context_size=self.search_context_size,
                user_location=self.user_location,
                blocked_domains=self.blocked_domains,
                allowed_domains=self.allowed_domains,
                max_uses=self.max_uses,
            )
        )

    def _default_local(self) -> Tool[Any] | None:
        if find_spec('ddgs') is None:
            return None
        warn_deprecated(
            'WebSearch takes DuckDuckGo as its local tool because the package `ddgs` is installed, which it will not do in '
            "the next version. Pass `local='duckduckgo'` to keep it, or `local=False` for the native tool only.",
            stacklevel=5,
        )
        return self._resolve_local_strategy('duckduckgo')

    def _resolve_local_strategy(self, name: str | bool) -> Tool[Any]:
        if name not in (True, 'duckduckgo'):
            raise UserError(
                f"WebSearch knows no way {name!r} to search without the native tool. Pass `local='duckduckgo'`, or a tool, "
                'toolset or function.'
            )
        from ..common_tools.duckduckgo import duckduckgo_search_tool

        return duckduckgo_search_tool()

    def _native_unique_id(self) -> str:
        return WebSearchTool.kind

    def _requires_native(self) -> bool:
        return any(value is not None for value in (self.blocked_domains, self.allowed_domains, self.max_uses))
