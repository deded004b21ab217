"""Cases that need optional packages: the lanes of `.ci/run` that have these, lowest and newest, run this file alone."""

from __future__ import annotations

import pytest

from .agreement import disagreements
from .harness import case_names, lacking, needs

NAMES = [name for name in case_names() if needs(name)]
LACKING = {name: packages for name in NAMES if (packages := lacking(name))}
RUNNABLE = [name for name in NAMES if name not in LACKING]


def test_cases_agree() -> None:
    if wrong := disagreements(RUNNABLE):
        pytest.fail('\n\n'.join(wrong), pytrace=False)


@pytest.mark.parametrize('name', sorted(LACKING))
def test_cases_that_lack_packages(name: str) -> None:
    pytest.skip(f'{", ".join(LACKING[name])} cannot be imported')
