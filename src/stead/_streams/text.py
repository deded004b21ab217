"""`TextReader`: the text of a response, found in its events."""

from __future__ import annotations

from ..messages import (
    AgentStreamEvent,
    NativeToolCallPart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)


class TextReader:
    """Finds the text in the events of a response; text before a native tool call is set apart by an empty line."""

    def __init__(self, before: str = '') -> None:
        self.before = before
        """Text that came before the events."""
        self.has_text = bool(before)
        """Whether text has come since the last native tool call, so that the next one sets it apart."""

    def piece(self, event: AgentStreamEvent) -> str:
        """Return the text that an event brings, mostly none."""
        if isinstance(event, PartDeltaEvent):
            content = event.delta.content_delta if isinstance(event.delta, TextPartDelta) else ''
        elif isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            content = event.part.content
        elif self.has_text and isinstance(event, PartStartEvent) and isinstance(event.part, NativeToolCallPart):
            self.has_text = False
            return '\n\n'
        else:
            return ''
        if content:
            self.has_text = True
        return content
