"""`FromSpec`: the ways to build an agent from a spec."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

from typing_extensions import Self, Unpack

from .._contracts.capability import AbstractCapability
from . import _rare_options as rare
from ._checks import check_names
from ._options import SpecLike


class FromSpec:
    """The part of `Agent` that builds agents from specs.

    A spec does not have the types of dependencies and output; write them with the class, for type checkers:
    `Agent[Deps, Output].from_spec(...)`.
    """

    @classmethod
    def from_spec(
        cls,
        spec: SpecLike,
        *,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[rare.FromSpecOptions[Any]],
    ) -> Self:
        """Return the agent that a spec describes. A spec contains no code, and runs only that of the capabilities it names.

        Args:
            spec: An `AgentSpec`, or a dictionary with its keys.
            custom_capability_types: Capabilities that the spec may name besides those of stead.
            options: Arguments of `Agent`, which override those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The spec is not valid; the message says where, and what was expected.
            UserError: There is no model, or an argument is wrong.
            ValueError: `custom_capability_types` holds something that is not a capability, or two with the same name; or
                the provider of the model is not known.
            ImportError: The package of a vendor is not installed.
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
        fmt: Literal['yaml', 'json'] | None = None,
        custom_capability_types: Sequence[type[AbstractCapability[Any]]] = (),
        **options: Unpack[rare.FromSpecOptions[Any]],
    ) -> Self:
        """Return the agent that a file describes.

        Args:
            path: The file, in YAML or JSON.
            fmt: The format of the file; by default that of its suffix.
            custom_capability_types: Capabilities that the spec may name besides those of stead.
            options: Arguments of `Agent`, which override those of the spec; see `AgentOptions`.

        Raises:
            SpecError: The file is malformed, or its spec is not valid; the message points into it.
            OSError: The file cannot be read.
            UserError: There is no model, or an argument is wrong.
            ValueError: There is no `fmt`, and the suffix of the file is unknown; and as for `from_spec`.
            ImportError: The format is YAML, and PyYAML is not installed; or the package of a vendor is not.
        """
        from .._specs.resolve import agent_arguments
        from .._specs.source import parse
        from .._specs.spec import origin_of

        origin = origin_of(path, fmt)
        where = '`Agent.from_file`'
        arguments = _checked(options, where)
        return cls(**agent_arguments(parse(origin), origin, custom_capability_types, arguments, where))


def _checked(options: rare.FromSpecOptions[Any], where: str) -> dict[str, Any]:
    check_names(f'{where} has no argument', options, {*rare.AGENT_OPTIONS, 'instrument', 'custom_capability_types'})
    return cast('dict[str, Any]', options)
