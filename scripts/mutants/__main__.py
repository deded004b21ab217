"""Change the code at random, one place at a time, and see whether a test notices: `python -m scripts.mutants --count 200`.

Each change is made in a copy of the project, and the tests that execute the changed line run there, until one fails: parity
cases last, and all in a fork of a process that has loaded them (`forks.py`). A test that fails is asked again alone, and
without the change, so that one that fails now and then does not count. A mutant that survives is tried again in a process of
its own. What is left is a survivor: write a test that notices it, or list it in `equivalent.json` with the reason why no caller
can tell the difference.

The records of which tests execute which lines are kept for each folder of tests, and so is the result of each mutant: the command
that was interrupted continues where it was when it is given again with its seed.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple, NoReturn

from .forks import CANNOT, Forks
from .operators import Mutant, mutants_of
from .tests import WATCH, Tests, content_hash

ROOT = Path(__file__).parents[2].resolve()
STORE = ROOT / '.mutants'
EQUIVALENT = Path(__file__).with_name('equivalent.json')
ROOMS = [
    *('_calls/*.py', '_loop/*.py', '_streams/*.py', 'toolsets/*.py', 'output/*.py', 'tool_manager.py'),
    *('journal/*.py', 'ui/*.py', 'ui/*/*.py'),
    *(
        f'capabilities/_{name}.py'
        for name in ('chain', 'dynamic', 'hook_decorators', 'ordering', 'selected', 'wrapping')
    ),
]
MOST_SECONDS = 60
"""What the tests of one mutant may take together, as they were recorded."""
AGAIN_SECONDS = 10
"""The same for a mutant that survives in a fork, and is tried again in a process of its own: what ran while tests were loaded."""
ROUGH_SECONDS = 8
FIRST_SECONDS = 6
"""What the first tests that are asked may take together; most mutants do not survive them."""
RELIABLE = 0.05
"""Seconds of a test that does not fail because the machine is busy; one that takes longer is asked again, alone."""
FAILED = re.compile(r'^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$', re.MULTILINE)


class Outcome(NamedTuple):
    """The result of a mutant."""

    mutant: Mutant
    noticed_by: str | None
    """The test that failed, or what else happened; `None` if it survived."""
    seconds: float


class Bench:
    """A copy of the project in which one mutant at a time lives."""

    def __init__(self, name: str, tests: Tests, rough: bool) -> None:
        self.root, self.tests, self.rough = STORE / f'copy-{name}', tests, rough
        self.process: subprocess.Popen[str] | None = None
        self.chosen = STORE / f'chosen-{name}.json'
        self.sound: dict[str, bool] = {}
        shutil.rmtree(self.root, ignore_errors=True)
        files = subprocess.check_output(['git', 'ls-files', '-z', '-co', '--exclude-standard'], cwd=ROOT, text=True)
        for file in filter(None, files.split('\0')):
            if (ROOT / file).is_file():
                (self.root / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / file, self.root / file)
        self.forks = self._start_forks()

    def try_out(self, mutant: Mutant) -> Outcome:
        """Return the result of a mutant."""
        begin = time.perf_counter()
        file = self.root / mutant.path
        source = file.read_bytes()
        most = ROUGH_SECONDS if self.rough else MOST_SECONDS
        try:
            self._put(file, mutant.apply(source))
            noticed_by = CANNOT if mutant.at_import else self._ask_forks(file, source, self.tests.of(mutant, most))
            if noticed_by == CANNOT:
                noticed_by = self._ask(self.tests.of(mutant, most))
            elif noticed_by is None and not self.rough:
                noticed_by = self._ask(self.tests.of(mutant, AGAIN_SECONDS))
        finally:
            self._put(file, source)
        return Outcome(mutant, noticed_by, time.perf_counter() - begin)

    def _start_forks(self) -> Forks:
        modules = {str(self.root / path): path[4:-3].replace('/', '.').removesuffix('.__init__') for path in paths()}
        return Forks(self.root, self.tests.folders, modules, WATCH)

    def _put(self, file: Path, content: bytes) -> None:
        file.write_bytes(content)
        shutil.rmtree(file.parent / '__pycache__', ignore_errors=True)

    def _ask_forks(self, file: Path, source: bytes, names: list[str]) -> str | None:
        """Return the test that notices what a file is now, and that passes without the change."""
        becomes = file.read_bytes()
        while names:
            answer = self._ask_fork(file, names)
            if answer is None or answer == CANNOT:
                return answer
            if self.tests.seconds.get(answer, 1) < RELIABLE or self._ask_fork(file, [answer]) is not None:
                if answer not in self.sound:
                    self._put(file, source)
                    self.sound[answer] = self._ask_fork(file, [answer]) is None
                    self._put(file, becomes)
                if self.sound[answer]:
                    return answer
            names = names[names.index(answer) + 1 :]
        return None

    def _ask_fork(self, file: Path, names: list[str]) -> str | None:
        limits, most = self._limits(names)
        try:
            return self.forks.ask(file, names, limits, most)
        except (
            RuntimeError,
            OSError,
        ):  # a mutant may end the process that it was forked from: it is asked about elsewhere
            self.forks.stop()
            self.forks = self._start_forks()
            return CANNOT

    def _limits(self, names: list[str]) -> tuple[dict[str, float], float]:
        """Return the seconds that each test may take, and all of them."""
        seconds = {name: self.tests.seconds.get(name, 1) for name in names}
        return {name: 15 + 10 * each for name, each in seconds.items()}, 60 + 5 * sum(seconds.values())

    def _ask(self, names: list[str]) -> str | None:
        seconds, first = 0.0, 0
        while first < len(names) and seconds < FIRST_SECONDS:
            seconds += self.tests.seconds.get(names[first], 1)
            first += 1
        for batch in (names[:first], names[first:]):
            while batch:
                answer = self._run(batch)
                if answer is None or self.tests.seconds.get(answer, 0) < RELIABLE or self._run([answer]) is not None:
                    break
                batch = batch[batch.index(answer) + 1 :] if answer in batch else []  # it does not fail each time
            else:
                continue
            if answer is not None:
                return answer
        return None

    def stop(self) -> None:
        """End the tests that run, if any do, with the processes that they have started."""
        self.forks.stop()
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def _run(self, names: list[str]) -> str | None:
        """Run some tests in a process of their own; return the one that failed, or what else happened."""
        limits, most = self._limits(names)
        self.chosen.write_text(json.dumps(limits), encoding='utf-8')
        files = list(dict.fromkeys(name.partition('::')[0] for name in names))
        process = self.process = subprocess.Popen(
            [sys.executable, '-m', 'pytest', *WATCH, '-x', '--tb=no', '-rfE', *files],
            cwd=self.root,
            env={
                **os.environ,
                'PYTHONPATH': f'{self.root / "src"}:{self.root}',
                'MUTANTS_CHOSEN': str(self.chosen),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors='replace',
            start_new_session=True,
        )
        try:
            output = process.communicate(timeout=most)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return 'hangs'
        if process.returncode in (0, 5):
            return None
        failed = FAILED.search(output)
        return failed[1] if failed else 'hangs' if 'Timeout (0:' in output else 'does not load'


def paths() -> list[str]:
    """Return the files that are changed, from the root of the project."""
    return sorted({file.relative_to(ROOT).as_posix() for room in ROOMS for file in (ROOT / 'src' / 'stead').glob(room)})


def sample(count: int, seed: int, places: list[str], survivors: bool) -> list[Mutant]:
    """Return the mutants to try out: drawn at random, of a place, or those that survived with this seed."""
    known = {tuple(row[:-1]) for row in json.loads(EQUIVALENT.read_text(encoding='utf-8'))}
    every = [mutant for path in paths() for mutant in mutants_of(ROOT, path)]
    keys = {mutant: key(mutant) for mutant in every}
    for stale in known.difference(keys.values()):
        print(f'{EQUIVALENT.name} lists what is no longer possible: {stale}')
    every = [mutant for mutant in every if keys[mutant] not in known]
    print(f'{len(every)} mutants are possible, {len(known)} are listed as equivalent')
    if survivors:
        rows = json.loads((STORE / f'survivors-{seed}.json').read_text(encoding='utf-8'))
        left = {tuple(row) for row in rows}
        return [mutant for mutant in every if keys[mutant] in left]
    if places:
        return [mutant for mutant in every if any(is_at(mutant, place) for place in places)]
    return random.Random(seed).sample(every, min(count, len(every)))


@cache
def source_of(path: str) -> bytes:
    """Return a file as it is when mutants are drawn: it may be changed while they are tried out."""
    return (ROOT / path).read_bytes()


def is_at(mutant: Mutant, place: str) -> bool:
    """Whether a mutant is in a folder or a file, or in a line of it."""
    path, _, line = place.partition(':')
    return f'/{path.strip("/")}/' in f'/{mutant.path}/' and (not line or mutant.line == int(line))


def key(mutant: Mutant) -> tuple[str, ...]:
    """Return what a mutant is known by, whatever lines stand above it."""
    return (mutant.path, mutant.where, mutant.operator, *mutant.difference(source_of(mutant.path)))


def diff(mutant: Mutant) -> str:
    """Return what a mutant changes, as a diff."""
    source = source_of(mutant.path)
    old, new = (text.decode().splitlines(keepends=True) for text in (source, mutant.apply(source)))
    title = f'{mutant.path}:{mutant.line} in {mutant.where or "the module"}: {mutant.operator}\n'
    return title + ''.join(difflib.unified_diff(old, new, f'a/{mutant.path}', f'b/{mutant.path}', n=2)) + '\n'


def report(outcomes: list[Outcome], seed: int) -> str:
    """Return the figures, and all mutants with their difference: survivors first."""
    noticed = Counter(outcome.mutant.operator for outcome in outcomes if outcome.noticed_by)
    total = Counter(outcome.mutant.operator for outcome in outcomes)
    killed = sum(noticed.values())
    lines = [f'# {killed} of {len(outcomes)} mutants were noticed ({killed / len(outcomes):.1%}), seed {seed}', '']
    lines += [f'    {noticed[operator]:4} of {number:4}  {operator}' for operator, number in total.most_common()]
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.noticed_by is not None, outcome.mutant)):
        mutant = outcome.mutant
        line, becomes = mutant.difference(source_of(mutant.path))
        title = f'{mutant.path}:{mutant.line} in {mutant.where or "the module"}: {mutant.operator}'
        lines += ['', f'## {title}', '', f'    - {line}', f'    + {becomes}', '']
        lines.append(f'{outcome.noticed_by or "**SURVIVED**"} ({outcome.seconds:.1f} s)')
    return '\n'.join([*lines, ''])


class Kept:
    """The results of the mutants of a seed so far, in a file, so that a run that was interrupted continues where it was.

    It holds as long as sources and tests are the same.
    """

    def __init__(self, place: Path, root: Path) -> None:
        self._place = place
        self._content = content_hash(root, [Path('src'), Path('tests')])

    def outcomes(self, mutants: list[Mutant]) -> list[Outcome]:
        """Return what is known of some mutants."""
        if not self._place.is_file():
            return []
        found: dict[tuple[str, ...], tuple[str | None, float]] = {}
        for line in self._place.read_text(encoding='utf-8').splitlines():
            content, mutant, noticed_by, seconds = json.loads(line)
            if content == self._content:
                found[tuple(mutant)] = noticed_by, seconds
        return [Outcome(mutant, *found[key(mutant)]) for mutant in mutants if key(mutant) in found]

    def keep(self, outcome: Outcome) -> None:
        """Keep the result of a mutant."""
        with self._place.open('a', encoding='utf-8') as file:
            row = self._content, key(outcome.mutant), outcome.noticed_by, outcome.seconds
            file.write(json.dumps(row) + '\n')


def try_all(mutants: list[Mutant], benches: list[Bench], seed: int, kept: Kept, known: list[Outcome]) -> list[Outcome]:
    """Try mutants out of which nothing is known, one a bench at a time; the report grows with every tenth."""
    free: SimpleQueue[Bench] = SimpleQueue()
    for bench in benches:
        free.put(bench)
    outcomes = list(known)
    lock = threading.Lock()

    def try_out(mutant: Mutant) -> None:
        bench = free.get()
        outcome = bench.try_out(mutant)
        free.put(bench)
        with lock:
            outcomes.append(outcome)
            if not bench.rough:
                kept.keep(outcome)
            what = 'noticed ' if outcome.noticed_by else 'SURVIVED'
            place = f'{mutant.path}:{mutant.line} {mutant.operator}'
            print(f'{len(outcomes)}/{len(mutants)} {what} {place} ({outcome.seconds:.0f} s)', flush=True)
            if len(outcomes) % 10 == 0 or len(outcomes) == len(mutants):
                (STORE / f'report-{seed}.md').write_text(report(outcomes, seed), encoding='utf-8')
                left = sorted(outcome.mutant for outcome in outcomes if not outcome.noticed_by)
                (STORE / f'survivors-{seed}.json').write_text(json.dumps([*map(key, left)]), encoding='utf-8')
                (STORE / f'survivors-{seed}.diff').write_text(''.join(map(diff, left)), encoding='utf-8')

    with ThreadPoolExecutor(len(benches)) as pool:
        list(pool.map(try_out, left_over(mutants, known)))
    return outcomes


def left_over(mutants: list[Mutant], known: list[Outcome]) -> list[Mutant]:
    """Return the mutants of which nothing is known."""
    tried = {outcome.mutant for outcome in known}
    return [mutant for mutant in mutants if mutant not in tried]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seed', type=int, help='draws the same mutants again, as long as the sources are the same')
    parser.add_argument('--at', action='append', default=[], help='a folder, a file, or FILE:LINE: all mutants there')
    parser.add_argument('--survivors', action='store_true', help='only those that survived with this seed')
    parser.add_argument(
        '--rough',
        action='store_true',
        help='only in functions, only the quickest tests, and no second try',
    )
    parser.add_argument('--processes', type=int, default=2)
    options = parser.parse_args()
    seed: int = options.seed if options.seed is not None else random.SystemRandom().randrange(10_000)
    STORE.mkdir(exist_ok=True)
    os.nice(10)
    print(f'seed {seed}')
    mutants = sample(options.count, seed, options.at, options.survivors)
    if options.rough:
        mutants = [mutant for mutant in mutants if not mutant.at_import]
    tests = Tests(ROOT, STORE)
    benches = [Bench(str(index), tests, options.rough) for index in range(options.processes)]

    def end(*_: object) -> NoReturn:
        for bench in benches:
            bench.stop()
        os._exit(1)  # threads still wait for tests

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    kept = Kept(STORE / f'outcomes-{seed}.jsonl', ROOT)
    known = [] if options.at or options.survivors or options.rough else kept.outcomes(mutants)
    if known:
        print(f'{len(known)} were tried out before')
    outcomes = try_all(mutants, benches, seed, kept, known)
    for bench in benches:
        bench.stop()
    if outcomes:
        print(report(outcomes, seed).partition('\n')[0], f'-> {STORE.name}/report-{seed}.md', sep='\n')


if __name__ == '__main__':
    main()
