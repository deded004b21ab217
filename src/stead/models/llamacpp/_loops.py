"""Repetition in text: small models repeat themselves when they have nothing more to say."""

from __future__ import annotations

_LONGEST = 500
"""The longest passage that is looked for, in characters."""
_LEAST = 200
"""How many characters must repeat at least: lines and tables repeat a single one dozens of times."""
_TIMES = 4
"""How many times a passage must come in a row."""
_PROBE = 32
"""How many characters at the end are searched for further up."""


class LoopWatch:
    """Notices when the end of a text that comes in pieces has been repeated again and again, word for word."""

    def __init__(self) -> None:
        self.found = False
        self._end = ''

    def feed(self, text: str) -> None:
        """Take a piece of the text; `found` says whether it repeats itself by now."""
        self._end = (self._end + text)[-_LONGEST * _TIMES :]
        if len(self._end) >= _LEAST:
            self.found = self.found or _repeats(self._end)


def _repeats(text: str) -> bool:
    """Return whether a text ends with a passage that comes several times in a row."""
    probe = text[-_PROBE:]
    place = len(text) - _PROBE
    while (place := text.rfind(probe, 0, place + _PROBE - 1)) >= 0:
        period = len(text) - _PROBE - place
        size = max(period * _TIMES, _LEAST)
        if period > _LONGEST or size > len(text):
            return False
        if text[-size:-period] == text[period - size :]:
            return True
    return False
