"""The capabilities that agent specs know by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._contracts.capability import AbstractCapability
from .include_return_schemas import IncludeToolReturnSchemas
from .native_tool import NativeTool
from .prefix_tools import PrefixTools
from .reinject_system_prompt import ReinjectSystemPrompt
from .set_tool_metadata import SetToolMetadata
from .thinking import Thinking

CAPABILITY_TYPES: dict[str, type[AbstractCapability[Any]]] = {
    name: cls
    for cls in (IncludeToolReturnSchemas, NativeTool, PrefixTools, ReinjectSystemPrompt, SetToolMetadata, Thinking)
    if (name := cls.get_serialization_name()) is not None
}
"""The classes by the names that they have in specs."""


def capability_from_spec(
    spec: Any, types: Mapping[str, type[AbstractCapability[Any]]] | None = None
) -> AbstractCapability[Any]:
    """Build a capability from its entry in an agent spec.

    Args:
        spec: A name; or an object with the name as its only key, whose value is an object of keyword arguments, or the
            only argument.
        types: The classes by name; `CAPABILITY_TYPES` if `None`.

    Raises:
        ValueError: The entry has another form, or no capability has that name.
    """
    known = CAPABILITY_TYPES if types is None else types
    arguments: Any = {}
    name: Any = spec
    if isinstance(spec, dict) and len(spec) == 1:  # type: ignore[reportUnknownArgumentType]
        name, arguments = next(iter(spec.items()))  # type: ignore[reportUnknownVariableType]
    if not isinstance(name, str):
        raise ValueError(
            f'A capability must be written as a name, or as an object with one key, its name; not {spec!r}.'
        )
    if name not in known:
        raise ValueError(f'There is no capability {name!r} for specs. There are: {", ".join(sorted(known))}.')
    if isinstance(arguments, dict):
        return known[name].from_spec(**arguments)
    return known[name].from_spec(arguments)
