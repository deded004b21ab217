"""Take the pictures of the pages that are in the docs: `make screenshots`."""

from __future__ import annotations

import html
import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Any

os.environ.setdefault('STEAD_NEEDS_BROWSER', '1')

import asyncio

from playwright.sync_api import Browser, Page, expect, sync_playwright

from stead.journal import Journal
from stead.ui._pages._inspector import create_inspector
from tests.browser import agents, journals
from tests.browser.conftest import TIMEOUT, Served, find_chromium

ROOT = Path(__file__).parent.parent.parent
PLACE = ROOT / 'docs' / 'pictures'
EXAMPLES = ['Where is my order A-17?', 'One pot of my order arrived broken', 'Do ferns need much light?']


def opened(browser: Browser, url: str, dark: bool, width: int, height: int) -> Page:
    """Open a page."""
    context = browser.new_context(
        viewport={'width': width, 'height': height}, color_scheme='dark' if dark else 'light', reduced_motion='reduce'
    )
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(url)
    return page


def say(page: Page, text: str) -> None:
    """Send a message, and wait for the answer."""
    answers = page.locator('.turn-answer').count()
    page.get_by_label('Message', exact=True).fill(text)
    page.keyboard.press('Enter')
    expect(page.locator('.turn-answer')).to_have_count(answers + 1)
    expect(page.locator('.turn-answer').last).to_have_attribute('aria-busy', 'false')
    page.get_by_role('button', name='Send', exact=True).wait_for()  # what is sent before would be lost
    page.wait_for_timeout(300)


def take(page: Page, name: str) -> None:
    """Take a picture."""
    page.mouse.move(0, 0)  # nothing is pointed at
    page.screenshot(path=PLACE / f'{name}.png')
    print(PLACE / f'{name}.png')


def chats(browser: Browser) -> None:
    """Take the pictures of the chat."""
    with Served(agents.support().to_web(models={'Small model': 'test'}, examples=EXAMPLES)) as url:
        for name, dark, width, height in (
            ('light', False, 1200, 860),
            ('dark', True, 1200, 860),
            ('phone', True, 390, 844),
        ):
            page = opened(browser, url, dark, width, height)
            page.get_by_label('Message', exact=True).wait_for()
            say(page, 'Where is my order A-17?')
            page.evaluate('document.querySelector(".log").scrollTop = 0')
            take(page, f'chat-{name}')
            say(page, 'One clay pot arrived broken. Could you refund it?')
            page.get_by_role('button', name='Always allow in this chat').wait_for()
            take(page, f'chat-approval-{name}')


def inspectors(browser: Browser, folder: Path) -> None:
    """Take the pictures of the inspector."""
    journals.PAUSE = 0.4
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, journals.fill(folder / 'runs.db')).result()
    with Served(inspector_of(folder)) as url:
        for name, dark, width, height in (
            ('light', False, 1440, 860),
            ('dark', True, 1440, 860),
            ('phone', False, 390, 844),
        ):
            page = opened(browser, url, dark, width, height)
            page.locator('.run').last.click()
            page.locator('.line').nth(3).wait_for()
            page.wait_for_timeout(300)
            take(page, f'inspector-{name}')
        for name, dark in (('light', False), ('dark', True)):
            page = opened(browser, url, dark, 1440, 860)
            page.locator('.run').last.click()
            page.get_by_text('Sent with it').click()
            page.get_by_role('region', name='Private changed').scroll_into_view_if_needed()
            page.get_by_text('Request', exact=True).scroll_into_view_if_needed()
            take(page, f'inspector-changes-{name}')
    for name, dark in (('light', False), ('dark', True)):  # each with a journal in which nothing was forked before
        copy = shutil.copytree(folder, folder.with_name(f'{folder.name}-{name}'))
        with Served(inspector_of(copy)) as url:
            forked(browser, url, name, dark)
        shutil.rmtree(copy)


def inspector_of(folder: Path) -> Any:
    """Return the application that shows the journal in a folder."""
    journal: Journal[Any] = Journal(folder / 'runs.db', changes=True)
    return create_inspector(journal, name='runs.db', agent=journals.planner(journal=journal), may_change=True)


def forked(browser: Browser, url: str, name: str, dark: bool) -> None:
    """Take the pictures of a run that failed, and of a fork of it."""
    page = opened(browser, url, dark, 1440, 860)
    page.locator('.run', has=page.locator('.run-error')).click()
    page.get_by_role('button', name='Fork from here').click()
    take(page, f'inspector-failed-{name}')
    page.get_by_label('Result of weather, to change').fill('Saturday in Utrecht: dry, 14 degrees')
    page.get_by_role('button', name='Fork and run on').click()
    expect(page.locator('.compare-head').last).to_contain_text('Done', timeout=20_000)
    expect(page.locator('.run').first).to_contain_text('Done')  # the list is brought up to date less often
    page.wait_for_timeout(300)
    take(page, f'inspector-fork-{name}')


TERMINALS = {
    'demo': (['support_desk', '--model', 'scripted'], 'I want my money back', 22),
    'durable': (['long_task'], 'about to pay 149', 19),
    'table': (['growing_table'], 'lake', 7),
}
"""Examples whose output is a picture: how each is started, the line at which the picture begins, and how many it has."""
WINDOW = """<style>
body { margin: 0; background: #161615; color: #eceae4; font: 15px/1.55 ui-monospace, "DejaVu Sans Mono", monospace; width: 800px; }
div { background: #262624; color: #a8a49b; padding: 8px 16px; } b { color: #62cbb2; }
pre { font: inherit; height: 540px; margin: 0; padding: 14px 16px; box-sizing: border-box; overflow: hidden; }
</style>"""


def terminals(browser: Browser) -> None:
    """Take the pictures of the examples that run in a terminal."""
    page = browser.new_context(viewport={'width': 800, 'height': 580}).new_page()
    for name, (arguments, first, count) in TERMINALS.items():
        command = [sys.executable, '-m', f'examples.{arguments[0]}', *arguments[1:]]
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT, timeout=120)
        lines: list[str] = []
        for line in run.stdout.splitlines():
            indent = ' ' * (len(line) - len(line.rpartition('  ')[2]))  # below the text, which follows who says it
            lines += wrap(line, 84, subsequent_indent=indent) or ['']
        begin = next(number for number, line in enumerate(lines) if first in line)
        text = html.escape('\n'.join(lines[begin : begin + count]))
        title = html.escape(shlex.join(['python', '-m', f'examples.{arguments[0]}', *arguments[1:]]))
        page.set_content(f'{WINDOW}<div><b>$</b> {title}</div><pre>{text}</pre>')
        take(page, f'terminal-{name}')


def main() -> int:
    """Take all pictures, and return the exit code."""
    path = find_chromium()
    if path is None:
        print('There is no Chromium: install it, or set CHROMIUM to its path.', file=sys.stderr)
        return 1
    PLACE.mkdir(exist_ok=True)
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=['--no-sandbox'])
        chats(browser)
        inspectors(browser, Path(folder))
        terminals(browser)
        browser.close()
    return 0


if __name__ == '__main__':
    sys.exit(main())
