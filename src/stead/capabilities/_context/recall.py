"""`recall`: the tool that finds what is no longer shown of a conversation."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, ClassVar, NamedTuple

from ..._contracts.run_context import RunContext
from ..._deferral.ranking import words
from ...messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    ModelMessage,
    RetryPromptPart,
    TextContent,
    TextPart,
    UserPromptPart,
)
from ...toolsets import FunctionToolset
from .sizes import args_text, result_text

RECALL = 'recall'
"""The name of the tool."""
LONGEST = 20_000
"""Characters that one call of the tool shows at most; it says where the rest begins."""
_MOST_FOUND = 8
_PASSAGE = 600
"""Characters of the passages that are compared with a query, and shown."""
_K1, _B = 1.2, 0.75  # parameters of BM25: saturation of word counts, and normalization of lengths

_EXACT = re.compile(r'\w+(?:[-.:/@#]\w+)*')


class Piece(NamedTuple):
    """A text of a conversation."""

    message: int
    """The index of its message among all messages."""
    call_id: str | None
    """The id of the call, if it is the result of a tool."""
    label: str
    """What it is."""
    text: str


def pieces(messages: Sequence[ModelMessage], begin: int = 0, end: int | None = None) -> Iterator[Piece]:
    """Yield the texts of a conversation in their order."""
    for index, message in enumerate(messages[begin:end], begin):
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                content = [part.content] if isinstance(part.content, str) else part.content
                for item in content:
                    if isinstance(item, (str, TextContent)):
                        yield Piece(index, None, 'user', item if isinstance(item, str) else item.content)
            elif isinstance(part, BaseToolReturnPart):
                if part.tool_name != RECALL:
                    yield Piece(index, part.tool_call_id, f'result of {part.tool_name}', result_text(part))
            elif isinstance(part, RetryPromptPart):
                yield Piece(index, part.tool_call_id, 'retry', part.model_response())
            elif isinstance(part, TextPart):
                yield Piece(index, None, 'assistant', part.content)
            elif isinstance(part, BaseToolCallPart):
                if part.tool_name != RECALL:
                    yield Piece(index, None, f'call of {part.tool_name}', args_text(part))


async def recall(ctx: RunContext[Any], query: str | None = None, id: str | None = None, offset: int = 0) -> str:
    """Show what earlier messages of this conversation said, word for word: those that are no longer shown, and long results.

    Args:
        ctx: The context of the run.
        query: Words to look for; the passages that match best are shown.
        id: The id of a tool call, to show its result, or the number of a message or a range of numbers, such as 12 or 12-15.
        offset: The character to begin at, if the text is longer than what was shown.
    """
    messages, most = ctx.messages, longest(ctx)
    if id is not None and (found := await stored(ctx, id) or by_id(messages, id.strip())) is not None:
        return page(found, max(offset, 0), id, most)
    if id is not None and query is None:
        return f'There is nothing with the id {id[:100]!r}. Messages have the numbers 0 to {len(messages) - 1}; or use `query`.'
    if not (query and query.strip()):
        return 'Pass `query`, words to look for, or `id`, the id of a call or the number of a message.'
    return search(messages, query)[:most]


def longest(ctx: RunContext[Any]) -> int:
    """Return how many characters may be shown, so that the request which has them is not longer than one may be."""
    capabilities: Iterable[Any] = ctx.capabilities.values()
    return min((getattr(one, 'longest_recalled', LONGEST) for one in capabilities), default=LONGEST)


async def stored(ctx: RunContext[Any], key: str) -> str | None:
    """Return the text with a key in the store of a capability; `None` if there is none."""
    for capability in ctx.capabilities.values():
        read = getattr(capability, 'stored', None)
        if read is not None and (text := await read(key)) is not None:
            return text
    return None


def page(text: str, offset: int, id: str, most: int) -> str:
    """Return as much of a text as one call shows."""
    end = offset + most
    shown = text[offset:end]
    if end < len(text):
        shown += f'\n[{len(text) - end} characters more: recall(id={id!r}, offset={end})]'
    return shown or f'The text has {len(text)} characters, so that nothing is at {offset}.'


def by_id(messages: Sequence[ModelMessage], id: str) -> str | None:
    """Return the result of a call, or the texts of messages by their numbers; `None` if there is nothing."""
    results = [piece.text for piece in pieces(messages) if piece.call_id == id]
    if results:
        return '\n\n'.join(results)
    first, _, last = id.partition('-')
    if not first.strip().isdecimal() or (last and not last.strip().isdecimal()) or len(id) > 30:
        return None
    begin, end = int(first), int(last or first)
    found = [f'[{p.message}, {p.label}] {p.text}' for p in pieces(messages, begin, end + 1)] if end >= begin else []
    return '\n'.join(found) or None


def search(messages: Sequence[ModelMessage], query: str) -> str:
    """Return the passages that match a query best, the best first, with the numbers of their messages."""
    wanted = set(words(query[:1_000]))
    # Ids and the like count as one word, too: their parts are in many other ids.
    exact = {word for word in _EXACT.findall(query[:1_000].lower()) if len(words(word)) > 1}
    passages = [
        (piece, start, piece.text[start : start + _PASSAGE])
        for piece in pieces(messages)
        for start in range(0, len(piece.text), _PASSAGE - 100)
    ]
    counts = [Counter(word for word in words(text) if word in wanted) for _, _, text in passages]
    for (*_, text), count in zip(passages, counts) if exact else ():
        count.update(f'={word}' for word in _EXACT.findall(text.lower()) if word in exact)
    within = Counter(word for count in counts for word in count)
    average = sum(len(text) for *_, text in passages) / max(len(passages), 1)
    scored = sorted(
        (
            (sum(_weight(count[w], within[w], len(passages), len(passage[2]) / average) for w in count), at)
            for at, (passage, count) in enumerate(zip(passages, counts))
            if count
        ),
        key=lambda pair: (-pair[0], -pair[1]),
    )
    if not scored:
        return f'Nothing in the {len(messages)} messages of this conversation matches {query[:100]!r}.'
    lines: list[str] = []
    for _, at in scored[:_MOST_FOUND]:
        piece, start, text = passages[at]
        call = f', id {piece.call_id}' if piece.call_id else ''
        lines.append(f'[{piece.message}, {piece.label}{call}{f", from {start}" if start else ""}] {text}')
    return '\n'.join(lines)


def _weight(count: int, within: int, total: int, length: float) -> float:
    rarity = math.log(1 + (total - within + 0.5) / (within + 0.5))
    return rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length))


class RecallToolset(FunctionToolset[Any]):
    """The toolset with the tool, which reads the messages of the run: they are not sent elsewhere, so a call is not a step."""

    is_part_of_run: ClassVar[bool] = True


@cache
def recall_toolset() -> FunctionToolset[Any]:
    """Return the toolset with the tool: one for all, so that an agent with several such capabilities has it once."""
    toolset = RecallToolset(id='recall')
    toolset.add_function(recall, name=RECALL, effect='read')
    return toolset
