"""`Decorators`: the decorators of an agent, which register tools, prompts, validators and toolsets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar, Union, cast, overload

from typing_extensions import TypeAlias, Unpack

from .. import capabilities as all_capabilities, toolsets as all_toolsets
from .._calls import outputs
from .._contracts.capability import AbstractCapability
from .._contracts.output import OutputDataT
from .._contracts.run_context import AgentDepsT, RunContext
from .._contracts.toolset import AbstractToolset
from .._kit.option_signatures import with_options
from .._loop.prompts import SystemPromptRunner, function_reference
from ..tools import ToolFuncContext, ToolFuncPlain, ToolParams
from ..toolsets import ToolsetFunc
from ._config import AgentConfig
from ._options import AgentInstructions, ToolOptions
from ._sources import Instructions, leaves

DepsT = TypeVar('DepsT')
FunctionT = TypeVar('FunctionT', bound=Callable[..., object])
TextT = TypeVar('TextT', bound=Union[str, None, Awaitable[Union[str, None]]])
"""Type variable for what a function returns that makes text: text or `None`, sync or async."""
EventT = TypeVar('EventT')
ListenerT = TypeVar('ListenerT', bound=Callable[..., object])
EventListener: TypeAlias = Callable[[RunContext[DepsT], EventT], object]
"""A function of the run context and an event, sync or async."""
ToolsetT = TypeVar('ToolsetT', bound=Union[AbstractToolset[Any], None, Awaitable[Union[AbstractToolset[Any], None]]])
"""Type variable for what a function returns that makes a toolset: a toolset or `None`, sync or async."""


class TextDecorator(Protocol[DepsT]):
    """Registers a function that returns text; it may take the run context."""

    @overload
    def __call__(self, func: Callable[[RunContext[DepsT]], TextT], /) -> Callable[[RunContext[DepsT]], TextT]: ...

    @overload
    def __call__(self, func: Callable[[], TextT], /) -> Callable[[], TextT]: ...


class Decorators(Generic[AgentDepsT, OutputDataT]):
    """The decorators of an agent. They do not affect runs that have already started."""

    _config: AgentConfig[AgentDepsT, OutputDataT]

    def _change(self, **values: object) -> None:
        """Put another config in the place of the agent's, with other values for some options."""
        self._config = replace(self._config, **values)  # type: ignore[reportArgumentType]

    @overload
    def tool(self, func: ToolFuncContext[AgentDepsT, ToolParams], /) -> ToolFuncContext[AgentDepsT, ToolParams]: ...

    @overload
    def tool(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncContext[AgentDepsT, ToolParams]], ToolFuncContext[AgentDepsT, ToolParams]]: ...

    @with_options()
    def tool(self, func: Callable[..., object] | None = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> object:
        """Register a function as a tool; it takes the run context as its first argument.

        Args:
            func: The function, if the decorator is used without arguments.
            options: Those of `ToolOptions`:
                max_calls: How many times the tool may be called in a run. After that it is hidden, and another call
                    gets an error message.
                max_tool_concurrency: How many calls may run at the same time, in all runs together; others wait.
                on_tool_error: How exceptions are handled; by default they end the run.
                effect: What the tool does to the world; by default, something that must not be done twice.
                reconcile: Finds out whether a call was done, when the process that made it died.
                pinned: Whether results are sent word for word as long as the conversation lasts, also where others are
                    left out.
                poll: Whether the tool waits for something, so that it may return the same many times.
                cache: Answers calls with what the tool has returned before, for tools with `effect='read'`: a
                    `stead.caches.ToolCache`.
                name: The name of the tool; by default that of the function.
                description: What the tool does, for the model; by default from the docstring.
                retries: How many times the model may try again.
                prepare: A function that changes the definition for each step, or hides the tool by returning `None`.
                args_validator: A function that checks validated arguments before the tool is called.
                docstring_format: The format of the docstring.
                require_parameter_descriptions: Whether every parameter must be described in the docstring.
                schema_generator: The class that generates the JSON schema.
                strict: Whether the provider enforces the schema.
                sequential: Whether calls of the tool never run at the same time as other calls.
                requires_approval: Whether each call needs approval.
                metadata: Data for filters and capabilities; never sent to the model.
                tool_kind: The kind of the tool, a `ToolKind` or its id; its calls and results have one form, whatever
                    it is named.
                timeout: Seconds a call may take.
                defer_loading: Whether the tool is deferred until tool search discovers it.
                include_return_schema: Whether the return schema is sent to the model.

        Returns:
            The function itself.

        Raises:
            UserError: There can be no schema for the parameters of the function, or a tool of its name exists.
        """
        return self._register(func, True, options)

    @overload
    def tool_plain(self, func: ToolFuncPlain[ToolParams], /) -> ToolFuncPlain[ToolParams]: ...

    @overload
    def tool_plain(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncPlain[ToolParams]], ToolFuncPlain[ToolParams]]: ...

    @with_options()
    def tool_plain(
        self, func: Callable[..., object] | None = None, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> object:
        """Register a function that does not take the run context as a tool; arguments and errors as for `tool`.

        Args:
            func: The function, if the decorator is used without arguments.
            options: As for `Agent.tool`, which lists them.
        """
        return self._register(func, False, options)

    def _register(
        self, func: Callable[..., object] | None, takes_ctx: bool, options: ToolOptions[AgentDepsT]
    ) -> object:
        def register(function: FunctionT) -> FunctionT:
            self._config.tools.add_function(function, takes_ctx, **options)
            return function

        return register if func is None else register(func)

    @overload
    def system_prompt(
        self, func: Callable[[RunContext[AgentDepsT]], TextT], /
    ) -> Callable[[RunContext[AgentDepsT]], TextT]: ...

    @overload
    def system_prompt(self, func: Callable[[], TextT], /) -> Callable[[], TextT]: ...

    @overload
    def system_prompt(self, /, *, dynamic: bool = False) -> TextDecorator[AgentDepsT]: ...

    def system_prompt(self, func: Callable[..., object] | None = None, /, *, dynamic: bool = False) -> object:
        """Register a function that returns text for the system prompt.

        Args:
            func: A function with or without the run context, sync or async; it may return `None` for no text.
            dynamic: Whether a run that continues a history calls it again, and replaces its text there.

        Returns:
            The function itself.
        """

        def register(function: FunctionT) -> FunctionT:
            runner = SystemPromptRunner[AgentDepsT](function, dynamic=dynamic)
            config = self._config
            named = {function_reference(function): runner} if dynamic else {}
            self._change(
                prompt_functions=[*config.prompt_functions, runner], dynamic_prompts={**config.dynamic_prompts, **named}
            )
            return function

        return register if func is None else register(func)

    @overload
    def instructions(
        self, func: Callable[[RunContext[AgentDepsT]], TextT], /
    ) -> Callable[[RunContext[AgentDepsT]], TextT]: ...

    @overload
    def instructions(self, func: Callable[[], TextT], /) -> Callable[[], TextT]: ...

    @overload
    def instructions(self, func: None = None, /) -> TextDecorator[AgentDepsT]: ...

    def instructions(self, func: Callable[..., object] | None = None, /) -> object:
        """Register a function that returns instructions; it is called for every request.

        Args:
            func: A function with or without the run context, sync or async; it may return `None` for no instructions.

        Returns:
            The function itself.

        Raises:
            UserError: It is not a function.
        """

        def register(function: FunctionT) -> FunctionT:
            self._change(instructions=self._config.instructions + Instructions[AgentDepsT].of(function))
            return function

        return register if func is None else register(func)

    @overload
    def output_validator(
        self, func: Callable[[RunContext[AgentDepsT], OutputDataT], OutputDataT], /
    ) -> Callable[[RunContext[AgentDepsT], OutputDataT], OutputDataT]: ...

    @overload
    def output_validator(
        self, func: Callable[[RunContext[AgentDepsT], OutputDataT], Coroutine[Any, Any, OutputDataT]], /
    ) -> Callable[[RunContext[AgentDepsT], OutputDataT], Coroutine[Any, Any, OutputDataT]]: ...

    @overload
    def output_validator(
        self, func: Callable[[RunContext[AgentDepsT], OutputDataT], Awaitable[OutputDataT]], /
    ) -> Callable[[RunContext[AgentDepsT], OutputDataT], Awaitable[OutputDataT]]: ...

    @overload
    def output_validator(
        self, func: Callable[[OutputDataT], OutputDataT], /
    ) -> Callable[[OutputDataT], OutputDataT]: ...

    @overload
    def output_validator(
        self, func: Callable[[OutputDataT], Coroutine[Any, Any, OutputDataT]], /
    ) -> Callable[[OutputDataT], Coroutine[Any, Any, OutputDataT]]: ...

    @overload
    def output_validator(
        self, func: Callable[[OutputDataT], Awaitable[OutputDataT]], /
    ) -> Callable[[OutputDataT], Awaitable[OutputDataT]]: ...

    def output_validator(self, func: Callable[..., object], /) -> object:
        """Register a function that checks the output and may replace it.

        Args:
            func: A function of the output, or of the run context and the output, sync or async. It returns the output,
                or raises `ModelRetry` to ask the model again.

        Returns:
            The function itself.
        """
        self._change(output_validators=[*self._config.output_validators, outputs.OutputValidator(func)])
        return func

    @overload
    def toolset(
        self, func: Callable[[RunContext[AgentDepsT]], ToolsetT], /
    ) -> Callable[[RunContext[AgentDepsT]], ToolsetT]: ...

    @overload
    def toolset(
        self, /, *, per_run_step: bool = True, id: str | None = None
    ) -> Callable[[Callable[[RunContext[AgentDepsT]], ToolsetT]], Callable[[RunContext[AgentDepsT]], ToolsetT]]: ...

    def toolset(
        self, func: Callable[..., object] | None = None, /, *, per_run_step: bool = True, id: str | None = None
    ) -> object:
        """Register a function of the run context that returns a toolset, or `None`.

        Args:
            func: The function, sync or async.
            per_run_step: Whether it is called for every step, or once for each run.
            id: An id for the toolset.

        Returns:
            The function itself.
        """

        def register(function: FunctionT) -> FunctionT:
            toolset_func = cast('ToolsetFunc[AgentDepsT]', function)
            toolset = all_toolsets.DynamicToolset(toolset_func, per_run_step=per_run_step, id=id)
            self._change(toolsets=[*self._config.toolsets, toolset])
            return function

        return register if func is None else register(func)

    @overload
    def on_event(self, func: ListenerT, /) -> ListenerT: ...

    @overload
    def on_event(self, func: None = None, /, *, timeout: float | None = None) -> Callable[[ListenerT], ListenerT]: ...

    @overload
    def on_event(
        self, event_type: type[EventT], /, *event_types: type[EventT], timeout: float | None = None
    ) -> Callable[[EventListener[AgentDepsT, EventT]], EventListener[AgentDepsT, EventT]]: ...

    def on_event(self, func_or_event_type: Any = None, /, *event_types: type, timeout: float | None = None) -> object:
        """Register a function that listens to the events of every run, also of runs whose events nothing else reads.

        Args:
            func_or_event_type: A function of the run context and the event, sync or async, if the decorator is used without
                arguments; or a type of events. Another event that it returns takes the place of the event for functions after it
                and for readers. An error that it raises ends the run.
            event_types: Further types of the events that it is called for; it is called for all if there are none.
            timeout: Seconds that an async function may take before `HookTimeoutError` is raised.

        Returns:
            The function itself, or a decorator if the first argument is not a function.
        """
        from ..capabilities.hooks import listener_decorator

        decorate = listener_decorator(
            self._config.event_functions, lambda functions: self._change(event_functions=functions)
        )
        return decorate(func_or_event_type, *event_types, timeout=timeout)

    @property
    def history_processors(self) -> list[Callable[..., object]]:
        """The functions of the capabilities `ProcessHistory`; an old name."""
        return [one.processor for one in self._config.capabilities if isinstance(one, all_capabilities.ProcessHistory)]

    # Extension packages read and set this and the next property.
    @property
    def _root_capability(self) -> all_capabilities.CombinedCapability[AgentDepsT]:
        return self._config.root_capability

    @_root_capability.setter
    def _root_capability(self, value: AbstractCapability[AgentDepsT]) -> None:
        self._change(capabilities=leaves([value]))

    @property
    def _instructions(self) -> list[str | Callable[..., object]]:
        return list(self._config.instructions)

    @_instructions.setter
    def _instructions(self, value: AgentInstructions[AgentDepsT]) -> None:
        self._change(instructions=Instructions[AgentDepsT].of(value))
