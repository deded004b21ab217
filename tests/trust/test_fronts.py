"""Whatever front ends send, and on whatever channel people decide, a tool runs as often as someone said yes to it."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead.ui import _approvals

from .fronts import CASES, Fronts

FULL = os.environ.get('STEAD_TRUST_FULL') == '1'
COUNT = 2000 if FULL else 60


def test_nothing_runs_more_often_than_someone_said_yes_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('STEAD_APPROVAL_KEY', 'a key of both servers')
    seen: Counter[str] = Counter()

    @settings(
        max_examples=COUNT,
        deadline=None,
        phases=[Phase.generate],  # a case is short, and to make it shorter takes minutes
        suppress_health_check=list(HealthCheck),
        derandomize=not FULL or bool(os.environ.get('CI')),
    )
    @given(CASES)
    def play(case: Any) -> None:
        has_journal, talks, actions = case
        _approvals._decided.clear()
        fronts = Fronts(has_journal, talks)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            asyncio.run(fronts.play(actions))
        assert fronts.without_consent() == []
        seen['cases'] += 1
        seen['asked'] += len(fronts.asked)
        seen['ran'] += len(fronts.ran)
        for talk in fronts.conversations:
            seen[talk.protocol] += len(talk.questions)

    play()
    assert seen['ran'] >= COUNT / 20 and seen['asked'] >= COUNT / 2, seen
    assert min(seen['ag-ui'], seen['ai-sdk']) >= COUNT / 6, seen
    if FULL:
        print(seen)
