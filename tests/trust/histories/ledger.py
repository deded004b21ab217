"""The ledger: what was really done, one line of JSON for each event, in the order in which it happened, in all processes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

_clock = time.monotonic  # processes of a history set their clocks; the ledger keeps the real one


class Ledger:
    """A file that processes append to, and that outlives them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY)

    def note(self, event: str, **data: Any) -> None:
        """Append an event; it is on the disk when this returns."""
        line = json.dumps({'event': event, 'at': _clock(), 'pid': os.getpid(), **data})
        os.write(self._file, f'{line}\n'.encode())  # one write: lines of others do not come between
        os.fsync(self._file)

    def lines(self) -> list[dict[str, Any]]:
        """Return all events."""
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]

    def size(self) -> int:
        """Return how long the ledger is, in bytes."""
        return os.stat(self._file).st_size

    def look_up(self, what: str, run_id: str | None) -> bool:
        """Return whether a run has had an effect, and note that someone asked, and how many lines there were then."""
        lines = self.lines()
        is_done = any(line['event'] == 'do' and line['what'] == what and line['run'] == run_id for line in lines)
        self.note('looked', what=what, run=run_id, is_done=is_done, seen=len(lines))
        return is_done
