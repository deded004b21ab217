"""`ThreadExecutor`: runs sync functions on threads of your own."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import field
from typing import Any

from .._contracts.capability import AbstractCapability, WrapRunHandler
from .._contracts.run_context import RunContext
from .._kit.aio import using_thread_executor
from .._kit.keywords import dataclass
from ._ids import id_of_level


@dataclass
class ThreadExecutor(AbstractCapability[Any]):
    """An executor for the sync tools and callbacks of a run, for servers that limit their number of threads."""

    id: str | None = field(default_factory=id_of_level('use_thread_executor'), kw_only=True)
    executor: Executor = field(kw_only=False)
    """The executor; the code that created it must shut it down."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold an executor."""
        return None

    async def wrap_run(self, ctx: RunContext[Any], *, handler: WrapRunHandler) -> Any:
        """Run the agent with the executor."""
        with using_thread_executor(self.executor):
            return await handler()


UseThreadExecutor = ThreadExecutor
