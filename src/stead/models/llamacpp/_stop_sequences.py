"""Stop sequences in text that comes in pieces."""

from __future__ import annotations

from collections.abc import Sequence


class StopSequences:
    """Filter that ends a text at a stop sequence; what may begin one is held back."""

    def __init__(self, sequences: Sequence[str]) -> None:
        """Start without any text.

        Args:
            sequences: The sequences; empty ones are ignored.
        """
        self.sequences: list[str] = [sequence for sequence in sequences if sequence]
        self.found = False
        self._held: str = ''

    def feed(self, text: str) -> str:
        """Take a piece of text, and return what can be passed on."""
        if not self.sequences:
            return text
        if self.found:
            return ''
        text = self._held + text
        places = [place for sequence in self.sequences if (place := text.find(sequence)) >= 0]
        if places:
            self.found, self._held = True, ''
            return text[: min(places)]
        longest = max(map(len, self.sequences)) - 1
        for size in range(min(longest, len(text)), 0, -1):
            if any(sequence.startswith(text[-size:]) for sequence in self.sequences):
                self._held = text[-size:]
                return text[:-size]
        self._held = ''
        return text

    def rest(self) -> str:
        """Return what was held back, at the end of the text."""
        held, self._held = self._held, ''
        return held
