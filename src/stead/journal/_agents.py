"""The types of agents that a journal runs, of their dependencies and of their results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeVar

from ..messages import UserContent

RunDepsT = TypeVar('RunDepsT')
"""Type variable for the dependencies of an agent."""
_DepsT = TypeVar('_DepsT', contravariant=True)
ResultT = TypeVar('ResultT')
"""Type variable for the result of a run, such as `AgentRunResult[str]`."""
_ResultT = TypeVar('_ResultT', covariant=True)
EventsT = TypeVar('EventsT')
"""Type variable for the events of a run."""
_EventsT = TypeVar('_EventsT', covariant=True)


class RunnableAgent(Protocol[_DepsT, _ResultT]):
    """An agent that runs to its end. Agents lie above journals, so this says what of them a journal needs."""

    async def run(self, user_prompt: str | Sequence[UserContent] | None = None, *, deps: _DepsT) -> _ResultT:
        """Run the agent and return its result."""
        ...


class StreamingAgent(Protocol[_DepsT, _EventsT]):
    """An agent whose events can be read."""

    def run_stream_events(
        self, user_prompt: str | Sequence[UserContent] | None = None, *, deps: _DepsT
    ) -> AbstractAsyncContextManager[_EventsT]:
        """Run the agent in a block, and let the block read its events."""
        ...
