"""Nothing of OpenTelemetry loads until something is traced, and runs that are not traced have no hooks for it."""

from __future__ import annotations

import pytest

from ..loading import run_program

LIGHT = {
    'classes': 'from stead.capabilities import Instrumentation; from stead import InstrumentationSettings',
    'model': 'from stead.models.instrumented import InstrumentedModel, instrument_model',
    'run': "from stead import Agent; assert Agent('test').run_sync('x').output",
    'switched off': "from stead import Agent; Agent.instrument_all(False); Agent('test').run_sync('x')",
    'instrument_model(False)': (
        'from stead.models.test import TestModel; from stead.models.instrumented import instrument_model; '
        'instrument_model(TestModel(), False)'
    ),
}
HEAVY = {
    'settings': 'from stead import InstrumentationSettings; InstrumentationSettings()',
    'run': "from stead import Agent; Agent.instrument_all(); Agent('test').run_sync('x')",
}


def loaded(code: str) -> str:
    program = f"{code}\nimport sys; print('opentelemetry' in sys.modules)"
    process = run_program(program)
    assert process.stderr == ''
    return process.stdout.strip()


@pytest.mark.parametrize('code', LIGHT.values(), ids=LIGHT)
def test_nothing_loads_before_it_is_used(code: str) -> None:
    assert loaded(code) == 'False'


@pytest.mark.parametrize('code', HEAVY.values(), ids=HEAVY)
def test_it_loads_when_it_is_used(code: str) -> None:
    assert loaded(code) == 'True'
