"""What tests of engines share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


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
