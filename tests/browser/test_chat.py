"""The chat page in a real browser."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

if not os.environ.get('STEAD_NEEDS_BROWSER'):
    pytest.skip('`make test-browser` runs the tests of the pages', allow_module_level=True)

from playwright.sync_api import Page, expect

from stead import Agent, Budget, DeferredToolRequests
from stead.messages import ModelMessage, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.models.test import TestModel
from tests.browser import agents, hostile
from tests.browser.conftest import violations

Open = Callable[..., Page]


@pytest.fixture
def chat(serve: Callable[[Any], str], open_page: Open) -> Callable[..., Page]:
    url = serve(agents.support().to_web(models={'Test': 'test'}, examples=['Where is my order A-17?']))
    return lambda **options: open_page(url, **options)


def say(page: Page, text: str) -> None:
    page.get_by_label('Message', exact=True).fill(text)
    wait_until_done(page)  # Enter sends nothing while an answer comes
    answers = page.locator('.turn-answer').count()
    page.keyboard.press('Enter')
    expect(page.locator('.turn-answer')).to_have_count(answers + 1)
    expect(last(page)).to_have_attribute('aria-busy', 'false')
    wait_until_done(page)


def wait_until_done(page: Page) -> None:
    page.get_by_role('button', name='Send', exact=True).wait_for()


def last(page: Page) -> Any:
    return page.locator('.turn-answer').last


@pytest.mark.parametrize('width', [1200, 390])
def test_what_is_left_of_a_budget_is_beside_the_title(serve: Callable[[Any], str], open_page: Open, width: int) -> None:
    budget = Budget(requests=40, tokens=100_000, tool_calls=900)
    page = open_page(serve(Agent(TestModel(), budget=budget).to_web()), width=width)
    for number in (1, 2):
        say(page, 'go')
        expect(page.locator('.top .left')).to_have_text(
            re.compile(rf'^Left: \d+ tokens, {40 - number} requests, 900 tool calls$')
        )
    assert page.evaluate('document.documentElement.scrollWidth') == width
    assert violations(page) == []


@pytest.mark.parametrize('width', [1200, 390])
@pytest.mark.parametrize('dark', [False, True])
def test_a_conversation_from_its_beginning(chat: Callable[..., Page], width: int, dark: bool) -> None:
    page = chat(width=width, dark=dark)
    page.get_by_label('Message', exact=True).wait_for()
    assert violations(page) == []
    page.get_by_role('button', name='Where is my order A-17?').click()
    expect(last(page)).to_contain_text('Shall I ask the carrier to ring?')
    page.get_by_role('button', name='Send').wait_for()
    expect(last(page).get_by_role('table')).to_contain_text('Clay pot')
    card = last(page).locator('details.card').first
    expect(card).to_contain_text('Find order')
    expect(card).to_contain_text(re.compile(r'\d ms'))
    card.locator('summary').click()
    expect(card).to_contain_text('M. de Wit')
    last(page).get_by_text('Thought').first.click()
    expect(last(page)).to_contain_text('The customer asks about order A-17')
    assert violations(page) == []
    assert page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    page.reload()
    expect(last(page)).to_contain_text('Shall I ask the carrier to ring?')


def test_a_call_is_decided_about(chat: Callable[..., Page]) -> None:
    page = chat()
    say(page, 'please refund the pot')
    asking = page.get_by_role('region', name='Decision about Refund')
    expect(asking).to_contain_text('24.5')
    expect(page.get_by_role('status')).to_have_text('A tool needs your approval.')
    assert violations(page) == []
    asking.get_by_role('button', name='Edit').click()
    field = asking.get_by_label('Arguments, as JSON')
    field.fill('{"order": ')
    asking.get_by_role('button', name='Allow with these arguments').click()
    expect(asking.get_by_role('alert')).to_contain_text('That is not JSON')
    field.fill('{"order": "A-17", "amount": 3, "reason": "x"}')
    page.reload()  # what waits is kept by the server
    page.get_by_role('button', name='Deny').click()
    page.get_by_label('Why not?').fill('not today')
    page.get_by_role('button', name='Deny').click()
    expect(last(page)).to_contain_text('I have not paid anything back')
    say(page, 'refund the pot after all')
    page.get_by_role('button', name='Always allow in this chat').click()
    expect(last(page)).to_contain_text("I've paid back")
    say(page, 'refund it once more')
    expect(last(page)).to_contain_text("I've paid back")
    expect(page.get_by_role('region', name='Decision about Refund')).to_have_count(0)


def test_what_was_decided_is_shown_until_all_is_decided(chat: Callable[..., Page]) -> None:
    page = chat(height=620)
    say(page, 'give both back')
    first = page.get_by_role('region', name='Decision about Refund').first
    cards = page.locator('details.card')
    expect(cards).to_have_count(2)
    first.get_by_role('button', name='Edit').click()
    confirm = first.get_by_role('button', name='Allow with these arguments')
    expect(confirm).to_be_in_viewport(ratio=1)  # and not below the field for messages
    assert page.evaluate("""() => { const box = document.querySelector('.ask-buttons .main').getBoundingClientRect();
        return document.elementFromPoint(box.x + box.width / 2, box.bottom - 3).closest('.ask-buttons') !== null; }""")
    first.get_by_label('Arguments, as JSON').fill('{"order": "A-1", "amount": 7, "reason": "more"}')
    confirm.click()
    expect(cards.first).to_contain_text('Decided')
    expect(page.get_by_text('goes on when all calls are decided about')).to_be_visible()
    page.get_by_role('button', name='Undo').click()
    expect(cards.first).to_contain_text('Needs approval')
    expect(first.get_by_label('Arguments, as JSON')).to_have_value(
        re.compile('"more"')
    )  # what was typed is still there
    confirm.click()
    page.get_by_role('region', name='Decision about Refund').get_by_role('button', name='Allow', exact=True).click()
    expect(last(page)).to_contain_text("I've paid back")
    expect(cards.first).to_contain_text('A-1, 7, more')  # what was done, and not what the model asked for
    cards.first.locator('summary').click()
    expect(cards.first).to_contain_text('Allowed with these arguments instead')
    expect(cards.first).to_contain_text('7.00 EUR paid back for A-1.')
    say(page, 'hello')
    page.reload()
    expect(cards.first).to_contain_text('A-1, 7, more')
    expect(cards.first.locator('summary')).not_to_contain_text('ms')  # the time that it waited for is not its own


def test_a_call_that_is_answered_elsewhere(chat: Callable[..., Page]) -> None:
    page = chat()
    say(page, 'ask the warehouse')
    expect(page.get_by_role('status')).to_have_text('A tool waits for a result.')
    expect(last(page).locator('details.card')).to_contain_text('Waits for a result')
    assert violations(page) == []
    page.get_by_label('The result, as text or JSON').fill('forty')
    page.get_by_role('button', name='Send the result').click()
    expect(last(page)).to_contain_text('Shall I ask the carrier to ring?')
    last(page).locator('details.card summary').click()
    expect(last(page).locator('details.card')).to_contain_text('forty')


def test_a_chat_has_its_title_while_it_is_answered(chat: Callable[..., Page], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, 'PAUSE', 0.02)
    page = chat()
    page.get_by_label('Message', exact=True).fill('something long')
    page.keyboard.press('Enter')
    expect(page.get_by_role('heading', level=1)).to_have_text('something long')
    expect(page.locator('.talk')).to_have_text('something long')
    expect(last(page)).to_have_attribute('aria-busy', 'true')
    page.keyboard.press('Escape')


def test_pictures_keep_their_shape(chat: Callable[..., Page]) -> None:
    page = chat()
    page.get_by_label('Message', exact=True).wait_for()
    small = base64.b64decode(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    )
    files = [('dot.png', 'image/png', small), ('a letter.txt', 'text/plain', b'hello')]
    page.set_input_files(
        'input[type=file]', [{'name': name, 'mimeType': kind, 'buffer': body} for name, kind, body in files]
    )
    say(page, 'look at these')
    box = page.locator('.turn-user .files img').bounding_box()
    assert box is not None
    assert box['width'] == box['height']


def test_the_keyboard_is_enough(chat: Callable[..., Page]) -> None:
    page = chat()
    keys, field = page.keyboard, page.get_by_label('Message', exact=True)
    expect(field).to_be_focused()
    keys.type('give both')
    keys.press('Shift+Enter')
    keys.type('back')
    keys.press('Enter')
    regions = page.get_by_role('region', name='Decision about Refund')
    expect(regions).to_have_count(2)
    expect(field).to_be_focused()
    allow = regions.last.get_by_role('button', name='Allow', exact=True)
    for _ in range(20):
        keys.press('Shift+Tab')
        if allow.evaluate('one => one === document.activeElement'):
            break
    keys.press('Enter')
    expect(
        regions.first.get_by_role('button', name='Allow', exact=True)
    ).to_be_focused()  # the next one to decide about
    keys.press('Enter')
    expect(last(page)).to_contain_text("I've paid back")
    expect(field).to_be_focused()
    expect(page.get_by_role('button', name='Edit in a new branch')).to_have_count(1)
    keys.press('ArrowUp')
    expect(page.get_by_role('textbox', name='Message').first).to_be_focused()
    keys.press('Escape')
    expect(page.get_by_role('button', name='Edit in a new branch')).to_be_focused()
    keys.press('/')
    expect(field).to_be_focused()
    status = page.get_by_role('status').element_handle()
    keys.press('Control+Shift+o')
    expect(page.get_by_text('What can I do for you?')).to_be_visible()
    expect(field).to_be_focused()
    assert status.evaluate('one => one.isConnected'), 'what a screen reader listens to stays the same element'


def test_stop_answer_again_edit_and_search(chat: Callable[..., Page], monkeypatch: pytest.MonkeyPatch) -> None:
    page = chat()
    say(page, 'hello')
    monkeypatch.setattr(agents, 'PAUSE', 0.02)
    page.get_by_label('Message', exact=True).fill('something long')
    page.keyboard.press('Enter')
    expect(last(page)).to_contain_text('A line about ferns')
    page.keyboard.press('Escape')
    expect(last(page)).to_contain_text('Stopped')
    page.wait_for_timeout(300)
    page.reload()
    expect(last(page)).to_contain_text('A line about ferns')
    monkeypatch.setattr(agents, 'PAUSE', 0)
    say(page, 'hello again')
    last(page).get_by_role('button', name='Answer again').click()
    page.get_by_role('button', name='Send').wait_for()
    expect(page.locator('.turn-user')).to_have_count(3)
    page.get_by_role('button', name='Edit in a new branch').first.click()
    page.get_by_role('textbox', name='Message').first.fill('where is my order?')
    page.keyboard.press('Enter')
    expect(last(page)).to_contain_text('Shall I ask the carrier to ring?')
    expect(page.locator('.turn-user')).to_have_count(1)
    talks = page.locator('.talk')
    expect(talks).to_have_count(2)
    page.get_by_label('Search chats').fill('carrier')
    expect(talks).to_have_count(1)
    page.get_by_label('Search chats').fill('')
    expect(talks).to_have_count(2)
    page.get_by_role('button', name='hello', exact=True).click()
    expect(page.locator('.turn-user')).to_have_count(3)
    page.on('dialog', lambda dialog: dialog.accept())
    page.get_by_role('button', name='Delete hello').click()
    expect(talks).to_have_count(1)
    expect(page.get_by_text('What can I do for you?')).to_be_visible()


@pytest.fixture
def refused(chat: Callable[..., Page], monkeypatch: pytest.MonkeyPatch) -> tuple[Page, Page]:
    """Two tabs of a chat: an answer came in the first, and what was said in the second meanwhile was refused."""
    monkeypatch.setattr(agents, 'PAUSE', 0.02)
    page = chat()
    page.get_by_label('Message', exact=True).fill('something long')
    page.keyboard.press('Enter')
    expect(last(page)).to_contain_text('A line about ferns')
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_text('This is being answered elsewhere.')).to_be_visible()
    other.get_by_label('Message', exact=True).fill('and this?')
    other.keyboard.press('Enter')
    expect(last(other)).to_contain_text('This conversation is being answered right now.')
    monkeypatch.setattr(agents, 'PAUSE', 0)
    expect(last(page)).to_have_attribute('aria-busy', 'false')
    expect(other.get_by_text('This is being answered elsewhere.')).to_have_count(0)
    return page, other


def test_another_tab_shows_how_an_answer_comes(refused: tuple[Page, Page]) -> None:
    _, other = refused
    expect(last(other)).to_contain_text('This conversation is being answered right now.')  # what was typed is not lost
    last(other).get_by_role('button', name='Try again').click()
    expect(other.locator('.turn-user')).to_have_count(2)
    expect(other.locator('.turn-answer').first).to_contain_text('A line about ferns')
    expect(last(other)).to_have_attribute('aria-busy', 'false')


def test_what_was_refused_stays_when_the_conversation_has_changed(refused: tuple[Page, Page]) -> None:
    page, other = refused
    say(page, 'hello')
    other.get_by_role('button', name='Answer again').first.click()
    expect(other.get_by_role('alert').last).to_contain_text('This conversation has changed meanwhile')
    expect(other.locator('.turn-user')).to_have_text(['something long', 'hello', 'and this?'])
    expect(last(other)).to_contain_text('This conversation is being answered right now.')


def test_a_tab_that_was_left_behind_drops_nothing(chat: Callable[..., Page]) -> None:
    page = chat()
    say(page, 'hello')
    other = page.context.new_page()
    other.goto(page.url)
    expect(last(other)).to_have_attribute('aria-busy', 'false')
    say(page, 'and what about my order?')
    last(other).get_by_role('button', name='Answer again').click()
    expect(other.get_by_role('alert')).to_contain_text(
        'This conversation has changed meanwhile, perhaps in another tab'
    )
    expect(other.locator('.turn-user')).to_have_text(['hello', 'and what about my order?'])
    expect(last(other)).to_contain_text('Shall I ask the carrier to ring?')
    assert violations(other) == []
    last(other).get_by_role('button', name='Answer again').click()  # what is shown now
    expect(other.get_by_role('alert')).to_have_count(0)
    other.get_by_role('button', name='Send').wait_for()
    expect(last(other)).to_contain_text('Shall I ask the carrier to ring?')
    expect(other.locator('.turn-user')).to_have_text(['hello', 'and what about my order?'])
    # A decision that comes too late shows how it stands, too.
    say(page, 'hello')
    expect(page.locator('.turn-user')).to_have_count(3)
    say(page, 'pay back one clay pot')
    other.reload()
    other.get_by_role('button', name='Allow', exact=True).wait_for()
    page.get_by_role('button', name='Allow', exact=True).click()
    expect(last(page)).to_contain_text("I've paid back")
    other.get_by_role('button', name='Allow', exact=True).click()
    expect(other.get_by_role('alert')).to_contain_text('Nothing here waits for a decision any longer.')
    expect(last(other)).to_contain_text("I've paid back")


def test_a_server_that_is_gone_takes_nothing_from_the_page(chat: Callable[..., Page]) -> None:
    page = chat()
    say(page, 'hello')
    page.route('**/say', lambda route: route.abort())
    last(page).get_by_role('button', name='Answer again').click()
    expect(page.get_by_role('alert')).to_contain_text('The server cannot be reached.')
    expect(page.locator('.turn-user')).to_have_text(['hello'])
    page.unroute('**/say')
    last(page).get_by_role('button', name='Answer again').click()
    expect(page.get_by_role('alert')).to_have_count(0)
    page.get_by_role('button', name='Send').wait_for()
    page.reload()
    expect(page.locator('.turn-user')).to_have_text(['hello'])


def test_the_model_that_is_chosen_answers_again(serve: Callable[[Any], str], open_page: Open) -> None:
    page = open_page(serve(agents.support().to_web(models={'Test': 'test'})))
    say(page, 'hello')
    expect(last(page)).not_to_contain_text('success')
    page.get_by_label('Model', exact=True).select_option('Test')
    last(page).get_by_role('button', name='Answer again').click()
    expect(last(page).locator('.usage')).to_contain_text('test')


@pytest.mark.parametrize('dark', [False, True])
def test_a_tool_that_raised_is_red(serve: Callable[[Any], str], open_page: Open, dark: bool) -> None:
    def broken() -> None:
        raise OSError('out of order')

    page = open_page(serve(Agent('test', tools=[broken]).to_web()), dark=dark)
    say(page, 'hello')
    for _ in range(2):
        word = page.locator('.card').get_by_text('Failed', exact=True)
        colour = page.get_by_role('alert').evaluate('one => getComputedStyle(one).color')
        expect(word).to_have_css('color', colour)
        page.reload()


def test_a_call_that_is_always_allowed_has_its_result_also_if_all_calls_have_one_id(
    serve: Callable[[Any], str], open_page: Open
) -> None:
    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if isinstance(messages[-1].parts[-1], UserPromptPart):
            yield {0: DeltaToolCall('pay', '{"amount": 5}', tool_call_id='call_0')}
        else:
            yield 'It is paid.'

    agent = Agent(FunctionModel(stream_function=respond), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def pay(amount: int) -> str:
        return 'paid'

    page = open_page(serve(agent.to_web()))
    say(page, 'pay')
    page.get_by_role('button', name='Always allow in this chat').click()
    expect(last(page)).to_contain_text('It is paid.')
    wait_until_done(page)
    say(page, 'pay again')
    for _ in range(2):
        expect(page.locator('.turn-answer')).to_have_count(2)
        expect(last(page)).to_contain_text('It is paid.')
        expect(page.locator('.card .is-done')).to_have_count(2)
        page.reload()


def test_an_error_has_words_and_nothing_else(chat: Callable[..., Page], caplog: pytest.LogCaptureFixture) -> None:
    page = chat()
    say(page, 'please fail')
    expect(last(page).get_by_role('alert')).to_contain_text('The log of the server says what')
    assert 'secret' not in page.content()
    assert 'postgres://desk:secret' in caplog.text
    assert violations(page) == []


def test_what_one_opened_and_selected_stays(chat: Callable[..., Page], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, 'PAUSE', 0.01)
    page = chat()
    page.get_by_label('Message', exact=True).fill('where is my order?')
    page.keyboard.press('Enter')
    expect(last(page)).to_contain_text('Here is what I found')
    page.evaluate("""() => {
        const text = [...document.querySelectorAll('.prose p')].find(one => one.textContent.includes('Here is what I found'));
        window.seen = text;
        document.querySelector('details.card').open = true;
        getSelection().selectAllChildren(text);
    }""")
    page.get_by_role('button', name='Send').wait_for()
    assert page.evaluate('window.seen.isConnected && document.querySelector("details.card").open')
    assert 'Here is what I found' in page.evaluate('String(getSelection())')


def test_the_end_is_followed_until_one_scrolls(chat: Callable[..., Page]) -> None:
    page = chat()
    say(page, 'something long')
    log = 'document.querySelector(".log")'
    away = f'{log}.scrollHeight - {log}.scrollTop - {log}.clientHeight'
    page.wait_for_function(f'() => ({away}) < 2')
    page.evaluate('document.querySelector(".log").scrollTop = 0')
    page.get_by_role('button', name='Jump to the end').wait_for()
    say(page, 'hello')  # what one says oneself is followed again
    page.wait_for_function(f'() => ({away}) < 2')
    page.evaluate('document.querySelector(".log").scrollTop = 0')
    page.get_by_role('button', name='Jump to the end').click()
    page.wait_for_function(f'() => ({away}) < 2')


ATTACKS = [
    '<img src=x onerror="window.hit=1"><script>window.hit=1</script>',
    '[a](javascript:window.hit=1) [b](JaVaScRiPt:window.hit=1) [c](data:text/html,<script>window.hit=1</script>) [d](vbscript:x)',
    '![x](https://elsewhere.example/leak?secret) <https://elsewhere.example/auto>',
    '[x](\x01javascript:window.hit=1) [y](java\nscript:window.hit=1) [z](&#106;avascript:window.hit=1) [w](%6aavascript:alert(1))',
    '<svg><animate onbegin=window.hit=1 attributeName=x dur=1s><math><mtext><table><mglyph><style><img src=x onerror=window.hit=1>',
    '<iframe srcdoc="<script>parent.hit=1</script>"></iframe><object data="javascript:window.hit=1"></object><a href="x" onclick="window.hit=1">x</a>',
    '```"><img src=x onerror=window.hit=1>\n</code></pre><script>window.hit=1</script>\n```',
    '| a | b |\n|--|--|\n| <img src=x onerror=window.hit=1> | [x](javascript:window.hit=1) |',
    '<form action="https://elsewhere.example"><button>x</button></form><meta http-equiv="refresh" content="0;url=https://elsewhere.example"><base href="https://elsewhere.example">',
    '[ref]: javascript:window.hit=1\n\n[ref] [x][ref] <div id="app" name="querySelector">clobber</div>',
    '> ' * 300 + '<img src=x onerror=window.hit=1>',
    '\u202e[evil](https://example.com/\u202e) ' + '[' * 2000 + '*_' * 2000,
]


PART = 'See **this** and [that], in `code`.\n\n```python\nif shelf:\n\n    print("shelf")\n\nelse:\n\n    water()\n```\n\n- a fern\n\n- a pot\n\n'


def written(serve: Callable[[Any], str], open_page: Open, text: str) -> Page:
    async def write(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for start in range(0, len(text), 50_000):
            yield text[start : start + 50_000]

    page = open_page(serve(Agent(FunctionModel(stream_function=write), name='writer').to_web()))
    say(page, 'write')
    return page


def test_a_very_long_answer_is_laid_out_in_pieces(serve: Callable[[Any], str], open_page: Open) -> None:
    parts = 2_200
    text = PART * parts + '[that]: https://example.com/that\n'
    assert len(text) > 250_000
    page = written(serve, open_page, text)
    for is_new in (True, False):
        if not is_new:
            page.reload()
        prose = last(page).locator('.prose')
        expect(prose.locator('figure.code')).to_have_count(parts)
        assert prose.locator('strong').count() == prose.locator('p > code').count() == parts
        assert (
            prose.locator('figure.code code').evaluate_all('all => new Set(all.map(one => one.textContent)).size') == 1
        )
        assert prose.locator('li').count() == 2 * parts
    # What was laid out before it was known where the links lead is laid out again with the page.
    assert prose.get_by_role('link', name='that').count() == parts
    expect(page.get_by_text('too long to be laid out')).to_have_count(0)
    page.context.grant_permissions(['clipboard-read', 'clipboard-write'])
    last(page).get_by_role('button', name='Copy answer').click()
    expect(last(page).get_by_role('button', name='Copied')).to_be_visible()
    assert page.evaluate('navigator.clipboard.readText()') == text


def test_what_cannot_be_parted_is_said_to_be_plain(serve: Callable[[Any], str], open_page: Open) -> None:
    page = written(serve, open_page, 'A **first** word.\n\n' + '```\n' + 'leaf\n' * 50_000)
    prose = last(page).locator('.prose')
    expect(prose).to_contain_text('What follows is too long to be laid out. It is shown as it was written.')
    expect(prose.locator('.words')).to_contain_text('**first** word.')
    expect(prose.locator('.words')).to_contain_text('leaf\nleaf')


def test_what_a_model_writes_is_only_text(serve: Callable[[Any], str], open_page: Open) -> None:
    page = open_page(serve(agents.support().to_web()))
    for attack in [*ATTACKS, *hostile.MESSAGES]:
        say(page, 'echo ' + attack)
    page.reload()
    page.locator('.turn-answer').last.wait_for()
    assert page.evaluate('window.hit') is None
    hrefs = page.evaluate('[...document.querySelectorAll(".prose a")].map(link => link.getAttribute("href"))')
    assert hrefs
    assert all(re.match(r'(https?://|mailto:)', href) for href in hrefs), hrefs
    assert page.locator('.prose :is(img, iframe, object, form, svg:not(.icon), style, script, meta, base)').count() == 0
    assert page.url.startswith('http://127.0.0.1')
