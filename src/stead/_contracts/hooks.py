"""The hook table: the lifecycle points of a run, the values that pass through them, and the hooks without a point.

A point `x` has four hooks: `before_x`, `wrap_x`, `after_x` and `on_x_error`. Their signatures are written once, in
`AbstractCapability`; chains, combined and wrapper capabilities and the `Hooks` registrar are derived from these rows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

from pydantic_core import ValidationError
from typing_extensions import TypeAlias, TypeVar

from .._kit.json_types import JsonObject
from ..exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    RetryModelRequest,
    SkipModelRequest,
    SkipToolExecution,
    SkipToolValidation,
    ToolFailed,
    ToolRetryError,
)
from .run_context import AgentDepsT, RunContext

if TYPE_CHECKING:
    from ..messages import ModelResponse
    from .model import ModelRequestContext

_DepsT = TypeVar('_DepsT', default=Any)
# Agents and nodes belong to a higher layer, so these stand for any value. They have a type parameter because users write
# `NodeResult[MyDeps]`.
AnyAgent: TypeAlias = Any
"""An `AbstractAgent`."""
AgentNode: TypeAlias = Union[Any, _DepsT]
"""A node of the agent's graph: `UserPromptNode`, `ModelRequestNode` or `CallToolsNode`."""
NodeResult: TypeAlias = Union[Any, _DepsT]
"""The result of a node: the next node, or `End` with the final result."""
WrapRunHandler: TypeAlias = 'Callable[[], Awaitable[Any]]'
"""Runs the agent; returns an `AgentRunResult`."""
WrapNodeRunHandler: TypeAlias = Callable[[AgentNode[_DepsT]], Awaitable[NodeResult[_DepsT]]]
"""Runs a node; returns the next node or `End`."""
WrapModelRequestHandler: TypeAlias = 'Callable[[ModelRequestContext], Awaitable[ModelResponse]]'
"""Sends the request to the model; returns its response."""
RawToolArgs: TypeAlias = Union[str, JsonObject]
"""Tool arguments as the model sent them."""
ValidatedToolArgs: TypeAlias = JsonObject
"""Tool arguments after validation."""
WrapToolValidateHandler: TypeAlias = Callable[[RawToolArgs], Awaitable[ValidatedToolArgs]]
"""Validates tool arguments."""
WrapToolExecuteHandler: TypeAlias = Callable[[ValidatedToolArgs], Awaitable[Any]]
"""Executes a tool."""
RawOutput: TypeAlias = Union[str, JsonObject]
"""Output as the model sent it: text, or the arguments of an output tool."""
WrapOutputValidateHandler: TypeAlias = Callable[[RawOutput], Awaitable[Any]]
"""Validates an output."""
WrapOutputProcessHandler: TypeAlias = Callable[[Any], Awaitable[Any]]
"""Processes a validated output."""
CapabilityPosition: TypeAlias = Literal['outermost', 'innermost']
"""The tier of a capability: outside or inside of all capabilities without a position."""
CapabilityDescription: TypeAlias = Union[
    str,
    Callable[[RunContext[AgentDepsT]], Union[str, None]],
    Callable[[RunContext[AgentDepsT]], Awaitable[Union[str, None]]],
]
"""The catalog entry of a deferred capability: text, or a function of the run context."""
HookCondition: TypeAlias = Callable[[Any, Mapping[str, object]], bool]
"""Decides from the run context and the subject of the point whether a step is called."""
# A tuple rather than a class: chains build thousands of them, some for every run.
HookStep: TypeAlias = tuple[Callable[..., Any], Union[HookCondition, None]]
"""A method, or a function with its signature, to call at a hook; and the condition for calling it, `None` for always."""


class HookListener(Protocol):
    """A cache of the hooks that a capability implements."""

    def refresh(self) -> None:
        """Look the hooks up again."""
        ...


