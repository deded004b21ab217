"""Hold what stead does against the records."""

from __future__ import annotations

import sys
from collections.abc import Sequence

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
        diff = difference(recorded, masked(outputs[name]), ('reference', name))
        if diff:
            wrong.append(diff)
    return wrong
