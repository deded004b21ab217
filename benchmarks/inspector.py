"""How quickly the inspector opens a journal with 10,000 runs, and a run of 1,000 steps in it, in a real browser.

`make bench-inspector` runs it in the environment of the browser tests. Each page is opened several times in a context of its own,
and the best time counts: the machine may do other things meanwhile. Beside the time from the beginning of the navigation to the
frame that shows the rows stands the processor time that the page's thread took (scripts, styles and layout), by the browser's own
account, and that of the server.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ.setdefault('STEAD_NEEDS_BROWSER', '1')

from playwright.sync_api import Browser, CDPSession, sync_playwright

from stead import Agent
from stead.capabilities import AbstractCapability
from stead.journal import Journal, Record, RunInfo, SqliteStore
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.ui._pages._inspector import create_inspector
from stead.usage import RequestUsage, UsageLimits
from tests.browser.conftest import TIMEOUT, Served, find_chromium

RUNS = 10_000
STEPS = 1_000
LIMIT = 1.0
"""Seconds."""
_TIME_OF_PAINT = """selector => new Promise(done => {
    const painted = () => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0));
    const look = () => document.querySelector(selector) ? painted() : requestAnimationFrame(look);
    look();
})"""
"""When the first frame with an element was painted, in milliseconds since the navigation."""


class Brief(AbstractCapability[Any]):
    """Gives the run something that a capability says."""

    def get_instructions(self) -> str:
        """Return instructions."""
        return 'Answer in three sentences at most.'


async def write_journal(path: Path, runs: int = RUNS, steps: int = STEPS) -> None:
    """Write a journal with many short runs, and one of many steps, which began last."""

    async def work(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        usage = RequestUsage(input_tokens=100 + 40 * len(messages), output_tokens=60)
        if len(messages) >= 2 * steps - 1:
            return ModelResponse([TextPart('Every shelf was looked at.')], usage=usage)
        call = ToolCallPart('look', {'shelf': len(messages), 'room': 'north'}, f'c{len(messages)}')
        return ModelResponse([TextPart('The next shelf.'), call], usage=usage, model_name='gpt-5-mini')

    store = SqliteStore(path)
    store.open()
    begun = b'{"prompt":"Look at shelf %d","conversation":null,"agent":{},"messages":[],"new":0}'
    ended = (
        b'{"how":"done","output":"Shelf %d is in order.","usage":{"requests":1,"input_tokens":120,"output_tokens":14}}'
    )
    for number in range(runs):
        records = [Record(1, 'begun', float(number), begun % number), Record(2, 'ended', number + 2.0, ended % number)]
        run = RunInfo(f'run-{number:05}', agent='keeper', status='done', begun_at=float(number), last_seq=2, steps=1)
        store.create(run, records)
    store.close()
    agent = Agent(FunctionModel(work, model_name='gpt-5-mini'), name='keeper', capabilities=[Brief()])

    @agent.tool_plain
    def look(shelf: int, room: str) -> dict[str, Any]:
        """Look at a shelf."""
        return {'shelf': shelf, 'room': room, 'boxes': [f'box {shelf}-{number}' for number in range(4)]}

    journal: Journal[Any] = Journal(path, durability='exit', changes=True)
    await agent.run('Look at every shelf', capabilities=[journal], usage_limits=UsageLimits(request_limit=None))


def worked(session: CDPSession) -> float:
    """Return the processor time of a page's thread, in seconds."""
    return next(
        one['value'] for one in session.send('Performance.getMetrics')['metrics'] if one['name'] == 'TaskDuration'
    )


def opened(browser: Browser, url: str, selector: str) -> tuple[float, float, float]:
    """Open a page, and return the seconds until it shows an element, those that it worked, and those that the server did."""
    context = browser.new_context(viewport={'width': 1440, 'height': 860})
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(f'{url.partition("#")[0]}built/licenses.txt')  # so that the page is in the process that is measured
    session = context.new_cdp_session(page)
    session.send('Performance.enable', {'timeDomain': 'threadTicks'})
    begun = worked(session)
    before = time.process_time()
    page.goto(url, wait_until='commit')
    seconds_to_content = page.evaluate(_TIME_OF_PAINT, selector) / 1000
    served = time.process_time() - before
    work = worked(session) - begun
    context.close()
    return seconds_to_content, work, served


def measure(browser: Browser, path: Path, rounds: int) -> dict[str, tuple[float, float, float]]:
    """Return the best of several rounds for each page."""
    best: dict[str, tuple[float, float, float]] = {}
    for _ in range(rounds):
        # A new server each time: what it keeps from lists before would be quicker.
        journal: Journal[Any] = Journal(SqliteStore(path, read_only=True))
        with Served(create_inspector(journal, name=path.name)) as url:
            (run_id,) = [run.run_id for run in _newest(path)]
            for name, address, selector in (
                (f'a list of {RUNS:,} runs', url, '.run'),
                (f'a run of {STEPS:,} steps', f'{url}#run={run_id}', '.step .line'),
            ):
                found = opened(browser, address, selector)
                before = best.get(name, found)
                best[name] = (min(before[0], found[0]), min(before[1], found[1]), min(before[2], found[2]))
    return best


def _newest(path: Path) -> list[RunInfo]:
    from stead.journal import RunFilter

    store = SqliteStore(path, read_only=True)
    store.open()
    try:
        return store.find(RunFilter(limit=1))
    finally:
        store.close()


def main() -> int:
    """Measure, and return the exit code: 1 if a page takes longer than a second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=5, help='how often each page is opened (default: 5)')
    parser.add_argument('--journal', type=Path, help='where the journal is kept, or is already')
    options = parser.parse_args()
    browser_path = find_chromium()
    if browser_path is None:
        print('There is no Chromium: install it, or set CHROMIUM to its path.', file=sys.stderr)
        return 2
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path: Path = options.journal or Path(folder) / 'runs.db'
        if not path.exists():
            with ThreadPoolExecutor(1) as pool:  # Playwright keeps a loop in this thread
                pool.submit(asyncio.run, write_journal(path)).result()
        browser = playwright.chromium.launch(executable_path=browser_path, args=['--no-sandbox'])
        best = measure(browser, path, options.rounds)
        browser.close()
    print(f'{"":24}{"shown after":>14}{"page worked":>14}{"process":>14}')
    for name, seconds in best.items():
        print(f'{name:24}' + ''.join(f'{one:12.2f} s' for one in seconds))
    return int(any(seconds > LIMIT for seconds, _, _ in best.values()))


if __name__ == '__main__':
    sys.exit(main())
