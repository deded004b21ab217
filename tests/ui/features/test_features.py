"""The page of what each protocol can do says what happens when it is tried."""

from __future__ import annotations

import pytest

for package in ('ag_ui', 'starlette', 'fasta2a'):
    pytest.importorskip(package, reason=f'the package {package} is not installed')

from .write_table import PAGE, written


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding='utf-8') == written(), 'write it again: make features'
