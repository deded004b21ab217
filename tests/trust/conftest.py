"""The event loop of the tests that are coroutines: stead's journals and front ends are for asyncio."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'
