"""What a page shows before its script has run: it is painted at once, and stays as it is when the script takes over."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

if not os.environ.get('STEAD_NEEDS_BROWSER'):
    pytest.skip('`make test-browser` runs the tests of the pages', allow_module_level=True)

from playwright.sync_api import Page, Route, expect

from stead.journal import Journal
from stead.ui._pages._inspector import create_inspector
from tests.browser import agents
from tests.browser.conftest import TIMEOUT, violations

Open = Callable[..., Page]
EXAMPLES = ['Where is my order A-17?', 'One pot of my order arrived broken', 'Do ferns need much light?']
PAINTED = '() => performance.getEntriesByName("first-contentful-paint").length'
# Where each element is, and how it looks. The list of runs and chats is asked for, and comes in below what is there.
LOOKS = """() => [...document.querySelectorAll('#app *')].filter(one => !one.closest('nav, .badge') && one.checkVisibility()).map(one => {
    const { x, y, width, height } = one.getBoundingClientRect(), style = getComputedStyle(one);
    return [one.localName, x, y, width, height, style.color, style.backgroundColor, style.font].join(' ');
})"""


WATCH_MOVES = """() => { window.moved = []; new PerformanceObserver(list => window.moved.push(...list.getEntries().map(one =>
    [one.value, one.startTime, one.sources.map(source => source.node?.className).join(', ')])))
.observe({ type: 'layout-shift', buffered: true }); }"""


@pytest.fixture(params=['chat', 'inspector'])
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == 'chat':
        return agents.support().to_web(models={'Test': 'test'}, examples=EXAMPLES)
    return create_inspector(Journal(tmp_path / 'runs.db'), name='runs.db', may_change=True)


@pytest.fixture
def url(app: Any, serve: Callable[[Any], str]) -> str:
    return serve(app)


class Held:
    """The scripts of a page, which come only when they are let through."""

    def __init__(self, page: Page) -> None:
        self._routes: list[Route] = []
        self._is_open = False
        page.route('**/built/*.js', self._take)

    def _take(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._routes.append(route)

    def let_through(self) -> None:
        self._is_open = True
        for route in self._routes:
            route.continue_()


def opened_without_scripts(open_page: Open, url: str, *, times_slower: int = 1, **options: Any) -> tuple[Page, Held]:
    held: list[Held] = []

    def before(page: Page) -> None:
        held.append(Held(page))
        page.context.new_cdp_session(page).send('Emulation.setCPUThrottlingRate', {'rate': times_slower})

    page = open_page(url, before=before, wait_until='commit', **options)
    page.wait_for_function(PAINTED)
    return page, held[0]


def wait_until_alive(page: Page) -> None:
    page.wait_for_function('() => document.getElementById("app").__k')  # what Preact has drawn


@pytest.mark.parametrize('width', [1200, 390])
@pytest.mark.parametrize('dark', [False, True])
def test_nothing_moves_when_the_script_takes_over(url: str, open_page: Open, width: int, dark: bool) -> None:
    page, held = opened_without_scripts(open_page, url, width=width, dark=dark)
    before = page.evaluate(LOOKS)
    assert len(before) > 10
    held.let_through()
    wait_until_alive(page)
    page.wait_for_load_state('networkidle')
    after = page.evaluate(LOOKS)
    page.evaluate(WATCH_MOVES)
    page.wait_for_timeout(50)
    # The name of the journal is told only to those who have the token.
    known = [one for one in before if not one.startswith('span') or one in after]
    assert [one for one in after if one in known] == known
    assert page.evaluate('window.moved') == []
    assert violations(page) == []


@pytest.mark.parametrize('times_slower', [1, 25])
def test_the_first_paint_waits_for_the_page_alone(url: str, open_page: Open, times_slower: int) -> None:
    """The page was painted without its scripts. The time, which depends on the machine, is printed."""
    page, held = opened_without_scripts(open_page, url, times_slower=times_slower)
    paint = page.evaluate('performance.getEntriesByName("first-contentful-paint")[0].startTime')
    print(f'first paint after {paint:.0f} ms')
    held.let_through()
    wait_until_alive(page)
    page.wait_for_function(
        '() => performance.getEntriesByType("resource").some(one => one.name.includes("/built/markdown-"))'
    )
    loaded = page.evaluate(
        """() => performance.getEntriesByType('resource').filter(one => one.name.includes('/built/')).map(one =>
            [new URL(one.name).pathname, one.encodedBodySize, one.startTime])"""
    )
    # What is fetched or read before the first paint takes the processor away from it. Chromium tells the paint in steps of 4 ms.
    assert all(begun > paint - 4 for _, _, begun in loaded), (paint, loaded)
    to_life = [size for name, size, _ in loaded if '/markdown-' not in name]
    assert len(to_life) <= 4, loaded
    assert sum(to_life) < 70_000, loaded
    assert page.evaluate('performance.getEntriesByType("navigation")[0].encodedBodySize') < 40_000


class InPieces:
    """A page that stops coming in the middle of an element, until it is let through."""

    def __init__(self, app: Any, before: bytes) -> None:
        self._app, self._before = app, before
        self.rest = threading.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def in_pieces(message: Any) -> None:
            first, found, rest = message.get('body', b'').partition(self._before)
            if scope.get('path') != '/' or not found:
                return await send(message)
            await send({**message, 'body': first, 'more_body': True})
            await asyncio.to_thread(self.rest.wait, TIMEOUT / 1000)
            await send({**message, 'body': found + rest})

        await self._app(scope, receive, in_pieces)


@pytest.mark.parametrize('place', ['<aside', '</button>', '</aside>', '</main>'])
def test_a_page_that_comes_in_pieces_is_shown_when_it_is_whole(
    app: Any, serve: Callable[[Any], str], open_page: Open, place: str
) -> None:
    pieces = InPieces(app, place.encode())
    page = open_page(serve(pieces), wait_until='commit')
    # Some frames are drawn meanwhile.
    page.evaluate(
        '() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))'
    )
    assert page.evaluate(PAINTED) == 0
    assert page.evaluate('document.readyState') == 'loading'
    pieces.rest.set()
    page.wait_for_function(PAINTED)
    wait_until_alive(page)
    page.evaluate(WATCH_MOVES)
    page.wait_for_timeout(50)
    assert page.evaluate('window.moved') == []
    if page.locator('textarea').count():
        expect(page.get_by_label('Message', exact=True)).to_be_focused()


def test_a_page_that_opened_this_one_has_no_hold_on_it(url: str, open_page: Open, chromium: Any) -> None:
    context = chromium.new_context()
    other = context.new_page()
    other.route('http://elsewhere.test/', lambda route: route.fulfill(body='<p>Elsewhere', content_type='text/html'))
    other.goto('http://elsewhere.test/')
    with context.expect_page() as opened:
        other.evaluate('url => { window.opened = window.open(url); }', url)
    opened.value.wait_for_load_state()
    expect(opened.value.locator('#app')).to_be_visible()
    assert other.evaluate('window.opened.closed')
    assert opened.value.evaluate('window.opener') is None
    context.close()


def test_what_is_typed_meanwhile_stays(open_page: Open, serve: Callable[[Any], str]) -> None:
    page, held = opened_without_scripts(open_page, serve(agents.support().to_web()))
    field = page.get_by_label('Message', exact=True)
    expect(field).to_be_focused()
    page.keyboard.type('where is my order')
    held.let_through()
    wait_until_alive(page)
    expect(field).to_be_focused()
    page.keyboard.type(' A-17?')
    expect(field).to_have_value('where is my order A-17?')
    page.keyboard.press('Enter')
    expect(page.locator('.turn-answer')).to_contain_text('Shall I ask the carrier to ring?')


def test_what_is_sent_meanwhile_is_sent(open_page: Open, serve: Callable[[Any], str]) -> None:
    page, held = opened_without_scripts(open_page, serve(agents.support().to_web()))
    expect(page.get_by_label('Message', exact=True)).to_be_focused()
    for keys in ('where is', 'my order A-17?'):
        page.keyboard.type(keys)
        page.keyboard.press('Shift+Enter' if keys == 'where is' else 'Enter')
    held.let_through()
    expect(page.locator('.turn-answer')).to_contain_text('Shall I ask the carrier to ring?')
    expect(page.locator('.turn-user')).to_have_count(1)
    expect(page.locator('.turn-user')).to_contain_text('where is\nmy order A-17?')
    expect(page.get_by_label('Message', exact=True)).to_have_value('')


def test_a_button_that_is_pressed_meanwhile_does_its_work(open_page: Open, serve: Callable[[Any], str]) -> None:
    page, held = opened_without_scripts(open_page, serve(agents.support().to_web(examples=EXAMPLES)))
    page.get_by_role('button', name=EXAMPLES[0]).click()
    held.let_through()
    expect(page.locator('.turn-answer')).to_contain_text('Shall I ask the carrier to ring?')
    expect(page.locator('.turn-user')).to_have_count(1)


def test_what_is_chosen_meanwhile_is_chosen(open_page: Open, serve: Callable[[Any], str]) -> None:
    page, held = opened_without_scripts(open_page, serve(agents.support().to_web(models={'Test': 'test'})))
    page.get_by_label('Model', exact=True).select_option('Test')
    held.let_through()
    wait_until_alive(page)
    page.get_by_label('Message', exact=True).fill('hello')
    page.keyboard.press('Enter')
    expect(page.locator('.turn-answer .usage')).to_contain_text('test')


def test_files_that_are_chosen_meanwhile_are_sent(open_page: Open, serve: Callable[[Any], str]) -> None:
    page, held = opened_without_scripts(open_page, serve(agents.support().to_web(examples=EXAMPLES)))
    body = b'x' * 2_000_000  # so that reading it takes a while
    page.set_input_files('input[type=file]', [{'name': 'a letter.txt', 'mimeType': 'text/plain', 'buffer': body}])
    page.get_by_label('Message', exact=True).fill('look at this')
    page.keyboard.press('Enter')
    held.let_through()
    expect(page.locator('.turn-user')).to_contain_text('look at this')
    expect(page.locator('.turn-user .files')).to_contain_text('a letter.txt')


def test_what_is_sent_meanwhile_is_not_asked_for(open_page: Open, serve: Callable[[Any], str]) -> None:
    """A conversation that begins is not one that was opened: its state, which has not been loaded yet, would empty the page."""
    page, held = opened_without_scripts(open_page, serve(agents.support().to_web(examples=EXAMPLES)))
    requests: list[str] = []
    page.on('request', lambda request: requests.append(f'{request.method} {request.url}'))
    page.get_by_role('button', name=EXAMPLES[0]).click()
    held.let_through()
    expect(page.locator('.turn-answer')).to_have_attribute('aria-busy', 'false')
    page.wait_for_load_state('networkidle')
    of_one = [one.split()[0] for one in requests if '/api/talk/conversations/' in one]
    assert of_one == ['POST'], requests


def test_the_chosen_colours_are_there_from_the_first_paint(url: str, open_page: Open) -> None:
    page = open_page(url)
    ground = 'getComputedStyle(document.body).backgroundColor'
    light = page.evaluate(ground)
    wait_until_alive(page)
    for _ in range(2):  # light, then dark
        page.get_by_role('button', name='Colours:').click()
    dark = page.evaluate(ground)
    assert dark != light
    held = Held(page)
    page.reload(wait_until='commit')
    page.wait_for_function(PAINTED)
    assert page.evaluate(ground) == dark
    held.let_through()
    expect(page.get_by_role('button', name='Colours: dark')).to_be_visible()
    assert page.evaluate(ground) == dark


def test_an_address_of_a_chat_does_not_show_the_empty_state_first(open_page: Open, serve: Callable[[Any], str]) -> None:
    page = open_page(serve(agents.support().to_web(examples=EXAMPLES)))
    page.get_by_role('button', name=EXAMPLES[0]).click()
    expect(page.locator('.turn-answer')).to_have_attribute('aria-busy', 'false')
    held = Held(page)
    page.reload(wait_until='commit')
    page.wait_for_function(PAINTED)
    words = page.get_by_text('What can I do for you?')
    expect(words).to_be_hidden()
    page.evaluate("""() => { window.seen = []; const look = () => {
        if (document.querySelector('.empty h2')?.checkVisibility({ visibilityProperty: true })) window.seen.push('empty');
        requestAnimationFrame(look); }; look(); }""")
    held.let_through()
    expect(page.locator('.turn-answer')).to_contain_text('Shall I ask the carrier to ring?')
    assert page.evaluate('window.seen') == []
    page.get_by_role('button', name='New chat').first.click()
    expect(words).to_be_visible()
