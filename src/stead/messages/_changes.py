"""Instructions, and how a history notes what changed since the request before: in them, in tools, capabilities and settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from hashlib import sha256
from typing import Annotated, Literal, Union

import pydantic
from pydantic import AliasChoices, BeforeValidator, PlainSerializer
from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject
from .._kit.left_out import REWRITE, left_out
from .._kit.marks import Discriminator
from .._kit.records import ShortRepr
from ..settings import RecordedModelSettings
from . import _otel as otel
from ._open import MoreKeys, OpenContent, UnknownPart, kinds_of

InstructionChangePolicy: TypeAlias = Literal['rewrite', 'append']
"""What happens when a block has another text than in the request before: the instructions change, or the change is told."""
_WITHDRAWN = 'This context has been withdrawn.'
_STAYS_WITHDRAWN = 'This context has been withdrawn, and the withdrawal stays in effect until replaced again.'


@dataclass(frozen=True)
class AgentInstructionSource:
    """The agent has the instructions."""

    def __str__(self) -> str:
        return 'agent'


@dataclass(frozen=True)
class ToolsetInstructionSource:
    """A toolset has the instructions."""

    id: str
    """Its id."""

    def __str__(self) -> str:
        return f'toolset:{self.id}'


@dataclass(frozen=True)
class CapabilityInstructionSource:
    """A capability has the instructions."""

    id: str
    """Its id."""

    def __str__(self) -> str:
        return f'capability:{self.id}'


@dataclass(frozen=True)
class RunInstructionSource:
    """The run was started with the instructions."""

    def __str__(self) -> str:
        return 'run'


InstructionSource: TypeAlias = Union[
    AgentInstructionSource, ToolsetInstructionSource, CapabilityInstructionSource, RunInstructionSource
]
"""Where instructions come from."""


@dataclass(frozen=True, repr=False)
class InstructionId(ShortRepr):
    """What a block of instructions is recognized by in later requests."""

    source: InstructionSource
    """Where it comes from."""
    _: KW_ONLY
    name: str | None = None
    """Its name there."""

    def __str__(self) -> str:
        return str(self.source) if self.name is None else f'{self.source}:{self.name}'


def _read_id(value: object) -> object:
    """Return the id that a text stands for; the text itself if it is not an id, so that nothing is lost."""
    if not isinstance(value, str):
        return value
    kind, *rest = value.split(':')
    if kind in ('agent', 'run'):
        source: InstructionSource = AgentInstructionSource() if kind == 'agent' else RunInstructionSource()
    elif kind in ('toolset', 'capability') and rest:
        id = rest.pop(0)
        source = ToolsetInstructionSource(id) if kind == 'toolset' else CapabilityInstructionSource(id)
    else:
        return value
    return InstructionId(source, name=':'.join(rest) if rest else None)


def _write_id(value: object) -> str | None:
    return None if value is None else str(value)


SerializedInstructionId: TypeAlias = Annotated[
    Union[InstructionId, str, None], BeforeValidator(_read_id), PlainSerializer(_write_id)
]
"""An id, which is stored as a text such as `agent:clock`; any other text stays a text."""


@dataclass(repr=False, eq=False)
class InstructionPart(ShortRepr):
    """A block of instructions, as models receive it."""

    content: str
    """The text."""
    _: KW_ONLY
    dynamic: bool = False
    """Whether the text may change from step to step; static blocks come first, so that providers can cache them."""
    on_change: Annotated[InstructionChangePolicy, left_out(REWRITE)] = 'rewrite'
    """What happens when the text changes in a conversation."""
    name: Annotated[str | None, left_out()] = None
    """Its name where it comes from."""
    id: Annotated[SerializedInstructionId, left_out()] = None
    """What it is recognized by in later requests."""
    part_kind: Literal['instruction'] = 'instruction'
    """Discriminator of the part."""

    @staticmethod
    def sorted(parts: Iterable[InstructionPart]) -> list[InstructionPart]:
        """Return parts with the static ones first."""
        return sorted(parts, key=lambda part: part.dynamic)

    @staticmethod
    def join(parts: Sequence[InstructionPart]) -> str | None:
        """Return the text of all parts, or `None` if there is none."""
        if len(parts) == 1:
            return parts[0].content.strip() or None
        return '\n\n'.join(part.content for part in parts).strip() or None


@dataclass(repr=False, eq=False, kw_only=True)
class InstructionDigest(ShortRepr):
    """A block of instructions in a history, without its text."""

    id: SerializedInstructionId = None
    """What it is recognized by."""
    dynamic: bool = False
    """Whether its text may change from step to step."""
    content_hash: str
    """The SHA-256 of its text, in hexadecimal."""
    part_kind: Literal['instruction-digest'] = 'instruction-digest'
    """Discriminator of the block."""

    @classmethod
    def of(cls, part: InstructionPart) -> InstructionDigest:
        """Return the digest of a block."""
        return cls(id=part.id, dynamic=part.dynamic, content_hash=sha256(part.content.encode()).hexdigest())

    def matches(self, part: InstructionPart) -> bool:
        """Return whether a block is the one that this is the digest of; it was to be rewritten when it changes."""
        return part.on_change == 'rewrite' and self == InstructionDigest.of(part)


_KnownBlock = Annotated[Union[InstructionPart, InstructionDigest], Discriminator('part_kind')]


@cache
def _block_kinds() -> frozenset[str]:
    return kinds_of(_KnownBlock, 'part_kind')


InstructionBlock: TypeAlias = Annotated[
    Union[_KnownBlock, UnknownPart], OpenContent(UnknownPart, _KnownBlock, _block_kinds)
]
"""A block of instructions in a history."""


@dataclass(repr=False, eq=False, kw_only=True)
class InstructionBaselinePart(ShortRepr):
    """The instructions of a request, which later requests say changes of; models do not see the part."""

    instructions: list[InstructionBlock]
    """Their blocks: whole if changes of them are told, digests otherwise."""
    part_kind: Literal['instruction-baseline'] = 'instruction-baseline'
    """Discriminator of the part."""

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return nothing: the instructions themselves are recorded."""
        return []


