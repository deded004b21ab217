"""`FromSpec`: the ways to build an agent from a spec."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from typing_extensions import Self, Unpack

from .._contracts.capability import AbstractCapability
from ._options import AGENT_OPTIONS, FromSpecOptions, check_names


class FromSpec:
    """The part of `Agent` that makes agents of specs.

    What has a type for type checkers gets it where the class is named: `Agent[Deps, Output].from_spec(...)`.
    """

    @classmethod
    def from_spec(
        cls,
        spec: Any,
        *,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[FromSpecOptions[Any]],
    ) -> Self:
        """Return the agent that a spec describes. No code runs from a spec, only that of the capabilities it names.

        Args:
            spec: An `AgentSpec`, or a dictionary with its keys.
            custom_capability_types: Capabilities that the spec may name besides those of stead.
            options: Arguments of `Agent`, over those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The spec is not valid; the message says where, and what was expected.
            UserError: There is no model, or an argument is wrong.
            ValueError: `custom_capability_types` has something else in it.
        """
        from .._specs.resolve import agent_arguments
        from .._specs.source import Origin

        where = '`Agent.from_spec`'
        arguments = _checked(options, where)
        return cls(**agent_arguments(spec, Origin(), custom_capability_types, arguments, where))

    @classmethod
    def from_file(
        cls,
        path: Path | str,
        *,
        fmt: Any = None,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[FromSpecOptions[Any]],
    ) -> Self:
        """Return the agent that a file describes.

        Args:
            path: The file, in YAML or JSON.
            fmt: `'yaml'` or `'json'`; by default as the name of the file says.
            custom_capability_types: Capabilities that the spec may name besides those of stead.
            options: Arguments of `Agent`, over those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The file is broken, or its spec is not valid; the message points into it.
            OSError: It cannot be read.
            UserError: There is no model, or an argument is wrong.
            ValueError: The name of the file does not say how it is written.
            ImportError: It is YAML, and PyYAML is not installed.
        """
        from .._specs.resolve import agent_arguments
        from .._specs.source import parse
        from .._specs.spec import origin_of

        origin = origin_of(path, fmt)
        where = '`Agent.from_file`'
        arguments = _checked(options, where)
        return cls(**agent_arguments(parse(origin), origin, custom_capability_types, arguments, where))


def _checked(options: Any, where: str) -> dict[str, Any]:
    check_names(f'{where} has no argument', options, {*AGENT_OPTIONS, 'instrument', 'custom_capability_types'})
    return cast('dict[str, Any]', options)
