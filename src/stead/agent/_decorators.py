"""`Decorators`: what an agent has for registering tools, prompts, validators and toolsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from typing_extensions import Unpack

from .._calls.outputs import OutputValidator
from .._contracts.run_context import AgentDepsT
from .._contracts.toolset import AbstractToolset
from .._loop.prompts import SystemPromptRunner, function_reference
from ..tools import ToolFuncContext, ToolFuncPlain, ToolParams
from ..toolsets import DynamicToolset, ToolsetFunc
from ._options import ToolOptions
from ._plan import Instructions, RunPlan
from ._toolset import AgentFunctionToolset

FunctionT = TypeVar('FunctionT', bound=Callable[..., Any])


class Decorators(Generic[AgentDepsT]):
    """The decorators of an agent. What they register takes effect with the next run."""

    _function_toolset: AgentFunctionToolset[AgentDepsT]
    _system_prompt_functions: list[SystemPromptRunner[AgentDepsT]]
    _system_prompt_dynamic_functions: dict[str, SystemPromptRunner[AgentDepsT]]
    _own_instructions: Instructions[AgentDepsT]
    _output_validators: list[OutputValidator[AgentDepsT, Any]]
    _dynamic_toolsets: list[AbstractToolset[AgentDepsT]]
    _plan: RunPlan[AgentDepsT] | None

    @overload
    def tool(self, func: ToolFuncContext[AgentDepsT, ToolParams], /) -> ToolFuncContext[AgentDepsT, ToolParams]: ...

    @overload
    def tool(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncContext[AgentDepsT, ToolParams]], ToolFuncContext[AgentDepsT, ToolParams]]: ...

    def tool(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function as a tool; it takes the run context as its first argument.

        Args:
            func: The function, if the decorator is used without arguments.
            options: See `ToolOptions`.

        Returns:
            The function itself.

        Raises:
            UserError: No schema can be made for the function, or a tool of its name exists.
        """
        return self._register(func, True, options)

    @overload
    def tool_plain(self, func: ToolFuncPlain[ToolParams], /) -> ToolFuncPlain[ToolParams]: ...

    @overload
    def tool_plain(
        self, /, **options: Unpack[ToolOptions[AgentDepsT]]
    ) -> Callable[[ToolFuncPlain[ToolParams]], ToolFuncPlain[ToolParams]]: ...

    def tool_plain(self, func: Any = None, /, **options: Unpack[ToolOptions[AgentDepsT]]) -> Any:
        """Register a function as a tool; it does not take the run context. Arguments and errors as `tool`."""
        return self._register(func, False, options)

    def _register(self, func: Any, takes_ctx: bool, options: Any) -> Any:
        def register(function: Any) -> Any:
            self._function_toolset.add_function(function, takes_ctx, **options)
            return function

        return register if func is None else register(func)

    @overload
    def system_prompt(self, func: FunctionT, /) -> FunctionT: ...

    @overload
    def system_prompt(self, /, *, dynamic: bool = False) -> Callable[[FunctionT], FunctionT]: ...

    def system_prompt(self, func: Any = None, /, *, dynamic: bool = False) -> Any:
        """Register a function that returns text for the system prompt.

        Args:
            func: A function with or without the run context, sync or async; `None` adds nothing.
            dynamic: Whether it is called again, and its text in the history replaced, when a run continues one.
        """

        def register(function: Any) -> Any:
            runner = SystemPromptRunner[AgentDepsT](function, dynamic=dynamic)
            self._system_prompt_functions.append(runner)
            if dynamic:
                self._system_prompt_dynamic_functions[function_reference(function)] = runner
            return function

        return register if func is None else register(func)

    @overload
    def instructions(self, func: FunctionT, /) -> FunctionT: ...

    @overload
    def instructions(self, func: None = None, /) -> Callable[[FunctionT], FunctionT]: ...

    def instructions(self, func: Any = None, /) -> Any:
        """Register a function that returns instructions; called for every request.

        Args:
            func: A function with or without the run context, sync or async; `None` adds nothing.
        """

        def register(function: Any) -> Any:
            self._own_instructions.add(function)
            self._plan = None
            return function

        return register if func is None else register(func)

    def output_validator(self, func: FunctionT, /) -> FunctionT:
        """Register a function that checks the output, or returns another one.

        Args:
            func: A function of the output, or of the run context and the output; sync or async. It raises
                `ModelRetry` to ask the model again.
        """
        self._output_validators.append(OutputValidator(func))
        return func

    @overload
    def toolset(self, func: FunctionT, /) -> FunctionT: ...

    @overload
    def toolset(self, /, *, per_run_step: bool = True, id: str | None = None) -> Callable[[FunctionT], FunctionT]: ...

    def toolset(
        self, func: ToolsetFunc[AgentDepsT] | None = None, /, *, per_run_step: bool = True, id: str | None = None
    ) -> Any:
        """Register a function of the run context that returns a toolset, or `None`.

        Args:
            func: The function, sync or async.
            per_run_step: Whether it is called for every step, or once for each run.
            id: An id for the toolset.
        """

        def register(function: Any) -> Any:
            self._dynamic_toolsets.append(DynamicToolset(function, per_run_step=per_run_step, id=id))
            self._plan = None
            return function

        return register if func is None else register(func)
