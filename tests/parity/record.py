"""Record what the reference prints for each case, and show what has drifted.

Set `REFERENCE_PYTHON` to a Python interpreter that has the reference implementation installed.
"""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from masks import masked

CASES = Path(__file__).parent / 'cases'


def main() -> int:
    python = os.environ.get('REFERENCE_PYTHON')
    if not python:
        print('Set REFERENCE_PYTHON to an interpreter that has the reference implementation (pydantic-ai 1.107) installed.')
        return 2
    drifted = 0
    for case in sorted(CASES.glob('[a-z]*.py')):
        done = subprocess.run(
            [python, str(case)], capture_output=True, text=True, env={**os.environ, 'PYTHONWARNINGS': 'ignore'}
        )
        if done.returncode:
            print(f'{case.name}: failed\n{done.stderr[-2000:]}')
            drifted += 1
            continue
        new = '\n'.join(masked(done.stdout)) + '\n'
        record = case.with_suffix('.out')
        old = record.read_text() if record.exists() else ''
        if new != old:
            drifted += 1
            print('\n'.join(difflib.unified_diff(old.splitlines(), new.splitlines(), 'recorded', case.name, lineterm='')))
            record.write_text(new)
    print(f'{drifted} cases drifted')
    return 0


if __name__ == '__main__':
    sys.exit(main())
