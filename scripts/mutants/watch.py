"""A plugin of pytest for `make mutants`: it records which lines each test executes, or runs chosen tests with a time limit.

What it is to do is in the environment, so that workers of pytest-xdist and processes that tests start know it too.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

RECORD = os.environ.get('MUTANTS_RECORD')
"""The folder that takes what was executed."""
CHOSEN = os.environ.get('MUTANTS_CHOSEN')
"""A file with the tests to run, in this order, and the seconds that each may take."""
PIPES: tuple[TextIO, TextIO] | None = None
"""Where `forks.py` reads questions and writes its answers."""
if pipes := os.environ.pop('MUTANTS_PIPES', None):
    PIPES = os.fdopen(int(pipes.split()[0]), encoding='utf-8'), os.fdopen(int(pipes.split()[1]), 'w', encoding='utf-8')
MOST_MEMORY = 8 << 30

failed: set[str] = set()
limits: dict[str, float] = json.loads(Path(CHOSEN).read_text(encoding='utf-8')) if CHOSEN else {}
"""The seconds that each test may take."""
_recorder: Any = None
_seconds: dict[str, float] = {}


def pytest_configure(config: pytest.Config) -> None:
    global _recorder
    if CHOSEN:  # a mutant may grow without end
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    if RECORD and (hasattr(config, 'workerinput') or not getattr(config.option, 'numprocesses', None)):
        from coverage import Coverage

        name = f'{RECORD}/{os.getpid()}'
        _recorder = Coverage(data_file=name, config_file=False, source=[str(config.rootpath / 'src')])
        _recorder.set_option('run:relative_files', True)  # the records hold in every checkout
        _recorder.start()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHOSEN:
        order = {name: index for index, name in enumerate(limits)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    begin = time.perf_counter()
    if _recorder is not None:
        _recorder.switch_context(item.nodeid)
    if item.nodeid in limits:
        faulthandler.dump_traceback_later(limits[item.nodeid], exit=True, file=sys.__stderr__)
    result = yield
    faulthandler.cancel_dump_traceback_later()
    _seconds[item.nodeid] = time.perf_counter() - begin
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        failed.add(report.nodeid)


def pytest_unconfigure() -> None:
    if _recorder is not None:
        _recorder.stop()
        _recorder.save()
        passed = {name: seconds for name, seconds in _seconds.items() if name not in failed}
        Path(f'{RECORD}/{os.getpid()}.json').write_text(json.dumps(passed), encoding='utf-8')
