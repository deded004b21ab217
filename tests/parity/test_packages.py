"""Cases that need optional packages: the lanes of `.ci/run` that have these, lowest and newest, run this file alone."""

from __future__ import annotations

import pytest

from .agreement import disagreements
from .harness import case_names, lacking, level_of, needs

NAMES = [name for name in case_names() if needs(name)]
LACKING = {name: packages for name in NAMES if (packages := lacking(name))}
RUNNABLE = [name for name in NAMES if name not in LACKING]


@pytest.mark.parametrize('level', [1, 2])
def test_cases_agree(level: int) -> None:
    names = [name for name in RUNNABLE if level_of(name) == level]
    if names and (wrong := disagreements(names)):
        pytest.fail('\n\n'.join(wrong), pytrace=False)


@pytest.mark.parametrize('name', sorted(LACKING))
def test_cases_that_lack_packages(name: str) -> None:
    pytest.skip(f'{", ".join(LACKING[name])} cannot be imported')
