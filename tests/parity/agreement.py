"""Hold what stead does against the records."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from .harness import difference, record_of, run_cases
from .masks import masked


def disagreements(names: Sequence[str]) -> list[str]:
    """Run cases on stead, and return what differs from the records."""
    outputs, errors = run_cases(sys.executable, names, '--alias')
    wrong: list[str] = []
    for name in names:
        if name not in outputs:
            wrong.append(f'{name} gave no answer, and the rest of its batch with it:\n{errors[-3000:]}')
            break
        recorded = masked(record_of(name).read_text(encoding='utf-8'))
        if error := _error(name, recorded, masked(outputs[name])):
            wrong.append(error)
    return wrong


def _error(name: str, recorded: Sequence[str], found: Sequence[str]) -> str:
    """Return how the output of a case differs from its record in another way than agreed; empty if it does not."""
    agreed, whole = agreed_of(name), _whole(name, recorded, found)
    if not agreed.exists():
        return difference(recorded, found, ('reference', name)) if whole else ''
    _, _, old = agreed.read_text(encoding='utf-8').partition('\n')
    if not whole:
        return f'{name} agrees with the reference again: remove {agreed.name}.'
    if old == whole:
        return ''
    return difference(old.splitlines(), whole.splitlines(), (agreed.name, name))


def agreed_of(name: str) -> Path:
    """Return the file with a difference that is on purpose: a line that says why, and the diff."""
    return record_of(name).with_suffix('.agreed')


def _whole(name: str, recorded: Sequence[str], found: Sequence[str]) -> str:
    diff = '\n'.join(difflib.unified_diff(recorded, found, 'reference', name, lineterm='', n=1))
    return f'{diff}\n' if diff else ''


def main(reason: str, names: Sequence[str]) -> None:
    """Agree that cases differ from the reference, and write down why."""
    outputs, _ = run_cases(sys.executable, names, '--alias')
    for name in names:
        recorded = masked(record_of(name).read_text(encoding='utf-8'))
        whole = _whole(name, recorded, masked(outputs[name]))
        agreed_of(name).write_text(f'# {reason}\n{whole}', encoding='utf-8')


if __name__ == '__main__':  # python -m tests.parity.agreement REASON CASE ...
    main(sys.argv[1], sys.argv[2:])
