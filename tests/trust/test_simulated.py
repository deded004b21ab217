"""Agents of many kinds keep what they promise in every order of events, and wherever they are disturbed."""

from __future__ import annotations

import os
from typing import Any

import pytest

from stead.testing import simulate

from ..journal.test_crashes import KINDS

COUNT = 1_000 if os.environ.get('STEAD_TRUST_FULL') else 12
LEFT_OUT = {'nested', 'writing scripts'}
"""Their tools use `asyncio.gather`: when one call raises, also to wait for a decision, it leaves the others under way."""


@pytest.mark.filterwarnings('ignore:The agent has changed')
@pytest.mark.parametrize('kind', [kind for kind in KINDS if kind not in LEFT_OUT])
def test_nothing_that_was_promised_depends_on_the_order(kind: str) -> None:
    agent, options, prompt, ways, _ = KINDS[kind]
    some: Any = ways
    assert simulate(agent, prompt, seeds=range(COUNT), ways=some, **options).seeds == COUNT
