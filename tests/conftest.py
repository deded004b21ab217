"""Settings that all tests share."""

from __future__ import annotations

import atexit
import gc
import os
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Where Logfire is installed, its spans warn that it was not configured; here warnings are errors.
os.environ.setdefault('LOGFIRE_IGNORE_NO_CONFIG', '1')

# Where changes are judged, examples are the same each time; by hand, `make test` and `make trust` draw new ones.
settings.register_profile(
    'default', deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get('CI'))
)
settings.load_profile('default')

ROOT = Path(__file__).parent.parent


def _trust_one_authority() -> None:
    """Let this process and those that it starts read one certificate for TLS: all of them take a fiftieth of a second a client."""
    if 'STEAD_SSL_CERT_FILE' in os.environ:  # one of those
        return
    import certifi

    first, end, _ = certifi.contents().partition('-----END CERTIFICATE-----')
    descriptor, path = tempfile.mkstemp('.pem')
    atexit.register(os.unlink, path)
    with open(descriptor, 'w', encoding='ascii', errors='ignore') as file:  # names of authorities are comments
        file.write(first + end)
    os.environ['STEAD_SSL_CERT_FILE'] = os.environ.get('SSL_CERT_FILE', '')
    os.environ['SSL_CERT_FILE'] = path


_trust_one_authority()


def pytest_report_header() -> str:
    """Say how many lines of tests there are for a line of source; between 1 and 1.7 is what we aim at."""
    tests, src = (
        sum(len(path.read_text(encoding='utf-8').splitlines()) for path in (ROOT / folder).rglob('*.py'))
        for folder in ('tests', 'src')
    )
    return f'lines: {tests} of tests, {src} of source, ratio {tests / src:.2f}'


@pytest.fixture(scope='module', params=['asyncio', 'trio'] if find_spec('trio') else ['asyncio'])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """The event loop of an async test. Older versions of anyio would also take one that is not installed."""
    return request.param


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Load SDKs and make the tests without garbage collections, which would look at all of it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)  # by default a tenth of the time of the tests goes into it
        gc.enable()


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Begin with the tests of vendors: with two workers, one of them has all of these, and the other need not load every SDK."""
    items.sort(key=lambda item: 'models_wire' not in item.path.parts)


@pytest.fixture(scope='module', autouse=True)
def _what_a_module_leaves() -> Iterator[None]:
    """Take what a module leaves in memory out of the garbage collections that tests make: SDKs are large.

    Garbage is collected before that as long as warnings are what they are for the module, such as those of sockets of its SDK.
    """
    yield
    gc.collect()
    gc.freeze()
