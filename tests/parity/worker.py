"""Run cases one after the other in one process, and write what each of them prints.

Reads names of cases from standard input and writes one JSON object a line. With `--alias` the cases run on stead, through
the drop-in alias; without it on the package that they name. This file runs on either, so it imports neither.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import runpy
import sys
import traceback
import warnings
from pathlib import Path

CASES = Path(__file__).parent / 'cases'
SECONDS_A_CASE = 240  # loading an SDK takes minutes where much else runs


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

        stead.dropin.install()
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
