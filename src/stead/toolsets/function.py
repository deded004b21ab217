"""`FunctionToolset`: functions as tools."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast, overload

from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import Unpack

from .._contracts.call_policy import CallOptions, CallPolicy
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool
from .._kit.aio import is_async_callable, run_in_executor, within
from .._kit.docstrings import DocstringFormat
from .._kit.threads import limiters
from ..exceptions import ModelRetry, UserError
from ..messages import InstructionPart
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
from ._options import ToolOptions


@dataclass(kw_only=True)
class FunctionToolsetTool(ToolsetTool[AgentDepsT]):
    """A tool of a `FunctionToolset`."""

    plain_copies = True
    call_func: Callable[[dict[str, Any], RunContext[AgentDepsT]], Awaitable[Any]]
    """Calls the function with validated arguments."""
    is_async: bool
    """Whether the function is async."""
    timeout: float | None = None
    """Seconds a call may take; those of the toolset if `None`."""
    in_thread: bool = True
    """Whether the function runs in a worker thread, where nobody can stop it."""


@dataclass
class _InstructionFunction:
    function: Callable[..., Any]
    takes_ctx: bool
    is_async: bool

    @classmethod
    def of(cls, function: Callable[..., Any]) -> _InstructionFunction:
        return cls(function, bool(inspect.signature(function).parameters), is_async_callable(function))

    async def text(self, ctx: RunContext[Any]) -> str | None:
        """Return the text, or `None` if there is nothing to say this time.

        Raises:
            UserError: The function returned something else.
        """
        args = (ctx,) if self.takes_ctx else ()
        answer = await self.function(*args) if self.is_async else await run_in_executor(self.function, *args)
        if answer is None or (isinstance(answer, str) and not answer.strip()):
            return None
        if not isinstance(answer, str):
            name = getattr(self.function, '__qualname__', repr(self.function))
            raise UserError(
                f'The instructions function {name!r} returned {type(answer).__name__}: {answer!r}. Return text, or `None`.'
            )
        return answer


class FunctionToolset(AbstractToolset[AgentDepsT]):
    """A toolset of functions. What a tool does not set itself, it has from the toolset."""

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
            max_retries: How often the model may try again; the number of the agent if `None`.
            timeout: Seconds a call may take; the model is then asked to try again.
            docstring_format: The style of docstrings.
            require_parameter_descriptions: Whether every parameter must be described.
            schema_generator: Makes the JSON schemas.
            strict: Whether the vendor enforces the schemas.
            sequential: Whether calls never run beside other calls.
            requires_approval: Whether somebody has to approve each call.
            metadata: Data for filters and capabilities; that of a tool goes over it.
            defer_loading: Whether tools are deferred until tool search discovers them.
            include_return_schema: Whether return schemas are sent to the model.
            id: An id for the toolset.
            instructions: How to use the tools: text, functions, or a sequence of these.
            limits: See `CallOptions`. `max_calls` and `on_tool_error` hold for each tool that sets none of its own,
                `max_tool_concurrency` for all of them together.

        Raises:
            UserError: No schema can be made for a function, two tools have one name, or a limit, the retries or the timeout
                are wrong.
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
        self.policy: CallPolicy | None = call_policy(limits, owner)
        self._instructions: list[str | _InstructionFunction] = []
        self._version = 0
        if instructions is not None:
            several = isinstance(instructions, Sequence) and not isinstance(instructions, str)
            for source in cast('Sequence[Any]', instructions if several else [instructions]):
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

    @property
    def tools_version(self) -> Hashable | None:
        """Changes with the tools of the toolset; unknown if one of them has a `prepare` function."""
        tools = self.tools.values()
        if type(self).get_tools is not FunctionToolset.get_tools or any(tool.prepare is not None for tool in tools):
            return None
        return (id(self), self._version, *map(id, tools))

    @property
    def says_only_text(self) -> bool:
        """Whether none of the instructions come from a function."""
        own = type(self).get_instructions is FunctionToolset.get_instructions
        return own and all(isinstance(source, str) for source in self._instructions)

    @property
    def has_instructions(self) -> bool:
        """Whether there are any."""
        return bool(self._instructions) or type(self).get_instructions is not FunctionToolset.get_instructions

    @overload
    def tool(self, func: ToolFuncContext[AgentDepsT, ToolParams], /) -> ToolFuncContext[AgentDepsT, ToolParams]: ...

    @overload
    def tool(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncContext[AgentDepsT, ToolParams]], ToolFuncContext[AgentDepsT, ToolParams]]: ...

    def tool(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function as a tool; it may take the run context as its first argument, annotated as `RunContext`.

        Args:
            func: The function, if the decorator is used without arguments.
            options: See `ToolOptions`; what is left out comes from the toolset.

        Returns:
            The function itself.

        Raises:
            UserError: No schema can be made for the function, or a tool of its name exists.
        """
        return self._register(func, None, options)

    @overload
    def tool_plain(self, func: ToolFuncPlain[ToolParams], /) -> ToolFuncPlain[ToolParams]: ...

    @overload
    def tool_plain(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncPlain[ToolParams]], ToolFuncPlain[ToolParams]]: ...

    def tool_plain(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function as a tool; it does not take the run context. Arguments as `tool`."""
        return self._register(func, False, options)

    def _register(self, func: Any, takes_ctx: bool | None, options: Any) -> Any:
        def register(function: Any) -> Any:
            self.add_function(function, takes_ctx, **options)
            return function

        return register if func is None else register(func)

    def instructions(self, func: SystemPromptFunc[AgentDepsT], /) -> SystemPromptFunc[AgentDepsT]:
        """Register a function that returns instructions on how to use the tools.

        Args:
            func: A function with or without the run context, sync or async; `None` adds nothing.

        Raises:
            UserError: It is no function.
        """
        self._add_instructions(func)
        return func

    def _add_instructions(self, source: Any) -> None:
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
        timeout: float | None = None,
        include_return_schema: bool | None = None,
        **limits: Unpack[CallOptions],
    ) -> Tool[AgentDepsT]:
        """Add a function as a tool. Arguments as for `Tool`; those left out come from the toolset.

        Raises:
            UserError: No schema can be made for the function, or a tool of its name exists.
        """

        def own(value: Any, default: Any) -> Any:
            return default if value is None else value

        tool = Tool[AgentDepsT](
            func,
            takes_ctx=takes_ctx,
            name=name,
            description=description,
            max_retries=retries,
            prepare=prepare,
            args_validator=args_validator,
            docstring_format=own(docstring_format, self.docstring_format),
            require_parameter_descriptions=own(require_parameter_descriptions, self.require_parameter_descriptions),
            schema_generator=schema_generator or self.schema_generator,
            strict=own(strict, self.strict),
            sequential=own(sequential, self.sequential),
            requires_approval=own(requires_approval, self.requires_approval),
            metadata=metadata,
            timeout=timeout,
            defer_loading=own(defer_loading, self._defer_loading),
            include_return_schema=own(include_return_schema, self.include_return_schema),
            **limits,
        )
        self.add_tool(tool)
        return tool

    def add_tool(self, tool: Tool[AgentDepsT]) -> None:
        """Add a tool.

        Raises:
            UserError: A tool of its name exists.
        """
        if tool.name in self.tools:
            raise UserError(
                f'A tool named {tool.name!r} exists in {self.label} already. Give one of them another `name`.'
            )
        if tool.max_retries is None:
            tool.max_retries = self.max_retries
        if self.metadata is not None:
            tool.metadata = {**self.metadata, **(tool.metadata or {})}
        self.tools[tool.name] = tool
        self._version += 1

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[str | InstructionPart] | None:
        """Return the instructions; plain text is static, what functions return is dynamic."""
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
            UserError: A `prepare` function gave two tools one name.
        """
        tools: dict[str, ToolsetTool[AgentDepsT]] = {}
        originals: dict[str, str] = {}
        for original, tool in self.tools.items():
            limit = tool.max_retries if tool.max_retries is not None else ctx.max_retries
            definition = tool.tool_def
            if tool.prepare is not None:
                named = ctx.fork(tool_name=original, retry=ctx.retries.get(original, 0), max_retries=limit)
                prepared = await tool.prepare_tool_def(named)
                if prepared is None:
                    continue
                definition = prepared
            if definition.name in tools:
                renamed = sorted({original, originals[definition.name]} - {definition.name})
                raise UserError(
                    f'Two tools of {self.label} have the name {definition.name!r} in this step: the prepare function of '
                    f'{" and of ".join(map(repr, renamed))} gave it this name. Let it return the definition with '
                    'another name, or `None` to leave the tool out.'
                )
            originals[definition.name] = original
            tools[definition.name] = FunctionToolsetTool(
                toolset=self,
                tool_def=definition,
                max_retries=limit,
                args_validator=tool.function_schema.validator,
                args_validator_func=tool.args_validator,
                call_func=tool.function_schema.call,
                is_async=tool.function_schema.is_async,
                in_thread=tool.function_schema.in_thread,
                timeout=definition.timeout,
                policy=merged_policy(self.policy, tool.policy),
            )
        return tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call the function.

        Raises:
            ModelRetry: It took longer than its timeout. If it is sync it goes on in its thread, and its result is dropped.
            UserError: The toolset has no such tool.
        """
        if not isinstance(tool, FunctionToolsetTool):  # a wrapper made a `ToolsetTool` of its own
            tools = await self.get_tools(ctx)
            if name not in tools:
                raise UserError(f'{self.label} has no tool {name!r}; there are {sorted(tools)}.')
            tool = tools[name]
            assert isinstance(tool, FunctionToolsetTool)
        timeout = self.timeout if tool.timeout is None else tool.timeout
        if timeout is None:
            return await tool.call_func(tool_args, ctx)
        message = f'Timed out after {timeout} seconds.'
        if timeout <= 0:
            raise ModelRetry(message)
        if tool.in_thread:
            limiters(asyncio.get_running_loop())
        try:
            return await within(timeout, tool.call_func(tool_args, ctx))
        except (asyncio.TimeoutError, TimeoutError) as error:
            if tool.in_thread and isinstance(error.__cause__, asyncio.CancelledError):
                message += ' The call was not stopped, so it may still have completed.'
            raise ModelRetry(message) from error
