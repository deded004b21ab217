"""`XSearch`: searching posts on X, with the native tool or with another model."""

from __future__ import annotations

from dataclasses import field, replace
from datetime import datetime
from typing import Any

from .._contracts.run_context import AnyDepsT
from .._kit.keywords import dataclass, renamed
from ..common_tools.x_search import XSearchFallbackModel, x_search_tool
from ..exceptions import UserError
from ..native_tools import XSearchTool
from ..tools import Tool
from ._ids import id_of_level
from .native_or_local import NativeOrLocalTool, set_options


@renamed(builtin='native')
@dataclass(kw_only=True)
class XSearch(NativeOrLocalTool[AnyDepsT]):
    """Search of posts on X: with the native tool where the model supports it, otherwise with the local tool.

    With `fallback_model`, the local tool is an agent with that model and the same settings. A `local` tool of your own
    does not support restrictions to accounts, and is not used if there are any.
    """

    id: str | None = field(default_factory=id_of_level('x_search'), kw_only=True)
    fallback_model: XSearchFallbackModel = None
    """The model that searches where the model of the run cannot: a model, its name, or a function of the run context."""
    fallback_subagent_model: XSearchFallbackModel = None
    """The name of `fallback_model` in 2.x."""
    allowed_x_handles: list[str] | None = None
    """The only accounts whose posts are searched."""
    excluded_x_handles: list[str] | None = None
    """Accounts whose posts are left out."""
    from_date: datetime | None = None
    """The earliest date of a post."""
    to_date: datetime | None = None
    """The latest date of a post."""
    enable_image_understanding: bool | None = None
    """Whether the model may look at images in posts."""
    enable_video_understanding: bool | None = None
    """Whether the model may look at videos in posts."""
    include_output: bool | None = None
    """Whether the response includes the search results."""

    def __post_init__(self) -> None:
        names = (self.fallback_subagent_model, self.fallback_model)
        if None not in names and names[0] != names[1]:
            raise UserError(
                'XSearch has both a `fallback_subagent_model` and a `fallback_model`, which are one: pass the first.'
            )
        self.fallback_subagent_model = self.fallback_model = names[1] if names[0] is None else names[0]
        if self.fallback_model is not None and self.local is not None:
            raise UserError(
                'XSearch has both a `fallback_model` and a `local` tool. Pass one of them: the model for an agent that '
                'searches, or a tool of your own.'
            )
        self.from_date, self.to_date = _date(self.from_date), _date(self.to_date)
        super().__post_init__()

    def _settings(self) -> dict[str, Any]:
        return set_options(
            allowed_x_handles=self.allowed_x_handles,
            excluded_x_handles=self.excluded_x_handles,
            from_date=self.from_date,
            to_date=self.to_date,
            enable_image_understanding=self.enable_image_understanding,
            enable_video_understanding=self.enable_video_understanding,
            include_output=self.include_output,
        )

    def _default_native(self) -> XSearchTool:
        return XSearchTool(**self._settings())

    def _default_local(self) -> Tool[Any] | None:
        if self.fallback_model is None:
            return None
        base = self.native if isinstance(self.native, XSearchTool) else XSearchTool()
        return x_search_tool(self.fallback_model, replace(base, **self._settings()))

    def _native_unique_id(self) -> str:
        return XSearchTool.kind

    def _requires_native(self) -> bool:
        handles = (self.allowed_x_handles, self.excluded_x_handles)
        return self.fallback_model is None and any(value is not None for value in handles)


def _date(value: datetime | None) -> datetime | None:
    """Return a date; in specs, dates are ISO 8601 text."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value
