"""The hook table: every lifecycle point of a run, what travels through it, and the hooks that stand alone.

A point `x` has four hooks: `before_x`, `wrap_x`, `after_x` and `on_x_error`. Their signatures are spelled once, in
`AbstractCapability`; chains, combined and wrapper capabilities and the `Hooks` registrar are derived from these rows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Union

from pydantic_core import ValidationError
from typing_extensions import TypeAlias

from ..exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipModelRequest,
    SkipToolExecution,
    SkipToolValidation,
    ToolRetryError,
)


class RunLeft(asyncio.CancelledError):
    """A run was left before its end: the hooks around it are ended, and none is asked to recover."""


HookCondition: TypeAlias = Callable[[Any, Mapping[str, Any]], bool]
"""Decides, by the run context and the subject of the point, whether a step is called."""
# No record: chains make thousands of them, some for every run.
HookStep: TypeAlias = tuple[Callable[..., Any], Union[HookCondition, None]]
"""What to call at a hook, a method or a function with the signature of the method; and when, if not always."""


class HookPoint(NamedTuple):
    """One lifecycle point: which names its hooks give to what travels through it, and which rules it has of its own."""

    name: str
    """The point; `before_<name>`, `wrap_<name>`, `after_<name>` and `on_<name>_error` are its hooks."""
    subject: tuple[str, ...]
    """Keyword arguments that say what the point is about; every hook of it receives them unchanged."""
    value: str | None
    """Keyword of the value that goes in, which `before` may replace; `None` where nothing goes in."""
    result: str
    """Keyword of the value that comes out, which `after` may replace."""
    positional: bool = False
    """Whether `before` receives the value by position, so that functions may call it what they like."""
    around_before: bool = False
    """Whether `wrap` is also around `before`; then `on_error` is asked about errors of the action only, not of `wrap`."""
    after_sees_value: bool = True
    """Whether `after` also receives the value that went in."""
    handles: tuple[type[BaseException], ...] = (Exception,)
    """Errors of the action, and of `wrap`, that `on_error` is asked about; and those it may hand to the next one."""
    passes: tuple[type[BaseException], ...] = ()
    """Signals among them that `on_error` is not asked about, because they are meant for the run."""
    skip: tuple[type[Exception], str] | None = None
    """Signal that answers instead of the action, and the attribute that holds the answer."""
    skip_ends: bool = True
    """Whether the signal may come from every hook and ends the point; otherwise `after` still sees its answer."""

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
        """Name of the hook that runs when the action failed."""
        return f'on_{self.name}_error'


_INVALID = (ValidationError, ModelRetry)

RUN = HookPoint('run', (), None, 'result', around_before=True, handles=(BaseException,))
NODE_RUN = HookPoint('node_run', (), 'node', 'result')
MODEL_REQUEST = HookPoint(
    'model_request',
    (),
    'request_context',
    'response',
    positional=True,
    passes=(ModelRetry, SkipModelRequest),
    skip=(SkipModelRequest, 'response'),
    skip_ends=False,
)
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
    passes=(ModelRetry, ToolRetryError, CallDeferred, ApprovalRequired, SkipToolExecution),
    skip=(SkipToolExecution, 'result'),
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

SINGLES = ('prepare_tools', 'prepare_output_tools', 'wrap_run_event_stream', 'handle_deferred_tool_calls')
"""Hooks that stand alone."""

HOOK_NAMES = (*(hook for point in POINTS for hook in (point.before, point.wrap, point.after, point.on_error)), *SINGLES)
"""The name of every hook method."""
