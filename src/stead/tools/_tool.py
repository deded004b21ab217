"""`Tool`: a function with its schema and the options for calling it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from itertools import count
from operator import attrgetter, is_
from typing import Any, Generic

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import Self, Unpack

from .._contracts.call_policy import CallOptions, CallPolicy
from .._contracts.run_context import RunContext
from .._contracts.tool_definition import ToolDefinition
from .._kit.annotations import is_async_callable
from .._kit.docstrings import DocstringFormat
from .._kit.json_types import JsonObject
from .._kit.plain_copies import changed, own_copy
from .._kit.records import DataRecord
from .._kit.short import short_repr
from ..messages import ToolKind
from ._call_options import call_policy, checked_retries, checked_timeout
from ._schema import FunctionSchema, GenerateToolJsonSchema, copy_of_schema, function_schema as build_function_schema
from ._signature import function_name
from ._types import ArgsValidatorFunc, ToolAgentDepsT, ToolFuncEither, ToolPrepareFunc

_WIDTH = 80
"""Characters of an attribute in the representation of a tool."""
_revisions = count(1)
revision_of = attrgetter('_revision')
"""Returns a number that tells whether a tool, or any of its attributes, is still what it was.

It is `None` if the definition may be another one at each step: `prepare_tool_def` has to be asked.
"""


@dataclass(init=False, repr=False, eq=False)
class Tool(DataRecord, Generic[ToolAgentDepsT]):
    """A tool function for an agent."""

    function: ToolFuncEither[ToolAgentDepsT, ...]
    """The function."""
    takes_ctx: bool
    """Whether it takes the run context as its first argument."""
    max_retries: int | None
    """How many times the model may try again; `None` for the number of the toolset or agent."""
    name: str
    """The name of the tool."""
    description: str | None
    """What it does, for the model."""
    prepare: ToolPrepareFunc[ToolAgentDepsT] | None
    """Changes the definition of the tool for each step, or hides the tool."""
    args_validator: ArgsValidatorFunc[ToolAgentDepsT, ...] | None
    """Checks validated arguments."""
    docstring_format: DocstringFormat
    """The style of the docstring."""
    require_parameter_descriptions: bool
    """Whether every parameter must be described."""
    strict: bool | None
    """Whether the provider enforces the schema."""
    sequential: bool
    """Whether a call never runs at the same time as other calls."""
    requires_approval: bool
    """Whether each call must be approved."""
    metadata: JsonObject | None
    """Data for filters and capabilities."""
    tool_kind: str | None
    """The id of its `ToolKind`; its calls and results have one form, whatever it is named."""
    timeout: float | None
    """Seconds that a call may take; `None` for no limit."""
    defer_loading: bool
    """Whether the tool is deferred until tool search discovers it."""
    include_return_schema: bool | None
    """Whether the return schema is sent to the model."""
    function_schema: FunctionSchema[Any]
    """The schema of the function."""
    policy: CallPolicy | None = field(default=None, kw_only=True)
    """Limits on calls, and how exceptions are handled; `None` if no option is set."""
    # Neither is an argument by position, so that the fields of a dataclass that inherits from this one need no defaults.
    _definition: tuple[tuple[object, ...], ToolDefinition] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    _revision: int | None = field(default=None, init=False, repr=False, compare=False)
    """Another number whenever an attribute is assigned; no other tool has it, unless it is a copy.

    It is `None` for a tool with `prepare`, and for one of a subclass, whose methods and properties may return anything.
    """

    def __init__(
        self,
        function: ToolFuncEither[ToolAgentDepsT, ...],
        *,
        takes_ctx: bool | None = None,
        max_retries: int | None = None,
        name: str | None = None,
        description: str | None = None,
        prepare: ToolPrepareFunc[ToolAgentDepsT] | None = None,
        args_validator: ArgsValidatorFunc[ToolAgentDepsT, ...] | None = None,
        docstring_format: DocstringFormat = 'auto',
        require_parameter_descriptions: bool = False,
        schema_generator: type[GenerateJsonSchema] = GenerateToolJsonSchema,
        strict: bool | None = None,
        sequential: bool = False,
        requires_approval: bool = False,
        metadata: JsonObject | None = None,
        tool_kind: str | ToolKind | None = None,
        timeout: float | None = None,
        defer_loading: bool = False,
        include_return_schema: bool | None = None,
        function_schema: FunctionSchema[Any] | None = None,
        **limits: Unpack[CallOptions],
    ) -> None:
        """Make a tool of a function.

        Args:
            function: The function, sync or async.
            takes_ctx: Whether its first parameter takes the run context; if `None`, its annotation decides.
            max_retries: How many times the model may try again; the number of the toolset or agent if `None`.
            name: The name of the tool; by default that of the function.
            description: What it does, for the model; by default from the docstring.
            prepare: Changes the definition for each step, or hides the tool by returning `None`.
            args_validator: Checks validated arguments, and raises `ModelRetry` to reject them.
            docstring_format: The style of the docstring.
            require_parameter_descriptions: Whether every parameter must be described.
            schema_generator: Makes the JSON schema.
            strict: Whether the provider enforces the schema.
            sequential: Whether a call never runs at the same time as other calls.
            requires_approval: Whether each call must be approved.
            metadata: Data for filters and capabilities; never sent to the model.
            tool_kind: The kind of the tool, a `ToolKind` or its id; its calls and results have one form, whatever it is named.
            timeout: Seconds that a call may take; after that the model is asked to try again.
            defer_loading: Whether the tool is deferred until tool search discovers it.
            include_return_schema: Whether the return schema is sent to the model.
            function_schema: The schema, if it is built already.
            limits: See `CallOptions`.

        Raises:
            UserError: The function has no schema or cannot be called, or a limit, the retries or the timeout are invalid.
            TypeError: A keyword argument is unknown.
        """
        name = name or function_name(function)
        schema = function_schema or build_function_schema(
            function,
            schema_generator,
            tool_name=name,
            takes_ctx=takes_ctx,
            docstring_format=docstring_format,
            require_parameter_descriptions=require_parameter_descriptions,
        )
        vars(self).update(  # an assignment would count as a change
            function=function,
            takes_ctx=schema.takes_ctx,
            max_retries=checked_retries(max_retries, f'tool {name!r}'),
            name=name,
            description=description or schema.description,
            prepare=prepare,
            args_validator=args_validator,
            docstring_format=docstring_format,
            require_parameter_descriptions=require_parameter_descriptions,
            strict=strict,
            sequential=sequential,
            requires_approval=requires_approval,
            metadata=metadata,
            tool_kind=tool_kind.id if isinstance(tool_kind, ToolKind) else tool_kind,
            timeout=checked_timeout(timeout, f'tool {name!r}'),
            defer_loading=defer_loading,
            include_return_schema=include_return_schema,
            function_schema=schema,
            policy=call_policy(limits, f'tool {name!r}', Tool.__init__),  # type: ignore[reportUnknownMemberType]
            _definition=None,
        )
        self._count_change()

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        self._count_change()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._count_change()  # another process may have used the same number

    def _count_change(self) -> None:
        state = vars(self)
        is_static = type(self) is Tool and state.get('prepare') is None and 'prepare_tool_def' not in state
        state['_revision'] = next(_revisions) if is_static else None

    @classmethod
    def from_schema(
        cls,
        function: Callable[..., object],
        name: str,
        description: str | None,
        json_schema: JsonSchemaValue,
        takes_ctx: bool = False,
        sequential: bool = False,
        args_validator: ArgsValidatorFunc[Any, ...] | None = None,
    ) -> Self:
        """Make a tool of a function and a JSON schema.

        Args:
            function: The function; it is called with keyword arguments, which are not validated against the schema.
            name: The name of the tool.
            description: What it does, for the model.
            json_schema: The JSON schema of the arguments.
            takes_ctx: Whether the function takes the run context as its first argument.
            sequential: Whether a call never runs at the same time as other calls.
            args_validator: Checks the arguments.
        """
        schema = FunctionSchema[Any](
            function=function,
            description=description,
            validator=SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())),
            json_schema=json_schema,
            takes_ctx=takes_ctx,
            is_async=is_async_callable(function),
            return_schema={},
        )
        return cls(
            function,
            takes_ctx=takes_ctx,
            name=name,
            description=description,
            function_schema=schema,
            sequential=sequential,
            args_validator=args_validator,
        )

    def __repr__(self) -> str:
        """Return the tool with what was set; not its schema, which `tool_def` has."""
        name = function_name(self.function)
        usual: dict[str, object] = {
            'name': name,
            'description': self.function_schema.description,
            'docstring_format': 'auto',
            'takes_ctx': self.takes_ctx,
        }
        shown = [name or 'function']
        for attribute in fields(self):
            value = getattr(self, attribute.name, None)
            if (
                not attribute.repr
                or attribute.name in ('function', 'function_schema')
                or value is None
                or value is False
            ):
                continue
            if value != usual.get(attribute.name):
                shown.append(f'{attribute.name}={short_repr(value, _WIDTH)}')
        return f'{type(self).__qualname__}({", ".join(shown)})'

    @property
    def tool_def(self) -> ToolDefinition:
        """The definition of the tool, before `prepare`.

        Each time it is another object, which may be changed without changing the tool.
        """
        key = (
            self.name,
            self.description,
            self.function_schema,
            self.strict,
            self.sequential,
            self.metadata,
            self.tool_kind,
            self.timeout,
            self.defer_loading,
            self.requires_approval,
            self.include_return_schema,
        )
        kept = self._definition
        if kept is None or not all(map(is_, kept[0], key)):
            definition = ToolDefinition(
                name=self.name,
                description=self.description,
                parameters_json_schema=self.function_schema.json_schema,
                strict=self.strict,
                sequential=self.sequential,
                metadata=self.metadata,
                tool_kind=self.tool_kind,
                timeout=self.timeout,
                defer_loading=self.defer_loading,
                kind='unapproved' if self.requires_approval else 'function',
                return_schema=self.function_schema.return_schema,
                include_return_schema=self.include_return_schema,
            )
            vars(self)['_definition'] = kept = key, definition
        return own_copy(kept[1])

    async def prepare_tool_def(self, ctx: RunContext[ToolAgentDepsT]) -> ToolDefinition | None:
        """Return the definition for a step after `prepare`, or `None` if that hides the tool."""
        if self.prepare is None:
            return self.tool_def
        # `prepare` may change the schema in place: the copy keeps such changes to this step.
        schema = copy_of_schema(self.function_schema.json_schema)
        prepared = self.prepare(ctx, changed(self.tool_def, parameters_json_schema=schema))
        return await prepared if inspect.isawaitable(prepared) else prepared
