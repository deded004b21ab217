"""`ThreadExecutor`: sync functions run on threads of your own."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from .._contracts.capability import AbstractCapability, WrapRunHandler
from .._contracts.run_context import RunContext
from .._kit.aio import using_thread_executor


@dataclass
class ThreadExecutor(AbstractCapability[Any]):
    """Runs the sync tools and callbacks of a run on an executor, for servers that keep their number of threads small."""

    executor: Executor = field(kw_only=False)
    """The executor; who made it shuts it down."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: an executor cannot stand in a spec."""
        return None

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> Any:
        """Run with the executor."""
        with using_thread_executor(self.executor):
            return await handler()
