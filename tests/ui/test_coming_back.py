"""Answers of the chat page whose page is loaded again, or closed, or whose server ends, while they are being written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead import Agent
from stead.capabilities import Journal
from stead.messages import ModelMessage
from stead.models.function import AgentInfo, FunctionModel
from tests.ui.test_talk import Browser, stopped, text_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


def slow(journal: Journal[None] | None, rest: asyncio.Event) -> Agent[None, str]:
    """Return an agent that says half of an answer, and the other half when it is told to."""

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield 'the first half'
        await rest.wait()
        yield ', and the second'

    return Agent(FunctionModel(stream_function=respond), capabilities=[journal] if journal is not None else [])


async def test_an_answer_goes_on_without_its_page_which_comes_back_to_all_of_it() -> None:
    rest = asyncio.Event()
    app = slow(Journal(conversations=True), rest).to_web()
    async with app.router.lifespan_context(app):
        browser = Browser(app)
        await stopped(app, browser, 'tell', b'the first half')  # the page is loaded again
        assert (await browser.get('conversations/a'))['status'] == 'running'
        rest.set()
        response = await browser.client.get('conversations/a/answer')
        assert 'the first half' in response.text and ', and the second' in response.text
        assert '"type":"start","after":null' in response.text
        state = await browser.get('conversations/a')
        assert (state['status'], text_of(state)) == ('done', 'the first half, and the second')
        assert (await browser.client.get('conversations/a/answer')).status_code == 204  # it has ended


async def test_an_answer_that_a_person_stops_keeps_its_text() -> None:
    app = slow(Journal(conversations=True), asyncio.Event()).to_web()
    async with app.router.lifespan_context(app):
        browser = Browser(app)
        await stopped(app, browser, 'tell', b'the first half')
        assert await browser.post('a/stop') == {'stopped': True}
        state = await browser.get('conversations/a')
        assert (state['status'], text_of(state)) == ('done', 'the first half')
        assert await browser.post('a/stop') == {'stopped': False}


async def test_an_answer_that_its_server_ended_is_resumed_by_the_next_one(tmp_path: Path) -> None:
    rest = asyncio.Event()
    first = slow(Journal(tmp_path / 'chats.db', conversations=True), rest).to_web()
    browser = Browser(first)
    async with first.router.lifespan_context(first):
        await stopped(first, browser, 'tell', b'the first half')
    rest.set()
    second = slow(Journal(tmp_path / 'chats.db', conversations=True), rest).to_web()
    async with second.router.lifespan_context(second):
        again = Browser(second)
        again.client.cookies = browser.client.cookies
        with anyio.fail_after(10):  # the lease is given back after the server has ended
            while (await again.get('conversations/a'))['status'] != 'left':  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert text_of(await again.post('a/go-on')) == 'the first half, and the second'


async def test_without_a_journal_the_answer_ends_with_its_page_and_keeps_its_text() -> None:
    app = slow(None, asyncio.Event()).to_web()
    async with app.router.lifespan_context(app):
        browser = Browser(app)
        with anyio.fail_after(5):
            await stopped(app, browser, 'tell', b'the first half')
        state: Any = await browser.get('conversations/a')
        assert (state['status'], text_of(state)) == ('done', 'the first half')
