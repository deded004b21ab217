"""`FunctionToolset`: functions as tools."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast, overload

from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import Unpack

from .._contracts.call_policy import CallOptions, CallPolicy
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.tool_definition import ToolDefinition
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit import aio, threads
from .._kit.annotations import is_async_callable
from .._kit.docstrings import DocstringFormat
from .._kit.option_signatures import with_options
from .._kit.records import DataRecord
from ..exceptions import ApprovalRequired, ModelRetry, UserError
from ..messages import InstructionPart, ToolKind, check_tool_kind
from ..tools import (
    ArgsValidatorFunc,
    GenerateToolJsonSchema,
    SystemPromptFunc,
    Tool,
    ToolFuncContext,
    ToolFuncEither,
    ToolFuncPlain,
    ToolParams,
    ToolPrepareFunc,
)
from ..tools._call_options import call_policy, checked_retries, checked_timeout, merged_policy
from ..tools._tool import revision_of
from ._copies import still_waiting
from ._options import ToolOptions as ToolOptions

_ValueT = TypeVar('_ValueT')


@dataclass(repr=False, eq=False, kw_only=True)
class FunctionToolsetTool(ToolsetTool[AgentDepsT]):
    """A tool of a `FunctionToolset`."""

    plain_copies = True
    call_func: Callable[[dict[str, Any], RunContext[AgentDepsT]], Awaitable[Any]]
    """A function that calls the tool with validated arguments."""
    is_async: bool
    """Whether the function is async."""
    timeout: float | None = None
    """Seconds a call may take; the timeout of the toolset if `None`."""
    in_thread: bool = True
    """Whether the function runs in a worker thread, where it cannot be stopped."""
    requires_approval: bool = False
    """Whether a call has to be approved, whatever later listings make of the definition."""
    original_name: str | None = None
    """The name that the tool has in the toolset, if a `prepare` function gave its definition another."""


@dataclass(repr=False, eq=False)
class _InstructionFunction(DataRecord):
    """A function that returns instructions."""

    function: Callable[..., Any]
    takes_ctx: bool
    is_async: bool

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _InstructionFunction:
        return cls(function, bool(inspect.signature(function).parameters), is_async_callable(function))

    async def text(self, ctx: RunContext[Any]) -> str | None:
        """Return the instructions, or `None` if they are empty.

        Raises:
            UserError: The function returned neither text nor `None`.
        """
        args = (ctx,) if self.takes_ctx else ()
        text = await self.function(*args) if self.is_async else await aio.run_in_executor(self.function, *args)
        if text is None or (isinstance(text, str) and not text.strip()):
            return None
        if not isinstance(text, str):
            name = getattr(self.function, '__qualname__', repr(self.function))
            raise UserError(
                f'The instructions function {name!r} returned {type(text).__name__}: {text!r}. Return text, or `None`.'
            )
        return text


_MOST_SHOWN = 20
"""Tools that the representation of a toolset names."""


class FunctionToolset(AbstractToolset[AgentDepsT]):
    """A toolset of functions. Options that a tool does not set have the values of the toolset."""

    def __init__(
        self,
        tools: Sequence[Tool[AgentDepsT] | ToolFuncEither[AgentDepsT, ...]] = [],
        *,
        max_retries: int | None = None,
        timeout: float | None = None,
        docstring_format: DocstringFormat = 'auto',
        require_parameter_descriptions: bool = False,
        schema_generator: type[GenerateJsonSchema] = GenerateToolJsonSchema,
        strict: bool | None = None,
        sequential: bool = False,
        requires_approval: bool = False,
        metadata: dict[str, Any] | None = None,
        defer_loading: bool = False,
        include_return_schema: bool | None = None,
        id: str | None = None,
        instructions: str | SystemPromptFunc[AgentDepsT] | Sequence[str | SystemPromptFunc[AgentDepsT]] | None = None,
        **limits: Unpack[CallOptions],
    ) -> None:
        """Build a toolset.

        Args:
            tools: Functions and `Tool` objects.
            max_retries: How many times the model may try again; the number of the agent if `None`.
            timeout: Seconds a call may take before the model is asked to try again; no limit if `None`.
            docstring_format: The style of docstrings.
            require_parameter_descriptions: Whether every parameter must be described.
            schema_generator: The class that generates the JSON schemas.
            strict: Whether the provider enforces the schemas.
            sequential: Whether calls never run at the same time as other calls.
            requires_approval: Whether each call needs approval; also calls of `Tool` objects that are added. Only
                `requires_approval=False` for a single function excepts its tool.
            metadata: Data for filters and capabilities; metadata of a tool replaces values under the same keys.
            defer_loading: Whether tools are deferred until tool search discovers them.
            include_return_schema: Whether return schemas are sent to the model.
            id: An id for the toolset.
            instructions: How to use the tools: text, functions, or a sequence of these.
            limits: See `CallOptions`. `max_calls` and `on_tool_error` are defaults for each tool, and
                `max_tool_concurrency` limits all tools together.

        Raises:
            UserError: No JSON schema can be generated for a function, two tools have the same name, or a limit, the retries
                or the timeout are invalid.
        """
        self.tools: dict[str, Tool[Any]] = {}
        owner = 'the agent' if id == '<agent>' else f'toolset {id!r}' if id else 'a toolset'
        self.max_retries: int | None = checked_retries(max_retries, owner)
        self.timeout: float | None = checked_timeout(timeout, owner)
        self.docstring_format: DocstringFormat = docstring_format
        self.require_parameter_descriptions = require_parameter_descriptions
        self.schema_generator = schema_generator
        self.strict = strict
        self.sequential = sequential
        self.requires_approval = requires_approval
        self.metadata = metadata
        self._defer_loading = defer_loading
        self.include_return_schema = include_return_schema
        self._id = id
        self.policy: CallPolicy | None = call_policy(limits, owner, FunctionToolset.__init__)  # type: ignore[reportUnknownMemberType]
        self._instructions: list[str | _InstructionFunction] = []
        if instructions is not None:
            several = isinstance(instructions, Sequence) and not isinstance(instructions, str)
            for source in cast('Sequence[object]', instructions if several else [instructions]):
                self._add_instructions(source)
        if not isinstance(tools, Iterable):  # type: ignore[reportUnnecessaryIsInstance]
            raise UserError(f'The tools of {owner} must be a sequence of functions and `Tool` objects, not {tools!r}.')
        for tool in tools:
            if isinstance(tool, Tool):
                self.add_tool(tool)  # type: ignore[reportUnknownArgumentType]
            else:
                self.add_function(tool)

    @property
    def id(self) -> str | None:
        """The id of the toolset."""
        return self._id

    def __repr__(self) -> str:
        tools = [*self.tools][:_MOST_SHOWN] + ['...'] * (len(self.tools) > _MOST_SHOWN)
        named = f', id={self._id!r}' if self._id is not None else ''
        return f'{type(self).__qualname__}([{", ".join(tools)}]{named})'

    @property
    def tools_version(self) -> Hashable | None:
        """A value that changes with the tools; `None` if one of them may be another at each step."""
        revisions = (*map(revision_of, self.tools.values()),)
        return None if None in revisions else (self.policy, revisions)

    @property
    def has_static_instructions(self) -> bool:
        """Whether no instructions come from functions, so that returning them is quick."""
        own = type(self).get_instructions is FunctionToolset.get_instructions
        return own and all(isinstance(source, str) for source in self._instructions)

    @property
    def has_instructions(self) -> bool:
        """Whether the toolset has instructions."""
        return bool(self._instructions) or type(self).get_instructions is not FunctionToolset.get_instructions

    @overload
    def tool(self, func: ToolFuncContext[AgentDepsT, ToolParams], /) -> ToolFuncContext[AgentDepsT, ToolParams]: ...

    @overload
    def tool(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncContext[AgentDepsT, ToolParams]], ToolFuncContext[AgentDepsT, ToolParams]]: ...

    @with_options()
    def tool(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function as a tool; its first argument is the run context, annotated as `RunContext`.

        A function without the run context is registered too, which is deprecated: use `tool_plain` for it.

        Args:
            func: The function, if the decorator is used without arguments.
            options: As for `Agent.tool`, which lists them.

        Returns:
            The function itself, or a decorator if the method is called with options.

        Raises:
            UserError: No JSON schema can be generated for the function, or there already is a tool of that name.
        """

        def register(function: Any, stacklevel: int = 2) -> Any:
            tool = self.add_function(function, None, **options)
            if not tool.takes_ctx:
                warnings.warn(
                    f'`FunctionToolset.tool` is for functions that take the run context; that of {tool.name!r} does not. '
                    'Register it with `tool_plain`, or annotate its first parameter as `RunContext[...]`.',
                    DeprecationWarning,
                    stacklevel=stacklevel,
                )
            return function

        return register if func is None else register(func, stacklevel=3)

    @overload
    def tool_plain(self, func: ToolFuncPlain[ToolParams], /) -> ToolFuncPlain[ToolParams]: ...

    @overload
    def tool_plain(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncPlain[ToolParams]], ToolFuncPlain[ToolParams]]: ...

    @with_options()
    def tool_plain(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function that does not take the run context as a tool. Arguments, returns and errors: as for `tool`.

        Args:
            func: The function, if the decorator is used without arguments.
            options: As for `Agent.tool`, which lists them.
        """

        def register(function: Any) -> Any:
            self.add_function(function, False, **options)
            return function

        return register if func is None else register(func)

    def instructions(self, func: SystemPromptFunc[AgentDepsT], /) -> SystemPromptFunc[AgentDepsT]:
        """Register a function that returns instructions on how to use the tools.

        Args:
            func: A function with or without the run context, sync or async; it returns text, or `None` for no instructions.

        Returns:
            The function itself.

        Raises:
            UserError: `func` is not a function.
        """
        self._add_instructions(func)
        return func

    def _add_instructions(self, source: object) -> None:
        if isinstance(source, str):
            if source.strip():
                self._instructions.append(source)
        elif callable(source):
            self._instructions.append(_InstructionFunction.of(source))
        else:
            raise UserError(
                f'Instructions of {self.label} must be text, a function that returns text, or a sequence of these, not '
                f'{type(source).__name__}: {source!r}.'
            )

    def add_function(
        self,
        func: ToolFuncEither[AgentDepsT, ToolParams],
        takes_ctx: bool | None = None,
        name: str | None = None,
        description: str | None = None,
        retries: int | None = None,
        prepare: ToolPrepareFunc[AgentDepsT] | None = None,
        args_validator: ArgsValidatorFunc[AgentDepsT, ToolParams] | None = None,
        docstring_format: DocstringFormat | None = None,
        require_parameter_descriptions: bool | None = None,
        schema_generator: type[GenerateJsonSchema] | None = None,
        strict: bool | None = None,
        sequential: bool | None = None,
        requires_approval: bool | None = None,
        defer_loading: bool | None = None,
        metadata: dict[str, Any] | None = None,
        tool_kind: str | ToolKind | None = None,
        timeout: float | None = None,
        include_return_schema: bool | None = None,
        **limits: Unpack[CallOptions],
    ) -> Tool[AgentDepsT]:
        """Add a function as a tool.

        Arguments are the same as for `Tool`, with `retries` for its `max_retries`. Those left out have the values of the
        toolset.

        Returns:
            The tool.

        Raises:
            UserError: No JSON schema can be generated for the function, or there already is a tool of that name.
        """

        def own(value: _ValueT | None, default: _ValueT) -> _ValueT:
            return default if value is None else value

        if limits:
            # Checked here, too, so that an unknown one is compared with the arguments of this method.
            call_policy(limits, f'tool {name or getattr(func, "__name__", "")!r}', self.add_function)
        # Not `Tool[AgentDepsT](...)`, after which Python assigns an attribute.
        tool: Tool[AgentDepsT] = Tool(
            func,
            takes_ctx=takes_ctx,
            name=name,
            description=description,
            max_retries=retries if retries is not None else self.max_retries,
            prepare=prepare,
            args_validator=args_validator,
            docstring_format=own(docstring_format, self.docstring_format),
            require_parameter_descriptions=own(require_parameter_descriptions, self.require_parameter_descriptions),
            schema_generator=schema_generator or self.schema_generator,
            strict=own(strict, self.strict),
            sequential=own(sequential, self.sequential),
            requires_approval=own(requires_approval, self.requires_approval),
            metadata=metadata,
            tool_kind=tool_kind,
            timeout=timeout,
            defer_loading=own(defer_loading, self._defer_loading),
            include_return_schema=own(include_return_schema, self.include_return_schema),
            **limits,
        )
        self._add(tool)
        return tool

    def add_tool(self, tool: Tool[AgentDepsT]) -> None:
        """Add a tool. Retries and metadata that it does not set are set to those of the toolset.

        If the toolset requires approval, so does each tool that is added, and a copy is added of one that does not.

        Raises:
            UserError: There already is a tool of that name.
        """
        if self.requires_approval and not tool.requires_approval:
            tool = copy(tool)  # the tool itself may also be in a toolset that requires none
            tool.requires_approval = True
        self._add(tool)

    def _add(self, tool: Tool[AgentDepsT]) -> None:
        if tool.name in self.tools:
            raise UserError(
                f'There already is a tool named {tool.name!r} in {self.label}. Give one of them another `name`.'
            )
        if tool.max_retries is None and self.max_retries is not None:
            tool.max_retries = self.max_retries
        policy = merged_policy(self.policy, tool.policy)
        if policy is not None and policy.cache is not None:
            policy.cache.check(tool.name, takes_ctx=tool.function_schema.takes_ctx, effect=policy.effect)
        if self.metadata is not None:
            tool.metadata = {**self.metadata, **(tool.metadata or {})}
        self.tools[tool.name] = tool

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[str | InstructionPart] | None:
        """Return the instructions. Text is static, and what functions return is marked as dynamic."""
        parts: list[str | InstructionPart] = []
        for source in self._instructions:
            if isinstance(source, str):
                parts.append(InstructionPart(content=source))
            elif (text := await source.text(ctx)) is not None:
                parts.append(InstructionPart(content=text, dynamic=True))
        return parts or None

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """Return the tools of the step.

        Raises:
            UserError: A `prepare` function gave two tools the same name, or a tool is not of the kind that it declares.
        """
        tools: dict[str, ToolsetTool[AgentDepsT]] = {}
        originals: dict[str, str] = {}
        for original, tool in self.tools.items():
            definition = tool.tool_def
            if revision_of(tool) is None:
                limit = tool.max_retries if tool.max_retries is not None else ctx.max_retries
                named = ctx.fork(tool_name=original, retry=ctx.retries.get(original, 0), max_retries=limit)
                prepared = await tool.prepare_tool_def(named)
                if prepared is None:
                    continue
                definition = still_waiting(prepared, definition)
            if definition.name in tools:
                renamed = sorted({original, originals[definition.name]} - {definition.name})
                raise UserError(
                    f'Two tools of {self.label} have the name {definition.name!r} in this step: the prepare function of '
                    f'{" and of ".join(map(repr, renamed))} gave it this name. Let it return the definition with '
                    'another name, or `None` to leave the tool out.'
                )
            if definition.tool_kind is not None:
                check_tool_kind(definition.tool_kind, definition.name, definition.parameters_json_schema)
            originals[definition.name] = original
            tools[definition.name] = self.tool_for_tool_def(definition, ctx=ctx, original_name=original)
        return tools

    def tool_for_tool_def(
        self, tool_def: ToolDefinition, *, ctx: RunContext[AgentDepsT], original_name: str | None = None
    ) -> FunctionToolsetTool[AgentDepsT]:
        """Return the tool of a definition that the toolset has listed, without calling `prepare` functions.

        Args:
            tool_def: The definition.
            ctx: The run context of the step.
            original_name: The name that the tool has in the toolset, if the definition has another.

        Raises:
            KeyError: The toolset has no such tool.
        """
        tool = self.tools[original_name or tool_def.name]
        schema = tool.function_schema
        policy = merged_policy(self.policy, tool.policy)
        call_func: Any = schema.call
        if policy is not None and policy.cache is not None:
            source = f'{getattr(tool.function, "__module__", "")}.{getattr(tool.function, "__qualname__", "")}'
            call_func = partial(
                policy.cache.call, {'toolset': self.id, 'tool': tool.name, 'function': source}, call_func
            )
        return FunctionToolsetTool(
            toolset=self,
            tool_def=tool_def,
            max_retries=tool.max_retries if tool.max_retries is not None else ctx.max_retries,
            args_validator=schema.validator,
            args_validator_func=tool.args_validator,
            call_func=call_func,
            is_async=schema.is_async,
            in_thread=schema.in_thread,
            timeout=tool_def.timeout,
            requires_approval=tool.requires_approval or tool_def.kind == 'unapproved',
            policy=policy,
            original_name=original_name or tool_def.name,
        )

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the function.

        Raises:
            ApprovalRequired: The tool requires approval, and the call was not approved.
            ModelRetry: The call took longer than its timeout. A sync function keeps running in its thread, but its result is
                discarded.
            UserError: The toolset has no such tool.
        """
        if not isinstance(tool, FunctionToolsetTool):  # a wrapper has built a `ToolsetTool` of its own
            tools = await self.get_tools(ctx)
            if name not in tools:
                raise UserError(f'{self.label} has no tool {name!r}; there are {sorted(tools)}.')
            tool = tools[name]
            assert isinstance(tool, FunctionToolsetTool)
        if tool.requires_approval and not ctx.tool_call_approved:
            raise ApprovalRequired
        timeout = self.timeout if tool.timeout is None else tool.timeout
        if timeout is None:
            return await tool.call_func(tool_args, ctx)
        message = f'Timed out after {timeout} seconds.'
        if timeout <= 0:
            raise ModelRetry(message)
        if tool.in_thread:
            threads.limiters(aio.get_running_loop())
        try:
            return await aio.within(timeout, tool.call_func(tool_args, ctx))
        except aio.TimeLimitReached as error:
            if tool.in_thread:
                message += ' The call was not stopped, so it may still have completed.'
            raise ModelRetry(message) from error
        except (aio.AsyncioTimeoutError, TimeoutError) as error:
            raise ModelRetry(f'Tool {name!r} raised TimeoutError.') from error
