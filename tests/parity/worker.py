"""Run cases one after the other in one process, with the drop-in alias installed, and print what each of them prints.

Reads names of cases from standard input, and writes one JSON object for each.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import traceback
import warnings
from pathlib import Path

import stead.dropin

CASES = Path(__file__).parent / 'cases'


def main() -> None:
    stead.dropin.install()
    warnings.simplefilter('ignore')
    sys.path.insert(0, str(CASES))
    for name in sys.stdin.read().split():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                runpy.run_path(str(CASES / f'{name}.py'), run_name='__main__')
            except Exception:
                print(traceback.format_exc())
        print(json.dumps({'case': name, 'output': printed.getvalue()}), flush=True)


if __name__ == '__main__':
    main()
