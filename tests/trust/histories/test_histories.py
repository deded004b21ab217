"""Nothing is done twice, missing, extra, stuck or out of order, whatever happens to the processes that share a journal.

`make test` plays a few histories, always the same ones; `make trust` plays for some minutes, and `make histories` as long as one likes.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.journal.conftest import PostgresServer

from .check import check

ROOT = Path(__file__).parents[3]
FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
SECONDS = 30  # of each part; there are two for each kind of store
COUNT = 5
"""How many histories each part plays in `make test`: about three seconds of a processor."""
pytestmark = pytest.mark.skipif(not hasattr(os, 'fork') or sys.platform == 'darwin', reason='signals and forks')


def play(folder: Path, seed: int, store: str = 'sqlite') -> None:
    amount = ['--seconds', str(SECONDS)] if FULL else ['--count', str(COUNT)]
    if FULL and 'CI' not in os.environ:
        seed = random.randrange(10**6)
    command = [sys.executable, '-m', 'tests.trust.histories', '--seed', str(seed), '--store', store, *amount]
    process = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, 'TMPDIR': str(folder)}
    )
    print(process.stdout)
    assert process.returncode == 0, f'{process.stdout}\n{process.stderr[-3000:]}'


@pytest.mark.parametrize('seed', [0, 1000])
def test_nothing_goes_wrong_in_a_file(seed: int, tmp_path: Path) -> None:
    play(tmp_path, seed)


@pytest.mark.skipif(not FULL, reason='`make trust` plays these')
@pytest.mark.parametrize('seed', [2000, 3000])
def test_nothing_goes_wrong_in_a_database(seed: int, tmp_path: Path, postgres: PostgresServer) -> None:
    play(tmp_path, seed, postgres.url)


# The checker finds what it is for

TASK: dict[str, Any] = {'what': 't', 'plan': [[['pay']], [['wipe'], ['idem']]], 'ends': 'text', 'way': 'run'}
PROMPT = '{"what": "t", "plan": [[["pay"]], [["wipe"], ["idem"]]], "ends": "text"}'


def effect(
    what: str, kind: str, at: float, *, pid: int = 1, run: str = 'r', key: str = '', id: str = '', token: int = 1
) -> list[dict[str, Any]]:
    known = {'pid': pid, 'what': what, 'kind': kind, 'run': run, 'key': key or f'k{what}', 'id': id or f'{what}{at}'}
    return [
        {'event': 'starts', 'at': at, 'pid': pid, 'run': run, 'token': token, 'call': f'c-{what}', 'tool': kind},
        {'event': 'enter', 'at': at, 'call': f'c-{what}', **known},
        {'event': 'do', 'at': at + 0.01, **known},
    ]


def question(decision: bool, *, outcome: str = 'accepted', pid: int = 2) -> list[dict[str, Any]]:
    answer = {'run': 'r', 'call': 'c-t.1.0', 'what': 't.1.0', 'kind': 'approval', 'decision': decision}
    known = {'pid': pid, 'at': 2.0, 'answers': [answer], 'channel': 'answer'}
    return [{'event': 'decide', **known}, {'event': 'decided', **known, 'outcome': outcome}]


def history() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the ledger and the run of a task that went well."""
    lines = [
        *effect('t.0.0', 'pay', 1.0),
        *question(True),
        *effect('t.1.0', 'wipe', 3.0),
        *effect('t.1.1', 'idem', 3.5),
    ]
    answers = [
        ['tool-return', f'c-{what}', f'{kind} {what}']
        for kind, what in (('pay', 't.0.0'), ('wipe', 't.1.0'), ('idem', 't.1.1'))
    ]
    run = {'run': 'r', 'status': 'done', 'parent': None, 'base': None, 'seqs': [1, 2], 'kinds': [], 'prompt': PROMPT}
    return lines, {**run, 'answers': answers, 'output': 'done', 'handed_to': None, 'error': None}


def test_the_checker_has_nothing_to_say_of_what_went_well() -> None:
    lines, run = history()
    assert check([TASK], lines, [run]) == []
    again = effect('t.1.1', 'idem', 4.0)  # with its key
    assert check([TASK], [*lines, *again], [run]) == []


