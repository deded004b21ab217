"""Optional packages: what an error says when one is missing, or is there and cannot be loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stead._kit.extras import load_extra


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose import raises what is written into it."""
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / 'stead_tests_engine.py'
    yield path
    sys.modules.pop(path.stem, None)


@pytest.mark.parametrize(
    'error',
    [
        "ImportError('libgomp.so.1: cannot open shared object file')",
        "OSError('libgomp.so.1: cannot open shared object file')",
        'ModuleNotFoundError("No module named \'libgomp.so.1\'")',
    ],
)
def test_a_package_that_cannot_be_loaded_is_not_called_missing(broken: Path, error: str):
    broken.write_text(f'raise {error}')
    with pytest.raises(ImportError, match='which is installed and cannot be loaded: .*libgomp') as caught:
        load_extra(broken.stem, extra='local', what='LlamaCppModel')
    assert 'stead[local]' in str(caught.value)
    assert isinstance(caught.value.__cause__, (ImportError, OSError))


def test_a_package_that_is_missing_is_named_with_its_extra():
    with pytest.raises(ImportError, match=r'LlamaCppModel needs the package .*stead\[local\]') as caught:
        load_extra('stead_tests_no_engine', extra='local', what='LlamaCppModel')
    assert 'cannot be loaded' not in str(caught.value)
