"""The chat page comes back to an answer that is being written, in a real browser."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

if not os.environ.get('STEAD_NEEDS_BROWSER'):
    pytest.skip('`make test-browser` runs the tests of the pages', allow_module_level=True)

from playwright.sync_api import Page, expect

from stead import Agent
from stead.capabilities import Journal
from stead.messages import ModelMessage, ToolReturnPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel


@pytest.fixture
def rest() -> threading.Event:
    """What an answer waits for in its middle."""
    return threading.Event()


@pytest.fixture
def page(serve: Callable[[Any], str], open_page: Callable[..., Page], rest: threading.Event) -> Page:
    """A page whose answer has a tool call, and has come to its middle."""

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        if not any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
            yield {0: DeltaToolCall('look_up', '{}', tool_call_id='c1')}
            return
        yield 'The first half'
        while not rest.is_set():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        yield ', and the second.'

    agent = Agent(FunctionModel(stream_function=respond), capabilities=[Journal(conversations=True)])

    @agent.tool_plain
    def look_up() -> str:
        return 'found'

    page = open_page(serve(agent.to_web()))
    page.get_by_label('Message', exact=True).fill('Tell me.')
    page.keyboard.press('Enter')
    expect(last(page)).to_contain_text('The first half')
    return page


def last(page: Page) -> Any:
    return page.locator('.turn-answer').last


def test_a_page_that_is_loaded_again_takes_the_answer_from_where_it_is(page: Page, rest: threading.Event) -> None:
    page.reload()
    expect(last(page)).to_contain_text('The first half')
    expect(last(page)).to_have_attribute('aria-busy', 'true')
    other = page.context.new_page()
    other.goto(page.url)
    expect(last(other)).to_contain_text('The first half')
    rest.set()
    for one in (page, other):
        expect(last(one)).to_contain_text('The first half, and the second.')
        expect(last(one)).to_have_attribute('aria-busy', 'false')
        expect(one.locator('.turn-answer, .turn-user')).to_have_count(2)
        expect(one.locator('.card')).to_have_count(1)
    times = page.locator('.card .number').text_content()
    page.reload()
    expect(last(page)).to_contain_text('The first half, and the second.')
    assert page.locator('.card .number').text_content() == times


def test_an_answer_is_stopped_on_a_page_that_came_back_to_it(page: Page) -> None:
    page.reload()
    expect(last(page)).to_contain_text('The first half')
    page.keyboard.press('Escape')
    expect(last(page)).to_contain_text('Stopped')
    page.get_by_role('button', name='Send', exact=True).wait_for()
    page.reload()
    expect(last(page)).to_contain_text('The first half')
    expect(last(page)).to_contain_text('Stopped')
    expect(last(page)).to_have_attribute('aria-busy', 'false')
