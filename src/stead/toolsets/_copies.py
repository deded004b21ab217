"""Copies with changes: quick ones of what is copied at every step and call, and careful ones of toolsets."""

from __future__ import annotations

from copy import copy
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import ToolsetTool

T = TypeVar('T', ToolDefinition, ToolsetTool[Any])
ToolsetT = TypeVar('ToolsetT')

_plain: set[type] = set()
"""Classes that are known to have `plain_copies`."""
_renamings: dict[tuple[int, str], tuple[ToolDefinition, dict[str, Any], ToolDefinition]] = {}
"""Definitions by identity and new name: the definition, what was in it, and the renamed one."""
_RENAMINGS_KEPT = 4096


def changed(record: T, **changes: Any) -> T:
    """Return a copy of a tool or definition with some fields changed."""
    kind = type(record)
    if kind not in _plain:
        if not vars(kind).get('plain_copies'):  # it may have slots, or work to do when an instance is made
            return replace(record, **changes)
        _plain.add(kind)
    new = object.__new__(kind)
    new.__dict__ = state = record.__dict__ | changes
    if 'function_signature' in state and 'function_signature' not in changes:
        del state['function_signature']  # a definition keeps it; it depends on the other fields
    return new


def with_name(tool: ToolsetTool[Any], name: str, **changes: Any) -> ToolsetTool[Any]:
    """Return a copy of a tool whose definition has another name, and other fields changed."""
    return changed(tool, tool_def=_renamed(tool.tool_def, name), **changes)


def _renamed(definition: ToolDefinition, name: str) -> ToolDefinition:
    """Return a definition under another name: the same one every time, as long as the definition stays as it is.

    So what was made of a listing can be used again when the listing is made anew.
    """
    kept = _renamings.get((id(definition), name))
    if kept is not None and kept[0] is definition and kept[1] == definition.__dict__:
        return kept[2]
    if len(_renamings) >= _RENAMINGS_KEPT:
        _renamings.clear()
    new = changed(definition, name=name)
    _renamings[id(definition), name] = definition, dict(definition.__dict__), new
    return new


def remade(toolset: ToolsetT, **changes: Any) -> ToolsetT:
    """Return a toolset like another, with some fields changed.

    A class of the user's with an `__init__` of its own is not made anew, since nobody knows with which arguments, but
    copied.
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
