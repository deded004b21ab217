"""Run cases one after the other in one process, and write what each of them prints.

Reads names of cases from standard input and writes one JSON object a line. With `--alias` the cases run on stead, through
the drop-in alias, at the level of `--level`; without it on the package that they name. This file runs on either, so it imports neither.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import io
import json
import runpy
import selectors
import sys
import time
import traceback
import warnings
from pathlib import Path

CASES = Path(__file__).parent / 'cases'
SECONDS_A_CASE = 240  # loading an SDK takes minutes where much else runs


class SteadySelector(selectors.DefaultSelector):
    """Counts the time that an event loop waits, and of each wait no more than it was to take.

    Cases let things happen one after the other by sleeping for 0.01 and 0.02 seconds. On a clock of the machine, a process that
    is held up for longer finds that both are over, or starts the second sleep late. With this one as the clock, times come in
    their order, however busy the machine is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = time.monotonic()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began = time.monotonic()
        events = super().select(timeout)
        waited = time.monotonic() - began
        self.now += waited if timeout is None else min(waited, max(timeout, 0))
        return events


def let_loops_count_their_waits() -> None:
    """Give event loops that are created from now on such a clock."""
    selectors.DefaultSelector = SteadySelector  # type: ignore[misc]

    def now(loop: asyncio.BaseEventLoop) -> float:
        selector = getattr(loop, '_selector', None)
        return selector.now if isinstance(selector, SteadySelector) else time.monotonic()

    asyncio.BaseEventLoop.time = now  # type: ignore[method-assign]


def output_of(case: Path) -> str:
    """Return what a case prints; for one that fails, what it printed until then and the error."""
    printed = io.StringIO()
    sys.argv = [str(case)]
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            runpy.run_path(str(case), run_name='__main__')
        except SystemExit as error:
            if error.code:
                print(f'exit {error.code}')
        except BaseException as error:
            traceback.print_exc()
            print(f'failed: {type(error).__name__}: {error}')
    return printed.getvalue()


def main() -> None:
    if '--alias' in sys.argv:
        import stead.dropin

        stead.dropin.install(level=2 if '--level' in sys.argv else 1)
    let_loops_count_their_waits()
    sys.path[0] = str(CASES)
    answers = sys.stdout
    for name in sys.stdin.read().split():
        faulthandler.dump_traceback_later(SECONDS_A_CASE, exit=True)  # a case that hangs says where
        text = output_of(CASES / f'{name}.py')
        answers.write(json.dumps({'case': name, 'output': text}) + '\n')
        answers.flush()
    faulthandler.cancel_dump_traceback_later()


if __name__ == '__main__':
    main()
