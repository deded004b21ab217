"""The base class of the capabilities that shorten what is sent of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from typing_extensions import Self

from ..._contracts.capability import AbstractCapability, CapabilityOrdering, WrapModelRequestHandler
from ..._contracts.model import ModelRequestContext
from ..._contracts.run_context import AnyDepsT, RunContext
from ..._contracts.toolset import AbstractToolset
from ..._kit.annotations import is_async_callable
from ..._kit.json_types import JsonObject
from ..._kit.records import is_count, replace_no_init
from ..._show.prefixes import FOLDED
from ...exceptions import UserError
from ...messages import ModelMessage, ModelResponse
from .recall import recall_toolset


class Shortening(AbstractCapability[AnyDepsT]):
    """A capability that changes what is sent of a conversation. The history of the run stays whole."""

    recall: bool = True
    """Whether the model gets the tool `recall`, which finds what is not shown."""

    def get_ordering(self) -> CapabilityOrdering:
        """Return the place in the order that such capabilities have among each other."""
        from . import shortenings

        kinds = shortenings()
        place = next((n for n, kind in enumerate(kinds) if isinstance(self, kind)), len(kinds))
        return CapabilityOrdering(wraps=kinds[place + 1 :])

    def get_toolset(self) -> AbstractToolset[AnyDepsT] | None:
        """Return the tool `recall`."""
        return recall_toolset() if self.recall else None

    async def for_run(self, ctx: RunContext[AnyDepsT]) -> Self:
        """Return the capability of one run, which knows what it has sent."""
        own = copy(self)
        own.begin()
        return own

    def begin(self) -> None:
        """Forget what was sent: this is the capability of another run."""

    async def shorten(self, ctx: RunContext[AnyDepsT], request: ModelRequestContext) -> list[ModelMessage]:
        """Return the messages to send; neither the list of the request nor its messages may be changed."""
        raise NotImplementedError

    def note(self) -> JsonObject | None:
        """Return what was folded for the request that is being sent, and not for one before it."""
        return None

    async def wrap_model_request(
        self, ctx: RunContext[AnyDepsT], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        """Send the request with shortened messages, and note in the response what was folded for it."""
        messages = await self.shorten(ctx, request_context)
        if messages is not request_context.messages:
            known = request_context.response_metadata
            if (note := self.note()) is not None:
                known = known or {}
                known = {**known, FOLDED: [*known.get(FOLDED, ()), {'by': type(self).__name__, **note}]}
            request_context = replace_no_init(request_context, messages=messages, response_metadata=known)
        return await handler(request_context)


def check_counts(owner: str, least: int = 1, /, **counts: object) -> None:
    """Check options of a capability that are numbers of something.

    Raises:
        UserError: One of them is not a whole number, or less than the least.
    """
    for name, count in counts.items():
        if not is_count(count, least):
            raise UserError(f'`{name}` of `{owner}` is a whole number, {least} or more, not {count!r}.')


def check_keep(owner: str, name: str, keep: object) -> None:
    """Check an option of a capability that is a function of a part.

    Raises:
        UserError: It cannot be called, or would have to be awaited.
    """
    if keep is not None and (not callable(keep) or is_async_callable(keep)):
        raise UserError(
            f'`{name}` of `{owner}` is a function of a part that returns a bool, and not async; not {keep!r}.'
        )


def is_pinned_tool(ctx: RunContext[Any], name: str) -> bool:
    """Return whether the results of a tool are pinned by the tool itself."""
    tools: Mapping[str, Any] = getattr(ctx.tool_manager, 'tools', None) or {}
    tool = tools.get(name)
    if tool is None:
        return False
    metadata: Mapping[str, Any] = tool.tool_def.metadata or {}
    return bool(metadata.get('pinned') or (tool.policy is not None and tool.policy.pinned))


def left_out(last: int, recall: bool) -> str:
    """Return the text that stands for the messages up to the one with a number."""
    hint = ' Call `recall` with words to look for, or with these numbers, to read them.' if recall else ''
    return f'[Messages 0 to {last} of this conversation are not shown.{hint}]'
