"""`AbstractNativeTool`: what every native tool is."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any

NATIVE_TOOL_TYPES: dict[str, type[AbstractNativeTool]] = {}
"""Every tool by its kind."""


@dataclass(kw_only=True)
class AbstractNativeTool(ABC):
    """A tool that the provider runs."""

    kind: str = 'unknown_native_tool'
    """The kind of the tool."""
    optional: bool = False
    """Whether models that do not have it leave it out; otherwise that is an error."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        NATIVE_TOOL_TYPES[cls.kind] = cls

    @property
    def unique_id(self) -> str:
        """What tells this tool from others of a request; two tools of one kind replace each other."""
        return self.kind

    @property
    def label(self) -> str:
        """The name of the tool for people."""
        return self.kind.replace('_', ' ').title()
