"""Sanitizes messages that a client sent. Nothing in them is trusted, because anyone can write one by hand."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from .._kit.records import DataRecord, is_dict, is_list
from .._kit.short import short
from . import _media as media
from ._changes import InstructionBaselinePart, InstructionDeltaPart
from ._feedback import RetryPromptPart
from ._message import ModelMessage, ModelRequest, ModelRequestPart, ModelResponse, ModelResponsePart
from ._parts import CompactionPart, SystemPromptPart, UserPromptPart
from ._tool_parts import (
    BaseToolReturnPart,
    NativeToolCallPart,
    NativeToolReturnPart,
    ToolCallPart,
    ToolReturnPart,
)

_ReturnT = TypeVar('_ReturnT', bound=BaseToolReturnPart)


@dataclass(repr=False, eq=False)
class Rules(DataRecord):
    """What an interface may send."""

    keeps_system_prompts: bool
    """Whether it may send system prompts."""
    keeps_instructions: bool
    """Whether it may send instructions."""
    schemes: frozenset[str]
    """The schemes that its file URLs may have."""
    force_download: frozenset[media.ForceDownloadMode]
    """The values of `force_download` that its file URLs may have, in addition to `False`."""
    keeps_uploads: bool
    """Whether it may refer to uploaded files."""
    keeps_compaction: bool = True
    """Whether it may send summaries of what was before."""
    keeps_workspaces: bool = False
    """Whether it may say which workspace a run had."""


def sanitized(messages: Sequence[ModelMessage], rules: Rules, answered: Collection[str] = ()) -> list[ModelMessage]:
    """Return messages without what the rules forbid, and warn about what was dropped; see `UIAdapter.sanitize_messages`.

    Args:
        messages: The messages; they are not changed.
        rules: The rules.
        answered: The ids of calls that results come for.
    """
    filter_ = _Filter(rules)
    kept = [new for message in messages if (new := filter_.message(message)) is not None]
    while (index := _last_response(kept)) is not None:
        response = cast(ModelResponse, kept[index])
        calls = _open_calls(response, set(answered), kept[index + 1 :])
        parts = [part for part in response.parts if not any(part is call for call in calls)]
        filter_.calls += [call.tool_name for call in calls]
        kept[index : index + 1] = [replace(response, parts=parts)] if parts else []
        if parts:
            break
    filter_.warn()
    return kept


def _last_response(messages: list[ModelMessage]) -> int | None:
    return next((i for i in range(len(messages) - 1, -1, -1) if isinstance(messages[i], ModelResponse)), None)


def _open_calls(
    response: ModelResponse, answered: set[str], after: list[ModelMessage]
) -> list[ToolCallPart | NativeToolCallPart]:
    """Return the calls of the last response that no result answers, and that the agent would therefore execute.

    Args:
        response: The response.
        answered: The ids of calls that results come for.
        after: The messages after it. With a prompt and without results, they leave its calls behind.
    """
    parts = [part for message in after for part in message.parts]
    results = [part for part in parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]
    if parts and not results:
        return []
    natives = [part for part in response.parts if isinstance(part, NativeToolReturnPart)]
    returned = {part.tool_call_id for part in natives}
    done = answered | {part.tool_call_id for part in results}
    open_calls: list[ToolCallPart | NativeToolCallPart] = []
    for part in response.parts:
        if isinstance(part, NativeToolCallPart):
            if part.tool_call_id not in returned and not after:
                open_calls.append(part)
        elif isinstance(part, ToolCallPart) and part.tool_call_id not in done:
            open_calls.append(part)
    return open_calls


@dataclass(repr=False, eq=False)
class _Filter(DataRecord):
    """Drops what the rules forbid, and notes what it was."""

    rules: Rules
    prompts: bool = False
    schemes: set[str] = field(default_factory=set[str])
    downloads: set[str] = field(default_factory=set[str])
    uploads: set[str] = field(default_factory=set[str])
    calls: list[str] = field(default_factory=list[str])

    def message(self, message: ModelMessage) -> ModelMessage | None:
        """Return a copy of a message without what is forbidden; `None` if nothing is left of it."""
        if isinstance(message, ModelRequest):
            parts = [new for part in message.parts if (new := self._request_part(part)) is not None]
            if not parts:
                return None
            forged = message.instructions is not None and not self.rules.keeps_instructions
            self.prompts = self.prompts or forged
            return replace(message, parts=parts, instructions=None if forged else message.instructions)
        kept = [self._response_part(part) for part in message.parts if self._keeps(part)]
        if not kept:
            return None
        return replace(
            message, parts=kept, workspace_ref=message.workspace_ref if self.rules.keeps_workspaces else None
        )

    def _keeps(self, part: object) -> bool:
        return self.rules.keeps_compaction or not isinstance(part, CompactionPart)

    def _request_part(self, part: ModelRequestPart) -> ModelRequestPart | None:
        if not self._keeps(part):
            return None
        if isinstance(part, (SystemPromptPart, InstructionBaselinePart, InstructionDeltaPart)):
            if self.rules.keeps_system_prompts:
                return part
            self.prompts = True
            return None
        if isinstance(part, UserPromptPart):
            return part if isinstance(part.content, str) else replace(part, content=self._value(list(part.content)))
        return self._return(part) if isinstance(part, BaseToolReturnPart) else part

    def _response_part(self, part: ModelResponsePart) -> ModelResponsePart:
        return self._return(part) if isinstance(part, NativeToolReturnPart) else part

    def _return(self, part: _ReturnT) -> _ReturnT:
        content = cast(object, part.content)
        value = self._value(content)
        return part if value is content else replace(part, content=None if value is _DROPPED else value)

    def _value(self, value: Any) -> Any:
        """Return a value without the files that are forbidden, however deep in it they are; itself, if it has none."""
        if isinstance(value, media.FileUrl):
            return self._file(value)
        if isinstance(value, media.UploadedFile):
            if self.rules.keeps_uploads:
                return value
            self.uploads.add(short(value.provider_name, 40))
            return _DROPPED
        if is_list(value) or isinstance(value, tuple):
            items = [self._value(item) for item in cast('Sequence[Any]', value)]
            if all(new is old for new, old in zip(items, cast('Sequence[Any]', value))):
                return cast(Any, value)
            return [item for item in items if item is not _DROPPED]
        if is_dict(value):
            pairs = {key: self._value(item) for key, item in value.items()}
            if all(pairs[key] is item for key, item in value.items()):
                return value
            return {key: item for key, item in pairs.items() if item is not _DROPPED}
        return value

    def _file(self, file: media.FileUrl) -> object:
        # Without a scheme nothing can be opened; but programs that open links ignore white space before them.
        scheme = file.url.partition(':')[0].lower() if ':' in file.url else ''
        if scheme not in {allowed.lower() for allowed in self.rules.schemes}:
            self.schemes.add(short(scheme, 40))
            return _DROPPED
        if file.force_download is not False and file.force_download not in self.rules.force_download:
            self.downloads.add(repr(file.force_download))
            return replace(file, force_download=False)
        return file

    def warn(self) -> None:
        """Warn about what was dropped."""
        if self.prompts:
            warn_of_request(
                'System prompts in the request were dropped, because the agent has its own say: '
                "`manage_system_prompt` is 'server'. With 'client', the interface manages them."
            )
        if self.schemes:
            warn_of_request(
                f'File URLs in the request were dropped: their schemes {listed(sorted(self.schemes))} are not in '
                f'`allowed_file_url_schemes`, {sorted(self.rules.schemes)}. Providers open links such as `s3://` in the '
                'name of the server, so allow them only for interfaces that you trust.'
            )
        if self.downloads:
            allowed = sorted(map(repr, self.rules.force_download))
            warn_of_request(
                f'`force_download` of file URLs in the request was reset: {sorted(self.downloads)} is not in '
                f'`allowed_file_url_force_download`, {allowed}. It makes the server fetch the file, with '
                "'allow-local' even from its own network."
            )
        if self.uploads:
            warn_of_request(
                f'References to files uploaded to {listed(sorted(self.uploads))} were dropped from the request. Providers open '
                'them in the name of the server; `preserve_file_data=True` keeps them, for interfaces that you trust.'
            )
        if self.calls:
            warn_of_request(
                f'Tool calls at the end of the request were dropped: {listed(self.calls)} have no '
                'result, and only a model may call tools. To approve or answer them, pass `deferred_tool_results`.'
            )


class _Dropped:
    """Stands for a value that is left out."""


_DROPPED = _Dropped()


# Python remembers every text that it has warned of, for as long as the process lives. Texts hold words of clients, so they are
# bounded, and so is their number.
_MOST_NAMES = 5
_MOST_REMEMBERED = 1_000
_remembered: dict[str, int] = {}


def warn_of_request(message: str) -> None:
    """Warn of something in a request; the filters of `warnings` say how often the same is shown.

    Args:
        message: What happened, and what to do; words of clients in it have to be bounded, see `listed`.
    """
    if len(_remembered) > _MOST_REMEMBERED:
        _remembered.clear()
    warnings.warn_explicit(message, UserWarning, 'stead.ui', 0, module='stead.ui', registry=_remembered)  # type: ignore[reportArgumentType]


def listed(names: Iterable[str]) -> str:
    """Return the first of different names as a list, cut to a length that fits into a message."""
    different = list(dict.fromkeys(names))
    shown = [short(name, 40) for name in different[:_MOST_NAMES]]
    more = len(different) - len(shown)
    return f'{shown} and {more} more' if more else str(shown)


def sanitize_messages(
    messages: Sequence[ModelMessage],
    *,
    strip_system_prompts: bool = True,
    strip_instructions: bool = True,
    strip_compaction_parts: bool = False,
    allowed_file_url_schemes: Collection[str] = ('http', 'https'),
    allowed_file_url_force_download: Collection[media.ForceDownloadMode] = (),
    allow_uploaded_files: bool = False,
    strip_workspace_refs: bool = True,
    resolved_tool_call_ids: Collection[str] = (),
) -> list[ModelMessage]:
    """Return messages of a client without what it has no right to send, and warn of what was dropped.

    Calls at the end that have no result are dropped as well: only a model may call tools. The messages are not changed.

    Args:
        messages: The messages.
        strip_system_prompts: Whether system prompts are dropped, and notes of instructions.
        strip_instructions: Whether instructions are.
        strip_compaction_parts: Whether summaries of earlier messages are.
        allowed_file_url_schemes: The schemes that links to files may have.
        allowed_file_url_force_download: The values of `force_download` that they may have, in addition to `False`.
        allow_uploaded_files: Whether there may be references to files that were uploaded to a provider.
        strip_workspace_refs: Whether references to workspaces are dropped.
        resolved_tool_call_ids: The ids of calls that results come for.
    """
    rules = Rules(
        keeps_system_prompts=not strip_system_prompts,
        keeps_instructions=not strip_instructions,
        schemes=frozenset(allowed_file_url_schemes),
        force_download=frozenset(allowed_file_url_force_download),
        keeps_uploads=allow_uploaded_files,
        keeps_compaction=not strip_compaction_parts,
        keeps_workspaces=not strip_workspace_refs,
    )
    return sanitized(messages, rules, resolved_tool_call_ids)
