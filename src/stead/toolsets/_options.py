"""The options of the decorators that register a tool."""

from typing import Any, Generic

from pydantic.json_schema import GenerateJsonSchema

from .._contracts.call_policy import CallOptions
from .._contracts.run_context import AgentDepsT
from ..messages import ToolKind
from ..tools import ArgsValidatorFunc, DocstringFormat, ToolPrepareFunc


class ToolOptions(CallOptions, Generic[AgentDepsT], total=False):
    """Options of the decorators that register a tool. Those left out have the values of the toolset."""

    name: str | None
    """The name of the tool; by default that of the function."""
    description: str | None
    """What the tool does, for the model; by default from the docstring."""
    retries: int | None
    """How many times the model may try again."""
    prepare: ToolPrepareFunc[AgentDepsT] | None
    """A function that changes the definition for each step, or hides the tool by returning `None`."""
    args_validator: ArgsValidatorFunc[AgentDepsT, ...] | None
    """A function that checks validated arguments before the tool is called."""
    docstring_format: DocstringFormat | None
    """The format of the docstring."""
    require_parameter_descriptions: bool | None
    """Whether every parameter must be described in the docstring."""
    schema_generator: type[GenerateJsonSchema] | None
    """The class that generates the JSON schema."""
    strict: bool | None
    """Whether the provider enforces the schema."""
    sequential: bool | None
    """Whether calls of the tool never run at the same time as other calls."""
    requires_approval: bool | None
    """Whether each call needs approval."""
    metadata: dict[str, Any] | None
    """Data for filters and capabilities; never sent to the model."""
    tool_kind: str | ToolKind | None
    """The kind of the tool, a `ToolKind` or its id; its calls and results have one form, whatever it is named."""
    timeout: float | None
    """Seconds a call may take."""
    defer_loading: bool | None
    """Whether the tool is deferred until tool search discovers it."""
    include_return_schema: bool | None
    """Whether the return schema is sent to the model."""
