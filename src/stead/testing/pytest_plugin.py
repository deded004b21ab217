"""The plugin for pytest: the fixture `cassette`, the marker of the same name, and the option `--cassettes`.

A test that asks for the fixture has a cassette of its own, open while it runs. pytest finds the plugin by itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_UNSAFE = re.compile(r'[^\w.-]+')


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup('stead').addoption(
        '--cassettes',
        choices=('auto', 'replay', 'record'),
        help='what cassettes do (default: $STEAD_CASSETTES, or auto): answer, answer and record what is missing, or record again',
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        'markers',
        'cassette(file, mode=, replay_tools=, scrub=): the cassette of a test, in place of cassettes/MODULE/TEST.jsonl beside it',
    )


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Record what models answer in this test, or answer from the recording; see `stead.testing.cassette`."""
    from ._cassette import cassette as opened

    node: Any = request.node
    marker = node.get_closest_marker('cassette')
    options: dict[str, Any] = dict(marker.kwargs) if marker is not None else {}
    if (mode := request.config.getoption('--cassettes')) is not None:
        options['mode'] = mode
    directory = Path(str(node.path)).parent / 'cassettes'
    name = marker.args[0] if marker is not None and marker.args else None
    path = (
        directory / Path(str(node.path)).stem / f'{_UNSAFE.sub("-", node.name)}.jsonl'
        if name is None
        else directory / name
    )
    with opened(os.fspath(path), **options) as tape:
        yield tape
