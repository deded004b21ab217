"""What needs a package that may not be installed says which extra has it."""

from __future__ import annotations

import pytest

from ..loading import run_program


@pytest.mark.parametrize(
    ('package', 'program', 'extra'),
    [
        ('ag_ui', 'import stead.ui.ag_ui', 'ag-ui'),
        ('ag_ui', 'import stead.ag_ui', 'ag-ui'),
        ('starlette', 'from stead.ui.ag_ui.app import AGUIApp', 'ag-ui'),
        ('starlette', 'from stead import Agent; Agent("test").to_web()', 'web'),
    ],
)
def test_missing_packages_are_named(package: str, program: str, extra: str) -> None:
    if package != 'ag_ui':
        pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
    process = run_program(f'import sys; sys.modules[{package!r}] = None\n{program}')
    assert f'pip install "stead[{extra}]"' in process.stderr


def test_what_protocols_share_needs_no_package() -> None:
    process = run_program(
        "import sys; sys.modules['starlette'] = sys.modules['ag_ui'] = None\nimport stead.ui; print('ok')"
    )
    assert (process.stdout.strip(), process.stderr) == ('ok', '')
