"""Record what the reference prints for each case, and show what has drifted.

    REFERENCE_PYTHON=/path/to/python REFERENCE_PYTHON_2=/path/to/python python tests/parity/record.py [WORD ...]

`REFERENCE_PYTHON` is an interpreter that has the reference implementation (pydantic-ai 1.107) installed, `REFERENCE_PYTHON_2` one with
2.x for the cases in `level2/`; those of a level without one are left out. Words pick the cases whose names contain one of them. Exit status: 1 if a case failed or a record changed, 2 if there is no reference to ask.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness import case_names, difference, level_of, record_of, run_cases
from masks import masked

PROBE = 'import importlib.metadata as m, pydantic_ai; print(m.version("pydantic-ai-slim"))'


def main(words: list[str]) -> int:
    names = [name for name in case_names() if not words or any(word in name for word in words)]
    pythons = {1: os.environ.get('REFERENCE_PYTHON'), 2: os.environ.get('REFERENCE_PYTHON_2')}
    asked = [
        record(python, [name for name in names if level_of(name) == level])
        for level, python in pythons.items()
        if python
    ]
    if not asked:
        print(
            'There is no reference to ask. Set REFERENCE_PYTHON to a Python interpreter that has the reference '
            'implementation installed (pydantic-ai-slim 1.107), for example:\n'
            '  python3 -m venv ~/reference && ~/reference/bin/pip install "pydantic-ai-slim~=1.107.0"\n'
            '  make parity REFERENCE_PYTHON=~/reference/bin/python',
            file=sys.stderr,
        )
    return max(asked, default=2)


def record(python: str, names: list[str]) -> int:
    """Record cases of one level, and say what changed."""
    if not names:
        return 0
    python = os.path.expanduser(python)
    probe = subprocess.run([python, '-c', PROBE], capture_output=True, text=True)
    if probe.returncode:
        print(f'{python} cannot import the reference implementation:\n{probe.stderr.strip()}', file=sys.stderr)
        return 2
    outputs, errors = run_cases(python, names)
    faults = {'failed': 0, 'new': 0, 'drifted': 0}
    for name in names:
        record = record_of(name)
        if name not in outputs or '\nfailed: ' in '\n' + outputs[name]:
            faults['failed'] += 1
            print(f'failed   {name}\n{outputs.get(name, errors)[-2000:]}')
            continue
        old = masked(record.read_text(encoding='utf-8')) if record.exists() else None
        new = masked(outputs[name])
        record.write_text('\n'.join(new) + '\n', encoding='utf-8')
        if old == new:
            continue
        faults['new' if old is None else 'drifted'] += 1
        print(f'{"new" if old is None else "drifted":8} {name}')
        if old is not None:
            print(difference(old, new, ('recorded before', f'pydantic-ai {probe.stdout.strip()}')))
    print(f'{len(names)} cases: ' + ', '.join(f'{count} {what}' for what, count in faults.items()))
    return 1 if any(faults.values()) else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
