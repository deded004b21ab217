"""`ToolDefinition`, which describes a tool to a model; the interface of argument validators; types of native tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol, Union

import pydantic
from pydantic import AliasChoices
from typing_extensions import TypeAlias

from .._kit.json_types import JsonObject
from .._kit.keywords import renamed
from .._kit.records import ShortRepr
from .._kit.short import short_repr
from ..exceptions import UserError
from ..native_tools import AbstractNativeTool
from .run_context import AgentDepsT, RunContext

if TYPE_CHECKING:
    from ..function_signature import FunctionSignature

ObjectJsonSchema: TypeAlias = JsonObject
"""A JSON schema of an object, that is, one with `"type": "object"`."""

ToolKind: TypeAlias = Literal['function', 'output', 'external', 'unapproved']
"""How a tool is run: by stead, not at all (an output), outside of the run, or by stead after an approval."""

TOOL_KINDS: tuple[ToolKind, ...] = ('function', 'output', 'external', 'unapproved')
"""All kinds."""

ToolPartKind: TypeAlias = Literal['tool-search', 'capability-load']
"""The kinds of framework tools whose calls and returns have message parts of their own."""


def _no_parameters() -> ObjectJsonSchema:
    return {'type': 'object', 'properties': {}}


@renamed(prefer_native='unless_native', prefer_builtin='unless_native')
@dataclass(repr=False, eq=False, kw_only=True)
class ToolDefinition(ShortRepr):
    """Definition of a function tool or output tool as it is passed to a model."""

    plain_copies: ClassVar[bool] = True
    """Whether a changed copy may be built from `__dict__` alone, which is fast but skips `__init__` and `__post_init__`.

    It only counts in the class that sets it: a subclass may have an `__init__` that must run.
    """
    name: str
    """The name of the tool."""
    parameters_json_schema: ObjectJsonSchema = field(default_factory=_no_parameters)
    """The JSON schema of the parameters."""
    description: str | None = None
    """What the tool does, for the model."""
    outer_typed_dict_key: str | None = None
    """The key that wraps the value of an output tool whose schema is not an object."""
    strict: bool | None = None
    """Whether the provider enforces the schema: `True`, `False`, or `None` to let the model class decide."""
    sequential: bool = False
    """Whether a call of this tool never runs at the same time as other calls."""
    kind: ToolKind = field(default='function')
    """How the tool is run."""
    metadata: JsonObject | None = None
    """Data for filters and capabilities; never sent to the model."""
    timeout: float | None = None
    """Seconds a call may take before the model is asked to try again; `None` for no limit."""
    defer_loading: bool = False
    """Whether the tool is deferred, that is, hidden until it is discovered or its capability is loaded."""
    unless_native: Annotated[
        str | None, pydantic.Field(validation_alias=AliasChoices('unless_native', 'prefer_native', 'prefer_builtin'))
    ] = None
    """Native tool kind that replaces this tool where the model supports it."""
    with_native: str | None = None
    """Native tool kind that manages this tool where the model supports it."""
    tool_kind: str | None = None
    """The kind of the tool, which its calls and results have as well: one of the framework, or the id of a `ToolKind`."""
    return_schema: ObjectJsonSchema | None = None
    """The JSON schema of the return value, if known."""
    include_return_schema: bool | None = None
    """Whether the return schema is sent to the model; `None` means no, unless a capability decides."""
    capability_id: str | None = None
    """Id of the capability that contributed the tool."""

    def __post_init__(self) -> None:
        if self.kind not in TOOL_KINDS:
            raise UserError(
                f'The tool {self.name!r} has the kind {short_repr(self.kind, 100)}; there are {", ".join(map(repr, TOOL_KINDS))}.'
            )

    @property
    def defer(self) -> bool:
        """Whether calls of this tool wait for an external result or an approval."""
        return self.kind in ('external', 'unapproved')

    @cached_property
    def function_signature(self) -> FunctionSignature:
        """The tool as a function signature, built from its two schemas on first use."""
        from ..function_signature import FunctionSignature

        return FunctionSignature.from_schema(
            name=self.name, parameters_schema=self.parameters_json_schema, return_schema=self.return_schema
        )

    def render_signature(self, body: str, **kwargs: Any) -> str:
        """Render the tool as Python source.

        Args:
            body: The function body, for example `'...'`.
            kwargs: Passed on to `FunctionSignature.render`.

        Returns:
            The source text of a function with the tool's name and description.
        """
        return self.function_signature.render(body, name=self.name, description=self.description, **kwargs)


class SchemaValidatorProt(Protocol):
    """The part of pydantic-core's `SchemaValidator` that tools use. Other validators may implement it."""

    def validate_json(
        self,
        input: str | bytes | bytearray,
        *,
        allow_partial: bool | Literal['off', 'on', 'trailing-strings'] = False,
        **kwargs: Any,
    ) -> Any:
        """Validate JSON text.

        Args:
            input: The text.
            allow_partial: Whether incomplete JSON is accepted.
            kwargs: Other options of pydantic's validators, such as `context`.

        Returns:
            The validated data.

        Raises:
            ValidationError: The data is not valid.
        """
        ...

    def validate_python(
        self, input: object, *, allow_partial: bool | Literal['off', 'on', 'trailing-strings'] = False, **kwargs: Any
    ) -> Any:
        """Validate Python data; the arguments, result and errors are those of `validate_json`."""
        ...


NativeToolFunc: TypeAlias = Callable[
    [RunContext[AgentDepsT]], Union[Awaitable[Union[AbstractNativeTool, None]], AbstractNativeTool, None]
]
"""A function of the run context that returns a native tool for a step, or `None`."""
AgentNativeTool: TypeAlias = Union[AbstractNativeTool, NativeToolFunc[AgentDepsT]]
"""A native tool, or a function that returns one."""
