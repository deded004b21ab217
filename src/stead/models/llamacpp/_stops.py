"""Stop sequences in text that comes in pieces."""

from __future__ import annotations

from collections.abc import Sequence


class Stops:
    """Passes text on up to a stop sequence; what may be the beginning of one is held back."""

    def __init__(self, sequences: Sequence[str]) -> None:
        """Prepare to look for sequences.

        Args:
            sequences: The sequences; empty ones do not count.
        """
        self.sequences: list[str] = [sequence for sequence in sequences if sequence]
        self.found = False
        self._held: str = ''

    def take(self, text: str) -> str:
        """Return what can be passed on."""
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