@dataclass(repr=False, eq=False, kw_only=True)
class InstructionDeltaPart(ShortRepr):
    """A change of a block of instructions."""

    id: SerializedInstructionId
    """The block."""
    content: str | None
    """Its new text; `None` if it is gone."""
    base_hash: str | None = None
    """The digest of its text before."""
    part_kind: Literal['instruction-delta'] = 'instruction-delta'
    """Discriminator of the part."""

    def render(self, *, inline_system: bool = True, previous: str | None = None) -> str:
        """Return the text for the model.

        Args:
            inline_system: Whether it is sent as a system message in its place in the conversation.
            previous: The text of the block before; it makes no difference to the text.
        """
        from .._kit.tags import framed

        withdrawn = _WITHDRAWN if inline_system else _STAYS_WITHDRAWN
        body = withdrawn if self.content is None else self.content
        return framed('context', body, id=None if self.id is None else str(self.id))

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        return [otel.text_part(self.render(), settings)]


@dataclass(repr=False, eq=False, kw_only=True)
class ToolAvailabilityDeltaPart(ShortRepr):
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


@dataclass(repr=False, eq=False, kw_only=True)
class CapabilityLoadDeltaPart(ShortRepr):
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


@dataclass(repr=False, eq=False, kw_only=True)
class ModelSettingsDeltaPart(ShortRepr):
    """A change of those settings of the model that are recorded in the history."""

    settings: Annotated[RecordedModelSettings, MoreKeys()]
    """The settings that have other values than before."""
    top_level: bool = False
    """Whether the request sent them as its own settings."""
    part_kind: Literal['model-settings-delta'] = 'model-settings-delta'
    """Discriminator of the part."""

    def otel_message_parts(self, settings: otel.ContentSettings) -> list[JsonObject]:
        """Return the part as OpenTelemetry message parts."""
        changed = ', '.join(f'{name}={value!r}' for name, value in self.settings.items())
        return [otel.text_part(f'Model settings changed: {changed}', settings)]


def _added(names: list[str]) -> str:
    return ', '.join(f'+{name}' for name in names)
