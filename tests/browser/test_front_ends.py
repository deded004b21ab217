"""The pages of `examples.front_ends`, in a browser: each protocol with the client that others wrote."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import TIMEOUT

pytestmark = [
    pytest.mark.skipif(not os.environ.get('STEAD_NEEDS_BROWSER'), reason='`make test-browser` runs it'),
    pytest.mark.skipif(shutil.which('npm') is None, reason='npm is not installed, which builds the pages'),
]


class Late:
    """An application whose answers come late, piece by piece, so that a page that does not wait for them is found out."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_late(message: Any) -> None:
            await asyncio.sleep(0.02)
            await send(message)

        await self._app(scope, receive, send_late if scope['type'] == 'http' else send)


@pytest.fixture(scope='module')
def pages() -> Any:
    from examples.front_ends.__main__ import build

    return build()


@pytest.fixture
def open_page(chromium: Any, serve: Callable[[Any], str], pages: Any) -> Callable[[str], Any]:
    def opened(name: str) -> Any:
        from examples.front_ends.__main__ import application

        page = chromium.new_page()
        page.set_default_timeout(TIMEOUT)
        page.goto(f'{serve(Late(application(pages, 8000)))}pages/{name}')
        return page

    return opened


def say(page: Any, text: str, answer: str) -> None:
    page.fill('input[name=prompt]', text)
    page.wait_for_selector('button:text("Send"):enabled')
    page.press('input[name=prompt]', 'Enter')
    seen(page, answer)


def seen(page: Any, text: str) -> None:
    page.wait_for_function('text => document.body.innerText.includes(text)', arg=text)
    assert page.inner_text('#error') == ''


def test_the_page_of_ag_ui_shares_its_basket_and_asks_before_it_orders(open_page: Callable[[str], Any]) -> None:
    page = open_page('ag_ui.html')
    say(page, 'add pears', 'There is pears in the basket.')
    say(page, 'add figs', 'There is figs in the basket.')
    seen(page, 'basket: pears, figs')
    say(page, 'paint lightgreen', 'The page is lightgreen.')
    assert page.evaluate('document.body.style.background') == 'lightgreen'
    say(page, 'order', 'Approve the call')
    page.get_by_role('button', name='Yes').click()
    seen(page, 'Ordered: pears, figs.')
    say(page, 'order', 'Approve the call')
    page.get_by_role('button', name='No').click()
    seen(page, 'The user does not want it.')
    say(page, 'order', 'Approve the call')
    say(page, 'price figs', '4 euros')  # writing on is a no


def test_the_ai_sdk(open_page: Callable[[str], Any]) -> None:
    page = open_page('ai_sdk.html')
    say(page, 'add pears', 'There is pears in the basket.')
    say(page, 'add figs', 'There is figs in the basket.')
    seen(page, 'basket: pears, figs')
    say(page, 'order', 'Approve the call')
    page.get_by_role('button', name='Yes').click()
    seen(page, 'order: output-available')
    seen(page, 'Ordered: pears, figs.')
    say(page, 'order', 'Approve the call')
    page.get_by_role('button', name='No').click()
    seen(page, 'order: output-denied')


def test_the_page_of_a2a_talks_with_the_agent(open_page: Callable[[str], Any]) -> None:
    page = open_page('a2a.html')
    say(page, 'price pears', '5 euros')
    say(page, 'add pears', 'There is no basket here.')
