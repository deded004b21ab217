"""What the tests of this room share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import stead.dropin


@pytest.fixture
def alias() -> Iterator[None]:
    stead.dropin.install()
    yield
    stead.dropin.uninstall()