TOOK = {'event': 'took', 'at': 0.2, 'pid': 1, 'run': 'r', 'token': 2}
LOOKED = {'event': 'looked', 'at': 0.3, 'pid': 1, 'what': 't.0.0', 'run': 'r', 'is_done': False, 'seen': 3}


def fault(kind: str, pid: int) -> dict[str, Any]:
    return {'event': 'fault', 'fault': kind, 'at': 0.0, 'pid': pid}


@pytest.mark.parametrize(
    ('first', 'between', 'is_right'),
    [
        # Process 9 had started to pay, and process 1 took over.
        ([], [fault('stop', 9), TOOK, LOOKED], True),
        ([fault('clock', 1)], [TOOK, LOOKED], True),
        ([fault('clock', 9)], [TOOK, LOOKED], True),
        ([], [{**TOOK, 'at': 0.3}, LOOKED], True),
        # The lease lasted, no clock of theirs had jumped, or not then, and neither had been paused since the call started.
        ([], [TOOK, LOOKED], False),
        ([fault('clock', 8)], [TOOK, LOOKED], False),
        ([], [TOOK, LOOKED, fault('clock', 1)], False),
        ([fault('stop', 9)], [TOOK, LOOKED], False),
        # No one took over after the call had started, or found it done then, or did not look.
        ([fault('clock', 1), TOOK], [LOOKED], False),
        ([fault('clock', 1)], [{**TOOK, 'token': 1}, LOOKED], False),
        ([fault('clock', 1)], [TOOK, {**LOOKED, 'is_done': True}], False),
        ([fault('clock', 1)], [TOOK], False),
        ([fault('clock', 1)], [TOOK, {**LOOKED, 'seen': 99}], False),
    ],
)
def test_a_write_that_had_started_may_be_done_late(
    first: list[dict[str, Any]], between: list[dict[str, Any]], is_right: bool
) -> None:
    lines, run = history()
    start, enter, do = effect('t.0.0', 'pay', 0.1, pid=9, id='late')
    for late in ([start, *between, enter], [start, enter, *between]):
        found = check([TASK], [dict(line) for line in [*first, *late, *lines, do]], [run])
        assert [problem.partition(':')[0] for problem in found] == ([] if is_right else ['twice'])


@pytest.mark.parametrize(
    ('what', 'planted'),
    [
        ('twice', lambda lines, run: lines.extend(effect('t.0.0', 'pay', 4.0))),
        ('twice', lambda lines, run: lines.extend(effect('t.1.1', 'idem', 4.0, key='another'))),
        ('twice', lambda lines, run: lines.extend(question(False, pid=3))),
        # It was done late, but no one had looked for it, or it was not paused.
        ('twice', lambda lines, run: (lines.insert(0, {'event': 'fault', 'fault': 'stop', 'at': 0.2, 'pid': 1}), lines.extend(effect('t.0.0', 'pay', 4.0)))),
        ('missing', lambda lines, run: lines.__delitem__(slice(0, 3))),
        ('missing', lambda lines, run: lines.__delitem__(slice(5, 8))),
        ('missing', lambda lines, run: run['answers'].pop()),
        ('missing', lambda lines, run: run.update(seqs=[1, 3])),
        ('missing', lambda lines, run: run.update(output='None')),
        ('extra', lambda lines, run: lines.extend(effect('t.7.0', 'pay', 4.0))),
        ('extra', lambda lines, run: lines.__setitem__(slice(3, 5), question(False))),
        ('extra', lambda lines, run: run['answers'].append(['tool-return', 'c-t.0.0', 'pay t.0.0'])),
        ('stuck', lambda lines, run: run.update(status='waiting')),
        ('stuck', lambda lines, run: run.update(status='failed', error='the store failed')),
        ('order', lambda lines, run: lines.__setitem__(slice(None), [*lines[3:], *lines[:3]])),
        ('order', lambda lines, run: run['answers'].__setitem__(0, ['tool-return', 'c-t.0.0', 'pay t.1.0'])),
        ('error', lambda lines, run: lines.append({'event': 'error', 'where': 'worker', 'error': 'KeyError', 'at': 5.0, 'pid': 1})),
    ],
)  # fmt: skip
def test_the_checker_finds_what_is_wrong(what: str, planted: Any) -> None:
    lines, run = history()
    planted(lines, run)
    found = check([TASK], lines, [run])
    assert found and {problem.partition(':')[0] for problem in found} == {what}
