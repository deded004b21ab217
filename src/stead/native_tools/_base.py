"""`AbstractNativeTool`: the base class of native tools."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from .._kit.keywords import hinted
from .._kit.left_out import left_out_fields
from .._kit.records import DataRecord, repr_with
from ..exceptions import UserError

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

    _vendors_of: ClassVar[Mapping[str, str]] = {}
    """Fields that are settings of one vendor, each with the vendor: they can be in `provider_settings`, too."""
    _restrictions: ClassVar[tuple[str, ...]] = ()
    """Fields that restrict what the tool may do, unless they are `None`."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        NATIVE_TOOL_TYPES[cls.kind] = cls

    def __post_init__(self) -> None:
        for name, vendor in self._vendors_of.items():
            value, own = getattr(self, name), self._own(vendor)
            if name in own and value != own[name] and value != getattr(type(self), name):
                raise UserError(
                    f'`{type(self).__name__}({name}={value!r})` contradicts {own[name]!r}, which `provider_settings` has '
                    f'for {vendor!r}. Leave out `{name}`.'
                )

    def __repr__(self) -> str:
        left_out = left_out_fields(type(self))
        names = (one.name for one in fields(self) if getattr(self, one.name) not in left_out.get(one.name, ()))
        return repr_with(self, ' '.join(names))

    def setting_for(self, vendor: str, name: str) -> Any:
        """Return a setting of one vendor: that of `provider_settings`, or else the field of this name; `None` without both."""
        own = self._own(vendor)
        return own[name] if name in own else getattr(self, name, None)

    def _own(self, vendor: str) -> Mapping[str, Any]:
        settings: Mapping[str, Mapping[str, Any]] = getattr(self, 'provider_settings', None) or {}
        return settings.get(vendor, {})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[Any], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of the tool; that of this base class is a union of all tools, told apart by their kind."""
        if cls is not AbstractNativeTool:
            return handler(source)
        choices = {kind: handler.generate_schema(tool) for kind, tool in NATIVE_TOOL_TYPES.items()}
        return core_schema.tagged_union_schema(choices, discriminator='kind')

    @property
    def restricting_settings(self) -> frozenset[str]:
        """The names of the settings that are set and restrict the tool: a model that cannot send one does not run the tool."""
        return frozenset(name for name in self._restrictions if getattr(self, name) is not None)

    @property
    def unique_id(self) -> str:
        """The id of the tool in a request; of several tools with the same id, the last is used."""
        return self.kind

    @property
    def label(self) -> str:
        """The display name of the tool."""
        return self.kind.replace('_', ' ').title()
