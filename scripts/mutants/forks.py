"""A plugin of pytest for `make mutants`: all tests are loaded once, and each mutant lives in a fork of that process.

A fork costs a few hundredths of a second, where a new process would load the project and its tests. The functions of a
changed file get the code that they have in the mutant before the first test runs. What ran before that, while the tests were
loaded, ran as it is in the sources, so a mutant that survives is tried again in a process of its own.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from . import watch

CANNOT = 'cannot be changed'
"""The answer for what is not in a function, or in one that is not found."""
DONE = b'\n\n'
"""What a fork writes when all of its tests have passed; before that, it writes the name of each that begins."""
Place = tuple[str, str, int]
"""Where a function is: its file, its name and its first line."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Answer the questions of a `Forks` instead of running the tests that were collected."""
    if watch.PIPES is None:
        return None
    items = {item.nodeid: item for item in session.items}
    files: dict[str, str] = json.loads(os.environ['MUTANTS_FILES'])
    for module in files.values():
        with contextlib.suppress(ImportError):  # of something that is not installed
            importlib.import_module(module)
    sources = {file: Path(file).read_text(encoding='utf-8') for file in files}
    functions: dict[Place, list[FunctionType]] = defaultdict(list)
    for found in gc.get_objects():  # before they are frozen, which hides them
        if isinstance(found, FunctionType):
            functions[place_of(found.__code__)].append(found)
    gc.collect()
    gc.freeze()
    questions, answers = watch.PIPES
    while line := questions.readline():
        question: dict[str, Any] = json.loads(line)
        answer: str | None = CANNOT
        file = question['file']
        if (
            codes := changed_functions(sources[file], Path(file).read_text(encoding='utf-8'), file, functions)
        ) is not None:
            answer = _fork(session, [items[name] for name in question['tests'] if name in items], codes, question)
        answers.write(json.dumps(answer) + '\n')
        answers.flush()
    return True


def place_of(code: CodeType) -> Place:
    """Return where the function of a code is."""
    return code.co_filename, code.co_name, code.co_firstlineno


def _outermost(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of functions that are not in other functions."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & 1:  # with local variables of its own, as a class has not
                yield constant
            else:
                yield from _outermost(constant)


def changed_functions(
    source: str, becomes: str, file: str, functions: dict[Place, list[FunctionType]]
) -> list[tuple[FunctionType, CodeType]] | None:
    """Return the functions that change, each with its new code; `None` if that is not all that changes."""
    old, new = (list(_outermost(compile(text, file, 'exec', dont_inherit=True))) for text in (source, becomes))
    if [code.co_name for code in old] != [code.co_name for code in new]:
        return None
    changed: list[tuple[FunctionType, CodeType]] = []
    for before, after in zip(old, new):
        if not _same(before, after):
            living = functions.get(place_of(before), [])
            if not living or before.co_freevars != after.co_freevars:
                return None
            changed += [(function, after) for function in living]
    return changed


_COMPARED = ('co_code', 'co_names', 'co_varnames', 'co_cellvars', 'co_freevars', 'co_exceptiontable')
"""What makes a code in addition to its constants; the last is since Python 3.11."""


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same, though perhaps in other lines."""
    if any(getattr(one, name, None) != getattr(other, name, None) for name in _COMPARED):
        return False
    return len(one.co_consts) == len(other.co_consts) and all(
        _same(a, b) if isinstance(a, CodeType) and isinstance(b, CodeType) else repr(a) == repr(b)
        for a, b in zip(one.co_consts, other.co_consts)
    )


def _fork(
    session: pytest.Session,
    items: list[pytest.Item],
    codes: list[tuple[FunctionType, CodeType]],
    question: dict[str, Any],
) -> str | None:
    """Return the first test that fails or does not end with these codes, or `None`."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _run(session, items, codes, question['limits'], writing)
        finally:
            os._exit(1)
    os.close(writing)
    answer = b''
    end = time.monotonic() + question['most']
    while (left := end - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        piece = os.read(reading, 1 << 16)
        answer += piece
        if not piece or answer.endswith(DONE):
            break
    os.close(reading)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):  # it may not have got as far as having a group
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if answer.endswith(DONE):
        return None
    return answer.decode().splitlines()[-1] if answer else CANNOT


def _run(
    session: pytest.Session,
    items: list[pytest.Item],
    codes: list[tuple[FunctionType, CodeType]],
    limits: dict[str, float],
    writing: int,
) -> None:
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    resource.setrlimit(resource.RLIMIT_AS, (watch.MOST_MEMORY, watch.MOST_MEMORY))
    for function, code in codes:
        function.__code__ = code
    watch.limits.update(limits)
    for item, following in zip(items, [*items[1:], None]):
        os.write(writing, item.nodeid.encode() + b'\n')
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.nodeid in watch.failed:
            return
    os.write(writing, DONE)


class Forks:
    """The process that has loaded the tests, seen from outside; `files` are those that will change, with their modules."""

    def __init__(self, root: Path, folders: list[str], files: dict[str, str], options: list[str]) -> None:
        (their_end, questions), (answers, other_end) = os.pipe(), os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'pytest', *options, '-p', 'scripts.mutants.forks', '--tb=no', *folders],
            cwd=root,
            env={
                **os.environ,
                'PYTHONPATH': f'{root / "src"}:{root}',
                'MUTANTS_PIPES': f'{their_end} {other_end}',
                'MUTANTS_FILES': json.dumps(files),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[their_end, other_end],
            start_new_session=True,
        )
        os.close(their_end)
        os.close(other_end)
        self.questions = os.fdopen(questions, 'w', encoding='utf-8')
        self.answers = os.fdopen(answers, encoding='utf-8')

    def ask(self, file: Path, tests: list[str], limits: dict[str, float], most: float) -> str | None:
        """Return the first test that fails or does not end, with a file as it is now; `None` if all pass."""
        question = {'file': str(file), 'tests': tests, 'limits': limits, 'most': most}
        self.questions.write(json.dumps(question) + '\n')
        self.questions.flush()
        line = self.answers.readline()
        if not line:
            raise RuntimeError('the process that has loaded the tests has ended')
        return json.loads(line)

    def stop(self) -> None:
        """End the process; its forks end with what they run."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
