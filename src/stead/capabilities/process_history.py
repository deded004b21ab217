"""`ProcessHistory`: a function changes the messages of every request."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import Any, Union

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AgentDepsT, RunContext
from .._kit.aio import run_in_executor
from .._kit.annotations import is_async_callable
from .._kit.keywords import dataclass
from ..messages import ModelMessage

HistoryProcessorFunc: TypeAlias = Union[
    Callable[[list[ModelMessage]], Union[list[ModelMessage], Awaitable[list[ModelMessage]]]],
    Callable[[RunContext[AgentDepsT], list[ModelMessage]], Union[list[ModelMessage], Awaitable[list[ModelMessage]]]],
]
"""A function of the messages, with or without the run context before them, sync or async."""


@dataclass
class ProcessHistory(AbstractCapability[AgentDepsT]):
    """A function that changes the messages of every request; what it returns becomes the history of the run."""

    processor: HistoryProcessorFunc[AgentDepsT] = field(kw_only=False)
    """The function."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold functions."""
        return None

    async def before_model_request(
        self, ctx: RunContext[AgentDepsT], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Replace the messages by those that the function returns."""
        processor: Any = self.processor
        takes_ctx = len(inspect.signature(processor).parameters) > 1
        args = (ctx, request_context.messages) if takes_ctx else (request_context.messages,)
        if is_async_callable(processor):
            request_context.messages = await processor(*args)
        else:
            request_context.messages = await run_in_executor(processor, *args)
        return request_context


@dataclass
class HistoryProcessor(ProcessHistory[AgentDepsT]):
    """`ProcessHistory` under its old name."""

    def __post_init__(self) -> None:
        warnings.warn('`HistoryProcessor` is now called `ProcessHistory`.', DeprecationWarning, stacklevel=3)
