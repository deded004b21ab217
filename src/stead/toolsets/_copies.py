"""Copies with changes: fast ones of tools and definitions, which every step makes, and careful ones of toolsets."""

from __future__ import annotations

from copy import copy
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar, cast

from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool
from .._kit.short import short_repr
from ..exceptions import UserError

T = TypeVar('T', ToolDefinition, ToolsetTool[Any])
ToolsetT = TypeVar('ToolsetT')

_plain: set[type] = set()
"""Classes that are known to set `plain_copies` themselves."""
_renamings: dict[tuple[int, str], tuple[ToolDefinition, dict[str, object], ToolDefinition]] = {}
"""By id of a definition and new name: the definition, which keeps the id valid, its fields, and the renamed definition."""
_RENAMINGS_KEPT = 4096


def changed(record: T, **changes: object) -> T:
    """Return a copy of a tool or definition with some fields changed.

    Instances of classes with `plain_copies` are copied by their `__dict__`, which is several times as fast as `replace`.
    """
    kind = type(record)
    if kind not in _plain:
        if not vars(kind).get('plain_copies'):  # it may have slots, or a `__post_init__`
            return replace(record, **cast('dict[str, Any]', changes))
        _plain.add(kind)
    new = object.__new__(kind)
    new.__dict__ = state = record.__dict__ | changes
    if 'function_signature' in state and 'function_signature' not in changes:
        del state['function_signature']  # cached on the definition, and computed from its other fields
    return new


def still_waiting(prepared: ToolDefinition, original: ToolDefinition) -> ToolDefinition:
    """Return a definition that a function prepared, whose calls wait if those of the original do.

    A listing may make calls wait, and never lets them go: a function that builds a new definition would otherwise drop the
    approval that its tool requires, with the field that it did not know of.

    Raises:
        UserError: The kind of the tool is none that a listing may give it.
    """
    if prepared.kind != original.kind and prepared.kind not in ('function', 'external', 'unapproved'):
        raise UserError(
            f'A prepare function gave the tool {original.name!r} the kind {short_repr(prepared.kind, 100)}. It may be '
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
    if kind not in _plain:
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
    vars(new).pop('_last_shared', None)  # its tools are those of the original
    for field in own_fields:
        if not field.init and field.default_factory is not MISSING:
            setattr(new, field.name, field.default_factory())
    for name, value in changes.items():
        setattr(new, name, value)
    return new
