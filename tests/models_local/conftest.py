"""The engines of the tests, closed with each module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope='session')
def tiny_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a tiny base model."""
    from .tiny import tiny_model

    return tiny_model(tmp_path_factory.mktemp('weights') / 'tiny.gguf')


@pytest.fixture
def tiny(tiny_file: Path) -> Any:
    """A tiny base model, which writes what it may at random."""
    from stead.models.llamacpp import LlamaCppModel

    return LlamaCppModel(str(tiny_file), threads=1, settings={'temperature': 2.0, 'seed': 1})


@pytest.fixture(scope='module', autouse=True)
def engines() -> Iterator[None]:
    """Close the engines that the tests of a module have started."""
    yield
    from stead.models.llamacpp import close_engines

    close_engines()
