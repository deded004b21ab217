"""`KeepLast` sends the latest messages only."""

from __future__ import annotations

from dataclasses import field
from functools import partial

from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.json_types import JsonObject
from .._kit.keywords import dataclass
from ..exceptions import ConversationTooLong, UserError
from ..messages import ModelMessage
from ._context.numbers import number_of
from ._context.past import KeepFunc, Past
from ._context.recall import LONGEST
from ._context.shortening import Shortening, check_counts, check_keep, is_pinned_tool, left_out


@dataclass
class KeepLast(Shortening[AnyDepsT]):
    """Send the latest messages of a conversation only, by number or by tokens; the history of the run stays whole.

    When there are more, those before the later half are no longer sent. So what is sent grows for a while before its beginning
    changes again, and providers can still read it from their caches. What stays is said in `docs/long-conversations.md`:
    system prompts, pins, the prompt of the run, and calls that made tools available. Calls stay with their results.
    """

    leaves_requests_alone = True  # it puts other messages into a request of its own

    messages: int | None = None
    """The most messages that are sent, apart from what always stays."""
    tokens: int | None = None
    """The most tokens of a request: what its provider counted of the one before, and an estimate of what came since."""
    keep: KeepFunc | None = field(default=None, kw_only=True)
    """Says of a part of a message whether it always stays, as if it were pinned."""
    recall: bool = field(default=True, kw_only=True)
    """Whether the model gets the tool `recall`, which finds what is not shown."""

    def __post_init__(self) -> None:
        if (self.messages is None) == (self.tokens is None):
            raise UserError('`KeepLast` takes one of `messages=` and `tokens=`: the most of them that are sent.')
        check_counts('KeepLast', 2, **({'messages': self.messages} if self.tokens is None else {'tokens': self.tokens}))
        check_keep('KeepLast', 'keep', self.keep)
        self.begin()

    @property
    def longest_recalled(self) -> int:
        """The characters that `recall` may show at once: a quarter of a request, if words are short."""
        return LONGEST if self.tokens is None else min(LONGEST, self.tokens // 2)

    def begin(self) -> None:
        """Forget what was sent."""
        self._past = Past(self.keep, measured=self.tokens is not None)
        self._folding: JsonObject | None = None
        self._note: JsonObject | None = None

    async def shorten(self, ctx: RunContext[AnyDepsT], request: ModelRequestContext) -> list[ModelMessage]:
        """Return the messages to send.

        Raises:
            ConversationTooLong: What always stays, and the last message, have more tokens than may be sent.
        """
        past, messages = self._past, request.messages
        past.is_pinned_tool = partial(is_pinned_tool, ctx)
        for end in past.follow(messages):
            known = past.start
            self._fold(ctx, messages, end)
            # What was folded for requests before is folded again by a run that continues them.
            self._note = self._folding if end == len(messages) and past.start > known else None
        if self.tokens is not None and (size := past.size(len(messages))) > self.tokens:
            raise ConversationTooLong(_too_long(size, self.tokens, past.pins()))
        return past.sent(messages)

    def _fold(self, ctx: RunContext[AnyDepsT], messages: list[ModelMessage], end: int) -> None:
        past = self._past
        if self.messages is not None:
            if end - past.start <= self.messages:
                return
            start = past.next_cut(end - max(self.messages // 2, 1), end)
            if start > past.start:
                self._fold_at(ctx, messages, start)
            return
        most = self.tokens or 0
        for target in (most // 2, most * 3 // 4):
            if past.size(end) <= most:
                return
            # What is kept of the messages that are folded counts too, and is only known when they are.
            start = past.latest_cut(end, target)
            while start > past.start:
                self._fold_at(ctx, messages, start)
                start = past.latest_cut(end, target) if past.size(end) > target else 0

    def _fold_at(self, ctx: RunContext[AnyDepsT], messages: list[ModelMessage], start: int) -> None:
        last = number_of(messages, start - 1, ctx.messages)
        self._past.fold(start, left_out(last, self.recall))
        self._folding = {'messages': [0, last]}

    def note(self) -> JsonObject | None:
        """Return which messages were folded for the request that is being sent."""
        return self._note


def _too_long(size: int, most: int, pins: list[str]) -> str:
    pinned = f' Pinned are {", ".join(pins[:20])}: unpin some of it.' if pins else ''
    return (
        f'The request has about {size} tokens, and `KeepLast` may send {most}, although everything was left out that may be.'
        f'{pinned} Raise `tokens=`, or add `TruncateToolResults` or `OffloadToolResults` if the results of tools are long.'
    )
