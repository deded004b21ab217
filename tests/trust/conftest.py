"""The event loop of the tests that are coroutines: stead's journals and front ends are for asyncio."""

from __future__ import annotations

import pytest

from tests.journal.conftest import postgres, postgres_server

__all__ = ['postgres', 'postgres_server']


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'
