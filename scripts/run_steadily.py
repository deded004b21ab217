"""Run tests of real servers or browsers with pytest's arguments: those that fail are run once more, one after the other.

A test that passes then is named as unsteady, and fails nothing. One that fails twice has failed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FAILED, NOTHING_RAN = 1, 5
"""What pytest returns when tests failed, and when there were none."""


def main(arguments: list[str]) -> int:
    with TemporaryDirectory() as cache:
        pytest = [sys.executable, '-m', 'pytest', *arguments, '-o', f'cache_dir={cache}']
        code = subprocess.run(pytest).returncode
        noted = Path(cache, 'v', 'cache', 'lastfailed')
        if code != FAILED or not noted.exists():  # also when pytest itself broke or was interrupted
            return code
        failed: list[str] = list(json.loads(noted.read_text(encoding='utf-8')))
        print(f'\n{len(failed)} failed, and run once more, alone:', *failed, sep='\n  ', flush=True)
        again = [] if '-n' not in arguments else ['-n', '0']
        code = subprocess.run([*pytest, *again, '--last-failed', '--last-failed-no-failures=none']).returncode
        still: list[str] = list(json.loads(noted.read_text(encoding='utf-8'))) if noted.exists() else []
    if code == NOTHING_RAN:
        return FAILED
    for name in failed:
        if name not in still:
            print(f'UNSTEADY: {name} failed among the others and passed alone')
    return code


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
