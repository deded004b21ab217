"""`ShorterResults`: the base class of the capabilities that replace long tool results in what is sent."""

from __future__ import annotations

from dataclasses import replace

from ..._contracts.model import ModelRequestContext
from ..._contracts.run_context import AnyDepsT, RunContext
from ..._kit.records import replace_no_init
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
            sent = message
            if isinstance(message, ModelRequest):
                for place, part in enumerate(message.parts):
                    if type(part) is ToolReturnPart and (shorter := self._part(ctx, part)) is not part:
                        sent = replace_no_init(sent, parts=[*sent.parts[:place], shorter, *sent.parts[place + 1 :]])
                        self._is_same = False
            self._sent.append(sent)
        return messages if self._is_same else [*self._sent]

    def _part(self, ctx: RunContext[AnyDepsT], part: ToolReturnPart) -> ToolReturnPart:
        content = part.content
        text = content if type(content) is str else '' if content is None else result_text(part)
        if len(text) <= self.over or part.tool_name == RECALL:
            return part  # a token has a character or more
        if text_tokens(text) <= self.over:
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
