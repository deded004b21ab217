"""The gate: whatever the tools, their wrappers, the deciders, the model and the way to run, nothing runs without consent.

`make trust` plays 6,000 cases; without `STEAD_TRUST_FULL=1`, a few hundred are played.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections import Counter

from hypothesis import HealthCheck, given, settings

from .gate import CASES, WAYS, Case, played

FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
COUNT = 6000 if FULL else 400
NEW = FULL and not os.environ.get('CI')


def test_nothing_runs_without_consent() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=COUNT, deadline=None, suppress_health_check=list(HealthCheck), derandomize=not NEW)
    @given(CASES)
    def play(case: Case) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            world = asyncio.run(played(case))
        assert world.without_consent() == []
        seen['cases'] += 1
        seen[case.way] += 1
        seen['with consent'] += bool(world.ran)
        seen['asked'] += bool(world.grants)

    play()
    assert seen['cases'] >= COUNT * 0.9
    assert all(seen[way] > COUNT / 20 for way in WAYS), seen
    assert seen['with consent'] > COUNT / 20, f'tools that need consent do run, with it: {seen}'
    if FULL:
        print(f'{seen["cases"]} cases, {seen["with consent"]} of them ran a tool that needs consent, with it')
