"""`Progress`: what a tool reports while it runs, on its way to the readers of events and to what records the run."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from .._contracts.facts import CallProgressed
from .._contracts.run_context import RunContext
from .._kit.aio import cancel_and_drain
from ..messages import FunctionToolProgressEvent, ToolCallPart
from .step_tools import StepTools


class Progress:
    """Reports the progress of one call. Tools report from the event loop or from their threads, and wait for nothing.

    What records a run is given one report after the other. The answer of the call comes after all of them.
    """

    def __init__(
        self, step: StepTools[Any], ctx: RunContext[Any], call: ToolCallPart, emit: Callable[[Any], object] | None
    ) -> None:
        """Begin with a call.

        Args:
            step: The tools of the step.
            ctx: The context of the call.
            call: The call.
            emit: Receives the events; `None` if no one reads them.
        """
        self._step = step
        self._ctx: RunContext[Any] | None = ctx
        self._call = call
        self._emit = emit
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[CallProgressed] = deque()
        self._task: asyncio.Task[None] | None = None
        self._has_ended = False

    def __call__(self, content: object) -> None:
        """Report something."""
        if self._emit is not None:
            call = self._call
            self._emit(
                FunctionToolProgressEvent(tool_name=call.tool_name, tool_call_id=call.tool_call_id, content=content)
            )
        if self._step.chain.record:
            self._waiting.append(CallProgressed(self._call, content))
            try:
                is_here = asyncio.get_running_loop() is self._loop
            except RuntimeError:
                is_here = False
            if is_here:
                self._begin()
            else:
                self._loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        if not self._has_ended and (self._task is None or self._task.done()):
            self._task = self._loop.create_task(self._announce())

    async def _announce(self) -> None:
        assert self._ctx is not None, 'the call goes on'
        while self._waiting:
            await self._step.chain.announce(self._ctx, self._waiting.popleft())

    async def settle(self) -> None:
        """Wait until everything is recorded. Errors of that pass through."""
        self._has_ended = True
        if self._task is not None:
            await self._task
        if self._waiting:
            await self._announce()
        self._ctx = None  # which has this object

    async def drop(self) -> None:
        """Record nothing more: the call has failed, or was cancelled."""
        self._has_ended = True
        if self._task is not None:
            await cancel_and_drain(self._task)
        self._ctx = None
