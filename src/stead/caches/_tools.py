"""`ToolCache`: the same call of a tool that only reads gets the same result, without the tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

from pydantic_core import from_json

from .._contracts.run_context import RunContext
from .._kit.json_types import JsonObject
from ..exceptions import UserError
from ..messages import (
    ModelMessagesTypeAdapter,
    ModelRequest,
    RetryPromptPart,
    ToolReturn,
    ToolReturnPart,
    UserPromptPart,
)
from ..tools import ToolDenied
from ._lookups import Lookups, OnLookup, as_json, whole
from ._stores import CacheStore

HITS = 'tool_cache_hits'
_ANSWERS = (Exception, Iterator, RetryPromptPart, ToolDenied, ToolReturnPart)
"""What tools return that is not kept."""


class ToolCache:
    """What `cache=` of a tool takes: where its results are kept, how long, and what they depend on.

    A key is made of the toolset, the tool and its function, its arguments, and what `vary` returns. Errors and requests to
    try again are not kept, nor is what has no JSON. A call that is answered has passed all checks of a call, and counts as
    one; the usage of the run has the detail `tool_cache_hits`, and the span of the call `stead.tool.cache`. Results are JSON
    data, also when the tool was run: what the model reads is the same, and hooks find data in place of objects.
    """

    def __init__(
        self,
        store: CacheStore | None = None,
        *,
        ttl: float | None = None,
        vary: Callable[[RunContext[Any]], object] | None = None,
        on_lookup: OnLookup | None = None,
    ) -> None:
        """Choose where results are kept, and how long.

        Args:
            store: Where; by default in memory, for as long as this object lives.
            ttl: The seconds for which a result is the answer; `None` for no limit.
            vary: Returns what else a result depends on, of the run context: the user, for example. A tool that takes the context
                needs it; let it return `None` if the result is the same for everyone.
            on_lookup: A function that is called with each `CacheLookup`, such as `print`.

        Raises:
            UserError: An argument is not valid.
        """
        if vary is not None and not callable(vary):
            raise UserError(f'`vary` of a cache is a function of the run context, not {vary!r}.')
        self.vary = vary
        self._lookups = Lookups(store, ttl, on_lookup)

    @property
    def store(self) -> CacheStore:
        """Where results are kept."""
        return self._lookups.store

    def check(self, name: str, *, takes_ctx: bool, effect: str | None) -> None:
        """Check that calls of a tool may be answered from a cache.

        Raises:
            UserError: They may not.
        """
        if effect != 'read':
            raise UserError(
                f"`cache=` of tool {name!r} needs `effect='read'`: a call that is answered from a cache does not run the tool, "
                'and so does not do what it does.'
            )
        if takes_ctx and self.vary is None:
            raise UserError(
                f'Tool {name!r} takes the run context, so that its result may depend on who asks. Say on what, as in '
                '`ToolCache(vary=lambda ctx: ctx.deps.user_id)`, or return `None` there if it is the same for everyone.'
            )

    async def call(
        self,
        tool: JsonObject,
        function: Callable[[JsonObject, RunContext[Any]], Awaitable[Any]],
        args: JsonObject,
        ctx: RunContext[Any],
    ) -> object:
        """Return what a tool has returned to the same call, or call it.

        Args:
            tool: What tells the tool apart from others, with its name as `tool`.
            function: Calls it.
            args: The arguments.
            ctx: The run context.

        Raises:
            UserError: What `vary` returned cannot be a part of a key.
        """
        name: str = tool['tool']
        key_parts = {**tool}
        try:
            key_parts['args'] = as_json(whole(args))
        except ValueError:  # an argument without JSON, or a secret one
            return cast(object, await function(args, ctx))
        if self.vary is not None:
            try:
                key_parts['vary'] = as_json(whole(self.vary(ctx)))
            except ValueError as error:
                raise UserError(
                    f'What `vary` of the cache of tool {name!r} returned cannot be a part of a key: {error}. Let it return JSON '
                    'data without secrets, such as the id of the user.'
                ) from error
        key, entry = await self._lookups.find('tool', name, key_parts)
        if entry is not None and (known := _result_of(entry)) is not None:
            ctx.usage.details[HITS] = ctx.usage.details.get(HITS, 0) + 1
            _mark_span()
            return cast(object, known[0])
        result: object = await function(args, ctx)
        if isinstance(result, _ANSWERS):
            return cast(object, result)
        try:
            entry = _entry_of(result)
        except (ValueError, TypeError):  # a result without JSON is for the gate to answer
            return result
        await self._lookups.store.put(key, entry, ttl=self._lookups.ttl)
        known = _result_of(entry)
        return result if known is None else cast(object, known[0])


def _entry_of(result: object) -> bytes:
    """Return a result as the messages that have it."""
    whole = cast('ToolReturn[Any]', result) if isinstance(result, ToolReturn) else ToolReturn(result)
    parts: list[Any] = [ToolReturnPart('cached', whole.return_value, 'cached', metadata=whole.metadata)]
    if whole.content:
        parts.append(UserPromptPart(whole.content))
    entry = ModelMessagesTypeAdapter.dump_json([ModelRequest(parts)])
    from_json(entry)
    return entry


def _result_of(entry: bytes) -> tuple[Any] | None:
    """Return the result of an entry; `None` if the entry is damaged."""
    try:
        (message,) = ModelMessagesTypeAdapter.validate_json(entry)
    except ValueError:
        return None
    part = message.parts[0]
    if not isinstance(part, ToolReturnPart):
        return None
    added = [more.content for more in message.parts[1:] if isinstance(more, UserPromptPart)]
    if added or part.metadata is not None:
        return (ToolReturn(part.content, content=added[0] if added else None, metadata=part.metadata),)
    return (part.content,)


def _mark_span() -> None:
    """Say in the span of the call, if there is one, that the tool was not run."""
    import sys

    if 'opentelemetry.trace' in sys.modules:
        from opentelemetry.trace import get_current_span

        get_current_span().set_attribute('stead.tool.cache', 'hit')
