"""`ShorterResults`: the base class of the capabilities that replace long tool results in what is sent."""

from __future__ import annotations

from dataclasses import replace
from operator import is_
from typing import Any

from ..._contracts.model import ModelRequestContext
from ..._contracts.run_context import AnyDepsT, RunContext
from ...messages import ModelMessage, ModelRequest, ToolReturnPart
from .past import KeepFunc, continues
from .pins import is_pinned
from .recall import RECALL
from .shortening import Shortening, is_pinned_tool
from .sizes import result_text, text_tokens


class ShorterResults(Shortening[AnyDepsT]):
    """Base class of capabilities that replace long tool results in what is sent."""

    over: int = 0
    keep_results: KeepFunc | None = None

    def begin(self) -> None:
        """Forget what was sent."""
        self._seen: list[ModelMessage] = []
        self._sent: list[ModelMessage] = []
        self._is_same = True

    def shorter(self, part: ToolReturnPart, text: str) -> str:
        """Return what is sent in place of a long result.

        Args:
            part: The result.
            text: The text of it.
        """
        raise NotImplementedError

    async def shorten(self, ctx: RunContext[AnyDepsT], request: ModelRequestContext) -> list[ModelMessage]:
        """Return the messages with shorter results; each result is always replaced by the same text."""
        messages, seen = request.messages, self._seen
        if not continues(messages, seen):
            self.begin()
            seen = self._seen
        for message in messages[len(seen) :]:
            seen.append(message)
            sent = self._shortened(ctx, message) if isinstance(message, ModelRequest) else message
            self._sent.append(sent)
            self._is_same = self._is_same and sent is message
        return messages if self._is_same else [*self._sent]

    def _shortened(self, ctx: RunContext[AnyDepsT], request: ModelRequest) -> ModelRequest:
        parts = [self._part(ctx, part) if type(part) is ToolReturnPart else part for part in request.parts]
        return request if all(map(is_, parts, request.parts)) else replace(request, parts=parts)

    def _part(self, ctx: RunContext[AnyDepsT], part: ToolReturnPart) -> Any:
        content = part.content
        if content is None or (isinstance(content, str) and len(content) <= self.over):
            return part  # a token has a character or more
        if part.tool_name == RECALL or text_tokens(text := result_text(part)) <= self.over:
            return part
        if is_pinned(part) or is_pinned_tool(ctx, part.tool_name):
            return part
        if self.keep_results is not None and self.keep_results(part):
            return part
        shorter = self.shorter(part, text)
        return replace(part, content=[shorter, *part.files] if part.files else shorter)


def ends(text: str, tokens: int) -> tuple[str, str]:
    """Return the beginning and the end of a text, which have about so many tokens together."""
    share = min(tokens / max(text_tokens(text), 1), 1)
    characters = int(len(text) * share)
    begin = characters * 2 // 3
    return text[:begin], text[len(text) - (characters - begin) :]
