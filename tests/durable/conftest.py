"""What tests of engines share."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope='module', autouse=True)
def own_garbage() -> Iterator[None]:
    """Collect what the packages of an engine leave, such as sockets, where their warnings are not errors."""
    yield
    gc.collect()


@pytest.fixture(scope='session')
def temporal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Temporal's server."""
    from tests.durable.servers import TemporalServer

    server = TemporalServer(tmp_path_factory.mktemp('temporal'))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which tools write down what they do to the world."""
    path = tmp_path / 'world'
    path.touch()
    monkeypatch.setenv('STEAD_WORLD', str(path))
    return path
