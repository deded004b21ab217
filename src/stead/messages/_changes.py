"""Parts of requests that say what changed since the one before: tools, capabilities, settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import pydantic
from pydantic import AliasChoices

from .._kit.json_types import JsonObject
from .._kit.records import repr_without_defaults
from ..settings import RecordedModelSettings
from . import _otel as otel
from ._open import MoreKeys


@dataclass(repr=False, kw_only=True)
class ToolAvailabilityDeltaPart:
    """A change of the tools that the model may call."""

    tools_added: Annotated[list[str], pydantic.Field(validation_alias=AliasChoices('tools_added', 'added'))] = field(
        default_factory=list[str]
    )
    """The names of the tools that are new."""
    tool_call_id: str | None = None
    """The call that led to it."""
    part_kind: Literal['tool-availability-delta'] = 'tool-availability-delta'
    """Discriminator of the part."""

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(f'Tool availability changed: {_added(self.tools_added)}', settings)]

    __repr__ = repr_without_defaults


@dataclass(repr=False, kw_only=True)
class CapabilityLoadDeltaPart:
    """The loading of capabilities."""

    loaded: list[str] = field(default_factory=list[str])
    """The ids of the capabilities that are new."""
    tool_call_id: str | None = None
    """The call that led to it."""
    part_kind: Literal['capability-load-delta'] = 'capability-load-delta'
    """Discriminator of the part."""

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(f'Loaded capabilities changed: {_added(self.loaded)}', settings)]

    __repr__ = repr_without_defaults


@dataclass(repr=False, kw_only=True)
class ModelSettingsDeltaPart:
    """A change of those settings of the model that are recorded in the history."""

    settings: Annotated[RecordedModelSettings, MoreKeys()]
    """The settings that have other values than before."""
    top_level: bool = False
    """Whether the request sent them as its own settings."""
    part_kind: Literal['model-settings-delta'] = 'model-settings-delta'
    """Discriminator of the part."""

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        changed = ', '.join(f'{name}={value}' for name, value in self.settings.items())
        return [otel.text_part(f'Model settings changed: {changed}', settings)]

    __repr__ = repr_without_defaults


def _added(names: list[str]) -> str:
    return ', '.join(f'+{name}' for name in names)
