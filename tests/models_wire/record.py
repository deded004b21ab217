"""Record what the reference sends for each case, and what it makes of the answers.

    REFERENCE_PYTHON=/path/to/python python tests/models_wire/record.py [NAME ...]

`REFERENCE_PYTHON` is an interpreter that has the reference implementation (pydantic-ai 1.107) and the vendors' SDKs. Names are
those of the modules of cases without `_` and `_cases.py`: `responses` is `_responses_cases.py`, which joins the cases of modules like
`_responses_streams_cases.py`. The records lie beside the cases, one line a case; without names, all of them are recorded again.

    python tests/models_wire/record.py --agree REASON NAME CASE [CASE ...]

writes down beside the record what stead does in cases where it differs on purpose, with the reason.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from _wire import Wire

HERE = Path(__file__).parent
NAMES = sorted(path.name.partition('.')[0] for path in HERE.glob('*.recorded.jsonl'))


def record_of(name: str) -> Path:
    return HERE / f'{name}.recorded.jsonl'


def agreed_of(name: str) -> Path:
    return HERE / f'{name}.agreed.jsonl'


def agreed_facts(name: str) -> dict[str, str]:
    """What stead does in the cases where it differs on purpose."""
    path = agreed_of(name)
    lines = path.read_text(encoding='utf-8').splitlines() if path.exists() else []
    return {case: facts for case, _, facts in (line.split('\t', 2) for line in lines)}


def agree(reason: str, name: str, *cases: str) -> int:
    path, found = agreed_of(name), asyncio.run(all_facts(name))
    lines = path.read_text(encoding='utf-8').splitlines() if path.exists() else []
    kept = [line for line in lines if line.partition('\t')[0] not in cases]
    kept += [f'{case}\t{reason}\t{found[case]}' for case in cases]
    path.write_text('\n'.join(sorted(kept)) + '\n', encoding='utf-8')
    return 0


async def all_facts(name: str) -> dict[str, str]:
    module = importlib.import_module(f'_{name}_cases')
    found: dict[str, str] = {}
    with getattr(module, 'wire_class', Wire)() as wire:  # not all providers speak HTTP
        client = module.client_of(wire)
        for case in module.cases:
            found[case] = json.dumps(await module.run(case, wire, client), sort_keys=True, default=str)
        await client.close()
    return found


def main(names: list[str]) -> int:
    if names[:1] == ['--agree']:
        return agree(*names[1:])
    python = os.path.expanduser(os.environ['REFERENCE_PYTHON'])
    for name in names or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            for path in HERE.glob('*.py'):
                text = path.read_text(encoding='utf-8')
                text = text.replace('from stead', 'from pydantic_ai').replace('import stead', 'import pydantic_ai')
                Path(folder, path.name).write_text(text, encoding='utf-8')
            code = (
                'import asyncio, json, record\n'
                f'for case, facts in asyncio.run(record.all_facts({name!r})).items(): print(case + "\\t" + facts)'
            )
            process = subprocess.run([python, '-c', code], cwd=folder, capture_output=True, text=True)
        if process.returncode:
            print(process.stderr[-3000:], file=sys.stderr)
            return 1
        record_of(name).write_text(process.stdout, encoding='utf-8')
        print(f'{name}: {len(process.stdout.splitlines())} cases')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
