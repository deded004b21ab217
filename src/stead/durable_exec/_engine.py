"""What an engine is: a description of how a step is run.

The code of a run is executed again whenever an engine continues it, in the same process or in another one. So what a run
does to the world, or learns from it, is a *step*: a model request, a call of a tool, the list of a server's tools, an event for
a handler. An engine runs a step once, keeps its outcome, and returns the kept one from then on. Everything else of a run is
made again from outcomes, and has to be the same each time.

An outcome is JSON. Engines that run steps in the process of the run call `DurableStep.work`; those that run them elsewhere send
`DurableStep.data` there, where `AgentParts.perform` does the same work.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from typing_extensions import Self, TypeAlias

from .._contracts.call_policy import Effect
from .._contracts.run_context import RunContext
from .._contracts.toolset import AbstractToolset, ToolsetTool

AnyContext: TypeAlias = 'RunContext[Any]'
"""A run context, whatever the dependencies."""
AnyToolset: TypeAlias = 'AbstractToolset[Any]'
"""A toolset, whatever the dependencies."""
AnyTool: TypeAlias = 'ToolsetTool[Any]'
"""A tool of a toolset, whatever the dependencies."""
JsonData: TypeAlias = 'dict[str, Any]'
"""An object of JSON."""
StepKind: TypeAlias = Literal[
    'model_request',
    'model_request_stream',
    'count_tokens',
    'get_tools',
    'get_instructions',
    'call_tool',
    'reconcile',
    'event_stream_handler',
]
"""What a step does."""


@dataclass
class DurableStep:
    """One thing that a run does to the world, or learns from it."""

    kind: StepKind
    """What it does."""
    ctx: RunContext[Any] | None
    """The run context; `None` for requests of a model that does not belong to an agent of the engine."""
    title: str
    """What it does it with, for people: the name of a model, a tool or a toolset."""
    work: Callable[[], Awaitable[bytes]]
    """Does it here, and returns the outcome as JSON."""
    toolset: str | None = None
    """The id of the toolset, for steps of toolsets."""
    toolset_kind: str = 'toolset'
    """What the toolset is: `'toolset'`, `'mcp_server'` or `'dynamic_toolset'`."""
    effect: Effect | None = None
    """What it does to the world; `None` for what may be done again without harm, but is not to be done again without need."""
    key: str | None = None
    """The idempotency key of a call."""
    messages: list[bytes] = field(default_factory=lambda: [])
    """The messages of a request as JSON, one by one, so that an engine need not send again what was sent."""
    data: Mapping[str, bytes] = field(default_factory=lambda: {})
    """The other arguments as JSON."""
    handler: Any = None
    """The handler of events of the run, for steps that show it events."""
    again: int = 0
    """How many times the call was in doubt, and turned out not to have been done."""


class StepInDoubt(Exception):
    """A step was started, and whether it was done is not known. It must not be done twice."""

    __module__ = 'stead.durable_exec'  # where it is imported from, as a traceback shows it


class StepEngine(ABC):
    """How steps are run."""

    title: ClassVar[str]
    """The name of the engine, for messages."""
    elsewhere: ClassVar[bool] = False
    """Whether steps are run from their data alone, by another process."""

    @abstractmethod
    def is_active(self) -> bool:
        """Return whether the code that runs now is run again by the engine, so that steps are needed."""

    @abstractmethod
    async def run(self, step: DurableStep) -> bytes:
        """Run a step, or return its outcome if it was run before.

        Raises:
            StepInDoubt: The step may have been done, and must not be done twice.
            Exception: What the step raised, in the form in which the engine carries errors.
        """

    def for_run(self, prompt: object) -> Self:
        """Return the engine for the run that begins now with a prompt, inside of the engine."""
        return self

    def in_place(self, toolset: str) -> frozenset[str]:
        """Return the tools of a toolset, by its id, that are called in the code of the run and not in steps."""
        return frozenset()

    def is_full(self) -> bool:
        """Return whether the engine has no more room for steps here, so that the run should continue in another place."""
        return False

    def check_handover(self, size: int) -> None:
        """Check that what a run takes along, in bytes of JSON, can be taken there.

        Raises:
            UserError: It is too large.
        """

    async def ids(self) -> AbstractContextManager[None]:
        """Return a context manager in which a run begins, whose ids are the same whenever the engine continues it."""
        return nullcontext()

    def make_error(self, kind: str, text: str) -> Exception:
        """Return an error like the one that a tool raised where its call was run.

        Args:
            kind: The name of its type.
            text: Its text.
        """
        return type(kind, (RuntimeError,), {})(text)
