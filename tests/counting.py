"""Count the calls of Python functions in a block: figures of time depend on the machine, and these do not."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType

import stead

OURS = str(Path(stead.__file__).parent)


class Calls:
    """Counts the calls in a block, of this thread: all of them, and those of stead's own functions.

    What the garbage collector would do in between is not counted: it comes after a number of objects that were made
    before, by whatever ran in this process, and calls the callbacks of weak references.
    """

    all: int
    ours: int
    of_each: Counter[CodeType]
    """The calls of each of stead's own functions."""

    def __enter__(self) -> Calls:
        self.all = self.ours = 0
        self.of_each = Counter()
        known: dict[CodeType, bool] = {}

        def count(frame: FrameType, event: str, arg: object) -> None:
            if event == 'call':
                code = frame.f_code
                if code not in known:
                    known[code] = code.co_filename.startswith(OURS)
                self.all += 1
                if known[code]:
                    self.ours += 1
                    self.of_each[code] += 1

        gc.collect()
        gc.disable()
        sys.setprofile(count)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        gc.enable()
