"""Copies with changes: definitions under another name, and careful ones of toolsets."""

from __future__ import annotations

from copy import copy
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.plain_copies import changed, plain_classes
from .._kit.short import short_repr
from ..exceptions import UserError

T = TypeVar('T', ToolDefinition, ToolsetTool[Any])
ToolsetT = TypeVar('ToolsetT')

_renamings: dict[tuple[int, str], tuple[ToolDefinition, dict[str, object], ToolDefinition]] = {}
"""By id of a definition and new name: the definition, which keeps the id valid, its fields, and the renamed definition."""
_RENAMINGS_KEPT = 4096


def still_waiting(prepared: ToolDefinition, original: ToolDefinition) -> ToolDefinition:
    """Return a definition that a function or a hook prepared, whose calls wait if those of the original do.

    A listing may make calls wait, and never lets them go: a function that builds a new definition would otherwise drop the
    approval that its tool requires, with the field that it did not know of.

    Raises:
        UserError: The kind of the tool is not valid in a listing.
    """
    if prepared.kind != original.kind and prepared.kind not in ('function', 'external', 'unapproved'):
        raise UserError(
            f'A function or a hook gave the tool {original.name!r} the kind {short_repr(prepared.kind, 100)}. It may be '
            "'function', 'external' or 'unapproved'; tools of the kind 'output' come from the output type."
        )
    if prepared.kind == 'function' and original.defer:
        return changed(prepared, kind=original.kind)
    return prepared


def with_name(tool: ToolsetTool[Any], name: str, **changes: object) -> ToolsetTool[Any]:
    """Return a copy of a tool whose definition has another name, and other fields changed.

    The renamed definition is the same object every time, as long as the definition does not change: everything that is cached
    for a listing of tools thus remains valid when the tools are listed again.
    """
    definition, kind = tool.tool_def, type(tool)
    kept = _renamings.get((id(definition), name))
    if kept is None or kept[0] is not definition or kept[1] != definition.__dict__:
        if len(_renamings) >= _RENAMINGS_KEPT:
            _renamings.clear()
        kept = _renamings[id(definition), name] = definition, {**definition.__dict__}, changed(definition, name=name)
    changes['tool_def'] = kept[2]
    if kind not in plain_classes:
        return changed(tool, **changes)
    new = object.__new__(kind)
    new.__dict__ = tool.__dict__ | changes
    return new


def copy_with(toolset: ToolsetT, **changes: Any) -> ToolsetT:
    """Return a copy of a toolset with some fields changed.

    A class whose `__init__` does not take exactly its fields is copied instead of built again, because the arguments are
    unknown.
    """
    code = getattr(type(toolset).__init__, '__code__', None)
    parameters = set(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]) if code is not None else None
    own_fields = fields(toolset)  # type: ignore[arg-type]
    if parameters == {field.name for field in own_fields if field.init}:
        return replace(toolset, **changes)  # type: ignore[type-var]
    new = copy(toolset)
    for field in own_fields:
        if not field.init and field.default_factory is not MISSING:
            setattr(new, field.name, field.default_factory())
    for name, value in changes.items():
        setattr(new, name, value)
    return new
