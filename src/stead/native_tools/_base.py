"""`AbstractNativeTool`: the base class of native tools."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from .._kit.keywords import hinted
from .._kit.records import DataRecord

NATIVE_TOOL_TYPES: dict[str, type[AbstractNativeTool]] = {}
"""Every tool by its kind."""


@hinted
@dataclass(repr=False, eq=False, kw_only=True)
class AbstractNativeTool(DataRecord, ABC):
    """A tool that the provider runs."""

    kind: str = 'unknown_native_tool'
    """The kind of the tool."""
    optional: bool = False
    """Whether to leave the tool out for models that do not support it, instead of raising an error."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        NATIVE_TOOL_TYPES[cls.kind] = cls

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of the tool; that of this base class is a union of all tools, told apart by their kind."""
        if cls is not AbstractNativeTool:
            return handler(source)
        choices = {kind: handler.generate_schema(tool) for kind, tool in NATIVE_TOOL_TYPES.items()}
        return core_schema.tagged_union_schema(choices, discriminator='kind')

    @property
    def unique_id(self) -> str:
        """The id of the tool in a request; of several tools with the same id, the last is used."""
        return self.kind

    @property
    def label(self) -> str:
        """The display name of the tool."""
        return self.kind.replace('_', ' ').title()