@dataclass(slots=True, eq=False)
class HookPoint:
    """A lifecycle point: the parameter names of its hooks, and its rules."""

    name: str
    """The name of the point; `before_<name>`, `wrap_<name>`, `after_<name>` and `on_<name>_error` are its hooks."""
    subject: tuple[str, ...]
    """Keyword arguments about the context, such as the tool call; every hook of the point receives them unchanged."""
    value: str | None
    """Keyword of the input, which `before` may replace; `None` if the point has no input."""
    result: str
    """Keyword of the result, which `after` may replace."""
    positional: bool = False
    """Whether `before` receives the input by position, so that functions may use any name for the parameter."""
    around_before: bool = False
    """Whether `wrap` runs around `before`, too; then `on_error` handles errors of the action only, not those of `wrap`."""
    after_sees_value: bool = True
    """Whether `after` also receives the input."""
    handles: tuple[type[BaseException], ...] = (Exception,)
    """Errors of the action and of `wrap` that are passed to `on_error`, and those that it may raise for the next one."""
    passes: tuple[type[BaseException], ...] = ()
    """Exceptions among them that are not passed to `on_error`, because they are signals to the run."""
    skip: tuple[type[Exception], str] | None = None
    """Exception that provides a result in place of the action, and its attribute with the result."""
    skip_ends: bool = True
    """Whether every hook may raise that exception, which ends the point; otherwise `after` still receives the result."""
    begun: bool = False
    """Whether `before` was called already, with `HookChain.begin`."""
    needs_value: bool = False
    """Whether `before` must return an input: `None` is an error, rather than a value like any other."""
    needs_result: bool = False
    """Whether the other hooks must return a result."""

    @property
    def before(self) -> str:
        """Name of the hook that runs first."""
        return f'before_{self.name}'

    @property
    def wrap(self) -> str:
        """Name of the hook that runs around the action."""
        return f'wrap_{self.name}'

    @property
    def after(self) -> str:
        """Name of the hook that runs last."""
        return f'after_{self.name}'

    @property
    def on_error(self) -> str:
        """Name of the hook that runs when the action has failed."""
        return f'on_{self.name}_error'


_INVALID = (ValidationError, ModelRetry)

RUN = HookPoint('run', (), None, 'result', around_before=True, handles=(BaseException,))
NODE_RUN = HookPoint('node_run', (), 'node', 'result', needs_value=True, needs_result=True)
NODE_RUN_BEGUN = HookPoint('node_run', (), 'node', 'result', begun=True, needs_value=True, needs_result=True)
"""A node that is streamed after the hooks before it, and run with the other hooks around what is left to be done."""
MODEL_REQUEST = HookPoint(
    'model_request',
    (),
    'request_context',
    'response',
    positional=True,
    passes=(ModelRetry, RetryModelRequest, SkipModelRequest),
    skip=(SkipModelRequest, 'response'),
    skip_ends=False,
    needs_value=True,
    needs_result=True,
)
MODEL_REQUEST_AGAIN = replace(MODEL_REQUEST, begun=True)
"""A request that is sent again in the same step: what the hooks before it did stays as it is."""
TOOL_VALIDATE = HookPoint(
    'tool_validate',
    ('call', 'tool_def'),
    'args',
    'args',
    after_sees_value=False,
    handles=_INVALID,
    skip=(SkipToolValidation, 'validated_args'),
)
TOOL_EXECUTE = HookPoint(
    'tool_execute',
    ('call', 'tool_def'),
    'args',
    'result',
    passes=(ModelRetry, ToolFailed, ToolRetryError, CallDeferred, ApprovalRequired, SkipToolExecution),
    skip=(SkipToolExecution, 'result'),
    needs_value=True,
)
OUTPUT_VALIDATE = HookPoint(
    'output_validate', ('output_context',), 'output', 'output', after_sees_value=False, handles=_INVALID
)
OUTPUT_PROCESS = HookPoint(
    'output_process',
    ('output_context',),
    'output',
    'output',
    after_sees_value=False,
    passes=(ModelRetry, ToolRetryError),
)

POINTS = (RUN, NODE_RUN, MODEL_REQUEST, TOOL_VALIDATE, TOOL_EXECUTE, OUTPUT_VALIDATE, OUTPUT_PROCESS)
"""Every lifecycle point, from the outermost to the innermost."""

SINGLES = (
    'prepare_tools',
    'prepare_output_tools',
    'prepare_model_request',
    'wrap_run_event_stream',
    'on_event',
    'handle_deferred_tool_calls',
    'restore_run',
    'record',
)
"""Hooks without a lifecycle point."""

HOOK_NAMES = (*(hook for point in POINTS for hook in (point.before, point.wrap, point.after, point.on_error)), *SINGLES)
"""The name of every hook method."""

CHOICES = (
    'get_model',
    'get_wrapper_model',
    'resolve_model_id',
    'get_default_run_id',
    'get_default_conversation_id',
    'get_run_clock',
    'get_run_start_time',
)
"""Methods that answer a question about a run; except for wrappers of models, the first answer that is not `None` counts."""
FROM_OUTSIDE = ('resolve_model_id',)
"""Those for which the outermost capability is asked first; for the others it is the innermost."""
