"""Check how much of the public interface has a known type, as pyright sees it: `python scripts/type_completeness.py`.

Prints the symbols whose type is unknown or ambiguous, and fails if the share of the others is below the floor. What is
public is decided by paths: modules, packages and names without a leading underscore.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
FLOOR = 0.998
"""The share of symbols that must have a known type. It may only rise."""
OF_OTHERS = {'Type of metaclass unknown', 'Type of base class unknown'}


def completeness() -> dict[str, Any]:
    """Return what `pyright --verifytypes` reports about the package in this checkout."""
    pyright = [sys.executable, '-m', 'pyright', '--pythonpath', sys.executable]
    # From a folder of its own: the checkout's settings exclude what is to be checked here.
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.run(
            [*pyright, '--verifytypes', 'stead', '--ignoreexternal', '--outputjson'],
            cwd=folder,
            env={**os.environ, 'PYTHONPATH': str(ROOT / 'src')},
            stdout=subprocess.PIPE,
            check=False,  # it exits with 1 as long as one symbol is incomplete
        )
    return json.loads(process.stdout)['typeCompleteness']


def is_derived_from_others(symbol: dict[str, Any]) -> bool:
    """Return whether all that is unknown of a class is its base class, which is one of another package.

    With `--ignoreexternal` pyright does not look into other packages, and calls such a class unknown, whatever it declares.
    """
    reasons = [item['message'] for item in symbol.get('diagnostics', ())]
    return bool(reasons) and all(reason in OF_OTHERS for reason in reasons)


def main() -> int:
    report = completeness()
    public = [symbol for symbol in report['symbols'] if symbol['isExported']]
    unknown = [symbol for symbol in public if symbol['isTypeAmbiguous'] or not symbol['isTypeKnown']]
    unknown = [symbol for symbol in unknown if not is_derived_from_others(symbol)]
    for symbol in unknown:
        reasons = ' '.join(item['message'].replace('\n', ' ') for item in symbol.get('diagnostics', ()))
        print(f'{symbol["name"]}: {reasons or "its type is made of others that are incomplete"}')
    score = 1 - len(unknown) / len(public)
    print(f'{len(public)} public symbols, {score:.2%} with a known type')
    if score < FLOOR:
        print(f'That is less than {FLOOR:.1%}: annotate what is listed above.')
    return int(score < FLOOR)


if __name__ == '__main__':
    sys.exit(main())
