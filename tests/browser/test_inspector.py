"""The inspector in a real browser."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

if not os.environ.get('STEAD_NEEDS_BROWSER'):
    pytest.skip('`make test-browser` runs the tests of the pages', allow_module_level=True)

from playwright.sync_api import Page, expect

from stead import Agent
from stead.capabilities import AbstractCapability
from stead.journal import Entry, Journal, MemoryStore, Record, RunInfo, SqliteStore
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, FunctionModel
from stead.ui._pages._inspector import create_inspector
from stead.usage import UsageLimits
from tests.browser import journals
from tests.browser.conftest import violations
from tests.ui.test_inspect import long_run

Open = Callable[..., Page]
EVIL = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'


def in_thread(work: Any) -> Any:
    """Run a coroutine in a thread of its own: Playwright keeps a loop in this one."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture
def inspector(serve: Callable[[Any], str], open_page: Open, tmp_path: Path) -> Callable[..., Page]:
    in_thread(journals.fill(tmp_path / 'runs.db'))
    journal: Journal[Any] = Journal(tmp_path / 'runs.db', changes=True)
    app = create_inspector(journal, name='runs.db', agent=journals.planner(journal=journal), may_change=True)
    url = serve(app)
    return lambda **options: open_page(url, **options)


@pytest.mark.parametrize('width', [1440, 390])
@pytest.mark.parametrize('dark', [False, True])
def test_looking_into_a_run(inspector: Callable[..., Page], width: int, dark: bool) -> None:
    page = inspector(width=width, dark=dark)
    runs = page.locator('.run')
    expect(runs).to_have_count(3)
    assert violations(page) == []
    runs.last.click()
    expect(page.locator('.line')).to_have_count(8)  # three steps, four calls, and an agent inside of one
    page.get_by_role('button', name='Ask garden').click()
    expect(page.locator('details.card[open]')).to_contain_text('The witch hazel flowers')
    assert violations(page) == []
    assert page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    page.locator('.line.depth-2').click()
    expect(page.get_by_role('heading', level=1)).to_have_text('What flowers in the botanic garden now?')
    page.get_by_role('button', name='Outer run').click()
    expect(page.get_by_role('heading', level=1)).to_contain_text('Plan a Saturday in Utrecht for two, with')


@pytest.mark.parametrize('width', [1440, 390])
@pytest.mark.parametrize('dark', [False, True])
def test_what_each_capability_changed(inspector: Callable[..., Page], width: int, dark: bool) -> None:
    page = inspector(width=width, dark=dark)
    page.locator('.run').last.click()
    step = page.get_by_role('region', name='Step', exact=True)
    private = step.get_by_role('region', name='Private changed the messages')
    expect(private.locator('.is-gone')).to_contain_text('Write to ana@example.org.')
    expect(private.locator('.is-new')).to_contain_text('Write to [address].')
    expect(step.get_by_role('region', name='Hooks, only_what_is_asked_for() changed the tools')).to_contain_text(
        'refund'
    )
    expect(step.locator('.part.is-user-prompt')).to_contain_text('[address]')  # as it was sent
    step.get_by_text('Sent with it').click()
    expect(step.locator('.named', has_text='max_tokens')).to_contain_text('Brief')
    expect(step.locator('.named', has_text='temperature')).to_contain_text('agent')
    step.locator('.tool-fold', has_text='trains').locator('summary').click()
    expect(step.locator('.tool-fold[open]')).to_contain_text('parameters_json_schema')
    assert violations(page) == []
    page.get_by_role('button', name='Book').click()
    act = step.get_by_role('region', name='Hooks, second_class() changed the arguments')
    expect(act.locator('.is-new')).to_contain_text('"travel_class": 2')
    assert violations(page) == []
    assert page.evaluate('document.documentElement.scrollWidth <= innerWidth')


def test_from_a_failed_run_to_a_fork_that_works(inspector: Callable[..., Page]) -> None:
    page = inspector(width=1440)
    page.get_by_label('State').select_option('failed')
    expect(page.locator('.run')).to_have_count(1)
    page.locator('.run').click()
    expect(page.get_by_role('alert')).to_contain_text('did not know it (HTTP 503)')
    page.get_by_role('button', name='Fork from here').click()
    expect(page.get_by_role('group', name='Fork from here')).to_be_focused()  # not lost with the button
    page.get_by_role('button', name='Cancel').click()
    expect(page.get_by_role('button', name='Fork from here')).to_be_focused()
    page.keyboard.press('Enter')
    page.get_by_label('Result of weather, to change').fill('Saturday in Utrecht: dry')
    assert violations(page) == []
    page.get_by_role('button', name='Fork and run on').click()
    expect(page.locator('.compare-head').last).to_contain_text('Done')
    expect(page.locator('.diff').first).to_contain_text('take the 09:12 from Delft')
    expect(page.locator('.diff', has_text='→ 2 seats on the 09:12 are booked.')).to_be_visible()
    assert violations(page) == []
    page.locator('.compare-head').last.get_by_role('button', name='Open').click()
    expect(page.locator('.step.is-shared')).not_to_have_count(0)
    # A fork of the fork, which cannot continue, says why, and keeps its prompt in the list.
    page.get_by_role('button', name='Fork from here').click()
    page.get_by_label('Another model').fill('nonsense:x')
    page.get_by_role('button', name='Fork and run on').click()
    expect(page.locator('.compare-head').last).to_contain_text("Unknown provider: 'nonsense'")
    page.get_by_label('State').select_option('')
    expect(page.locator('.run', has_text='Plan a Saturday in Utrecht for two.')).to_have_count(3)


def test_another_step_is_shown_from_its_beginning(inspector: Callable[..., Page]) -> None:
    page = inspector(width=1440, height=500)
    page.locator('.run').last.click()
    page.get_by_role('button', name='Trains').click()
    chosen = page.locator('details.card[open]')
    expect(chosen).to_be_in_viewport()
    details = page.locator('.details')
    assert details.evaluate('one => one.scrollTop') > 0
    page.locator('.line', has_text='2. gpt-5-mini').click()
    expect(page.get_by_role('heading', name='Step 2')).to_be_in_viewport()
    # What one has scrolled to stays there when the run is drawn again.
    page.get_by_role('button', name='Book').click()
    expect(chosen).to_be_in_viewport()
    details.evaluate('one => one.scrollTo({top: 0})')
    with page.expect_response('**/inspect/runs/*?since=*'):
        pass
    assert details.evaluate('one => one.scrollTop') == 0


def test_what_the_list_says_is_what_the_run_says(inspector: Callable[..., Page]) -> None:
    page = inspector(width=1440)
    run = page.locator('.run').last
    run.click()
    cost = page.locator('.run-head .facts div', has_text='Cost').locator('dd').text_content()
    assert cost is not None
    assert cost.startswith('$0.00')
    expect(run).to_contain_text(cost)
    page.get_by_role('button', name='Fork from here').click()
    page.get_by_role('button', name='Fork and run on').click()
    expect(page.locator('.compare-head').last).to_contain_text('Done')
    for head, row in (
        (page.locator('.compare-head').first, run),
        (page.locator('.compare-head').last, page.locator('.run').first),
    ):
        expect(row).to_contain_text('Done')
        for fact in ('Cost', 'Tokens'):
            value = head.locator('.facts div', has_text=fact).locator('dd').text_content()
            expect(row).to_contain_text(value or 'nothing')


def test_a_denial_has_a_reason(inspector: Callable[..., Page]) -> None:
    page = inspector(width=390)
    page.locator('.run', has_text='refund').click()
    page.get_by_label('Arguments').fill('{"order"')
    page.get_by_role('button', name='Allow').click()
    expect(page.get_by_role('alert')).to_contain_text('That is not JSON')
    page.get_by_label('A reason, if you deny it').fill('the pot was whole')
    assert violations(page) == []
    page.get_by_role('button', name='Deny').click()
    expect(page.locator('.run-head .status')).to_have_text('Done')
    page.locator('.line', has_text='Refund').click()
    expect(page.locator('details.card[open]')).to_contain_text('the pot was whole')
    expect(page.locator('.act', has_text='denied')).to_contain_text('by a person')


def test_a_run_that_waits_is_answered(inspector: Callable[..., Page]) -> None:
    page = inspector(width=1440)
    page.get_by_label('Search in everything').fill('refund')
    expect(page.locator('.run')).to_have_count(1)
    page.locator('.run').click()
    asking = page.get_by_role('region', name='Decision about Refund')
    assert violations(page) == []
    asking.get_by_label('Arguments').fill('{"order": "A-17", "amount": 2}')
    asking.get_by_role('button', name='Allow').click()
    expect(page.locator('.run-head .status')).to_have_text('Done')
    expect(page.locator('.output')).to_contain_text('The customer has her money back.')


def test_what_a_run_holds_is_only_text(serve: Callable[[Any], str], open_page: Open, tmp_path: Path) -> None:
    async def evil(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart(f'[x](javascript:window.hit=1) ![y](https://elsewhere.example/z) {EVIL}')])
        return ModelResponse(
            [ToolCallPart('constructor', {'__proto__': EVIL, EVIL: EVIL}, EVIL), ToolCallPart(EVIL, EVIL, 'c2')],
            model_name=EVIL,
        )

    class Hostile(AbstractCapability[Any]):
        def get_instructions(self) -> str:
            return EVIL

        def get_model_settings(self) -> Any:
            return {'constructor': EVIL, '__proto__': 1, EVIL: EVIL}

        async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
            request_context.messages[-1].parts.append(UserPromptPart(EVIL))
            return request_context

        async def prepare_tools(self, ctx: Any, tool_defs: Any) -> Any:
            return [replace(tool, description=EVIL) for tool in tool_defs]

    Hostile.__name__ = EVIL
    journal: Journal[Any] = Journal(tmp_path / 'runs.db', changes=True)
    agent = Agent(FunctionModel(evil), name=EVIL)
    agent.tool_plain(look, name='constructor')
    in_thread(agent.run(EVIL, capabilities=[Hostile(id=EVIL), journal]))
    page = open_page(serve(create_inspector(Journal(tmp_path / 'runs.db'), name=EVIL)), width=1440)
    page.locator('.run').click()
    page.get_by_text('Sent with it').click()
    expect(page.locator('.act').first).to_contain_text('<img src=x')
    for line in page.locator('.line').all():
        line.click()
    assert page.evaluate('window.hit') is None
    assert page.locator('#app :is(img, script, iframe)').count() == 0


def test_many_runs_and_steps_take_little_work(serve: Callable[[Any], str], open_page: Open, tmp_path: Path) -> None:
    """Ten thousand runs, and a run of a thousand steps: what the browser asks for and draws has a bound, whatever the machine."""
    in_thread(many_runs(tmp_path / 'runs.db'))
    urls: list[str] = []
    page = open_page(serve(create_inspector(Journal(tmp_path / 'runs.db'))), width=1440)
    page.on('request', lambda request: urls.append(request.url))
    expect(page.locator('.run')).to_have_count(100)
    page.get_by_label('Search in everything').fill('the long one')
    expect(page.locator('.run')).to_have_count(1)
    urls.clear()
    start = time.perf_counter()
    with page.expect_response('**/inspect/runs/*') as answer:
        page.locator('.run').click()
    page.locator('.line').first.wait_for()
    print(f'a run of 1,000 steps is shown after {time.perf_counter() - start:.2f} s')
    expect(page.locator('.step')).to_have_count(1_000)
    assert sum('/runs/' in url and 'since=' not in url for url in urls) == 1, 'one request brings the run'
    assert len(answer.value.body()) < 2_000_000
    elements = page.evaluate('document.querySelectorAll("*").length')
    assert elements < 45_000
    laid_out = page.evaluate("""[...document.querySelectorAll('.step')].filter(one => one.checkVisibility({contentVisibilityAuto: true})
        && one.firstElementChild.checkVisibility({contentVisibilityAuto: true})).length""")
    assert laid_out < 100, 'steps that are not on the screen are not laid out'
    page.locator('.line').nth(1_001).click()
    assert page.locator('.details section.part').count() < 20, (
        'the messages of earlier steps are not drawn until they are opened'
    )


async def many_runs(path: Path) -> None:
    """Write a journal with ten thousand runs, the last of which has a thousand steps."""

    async def work(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1_998:
            return ModelResponse([TextPart('done')])
        return ModelResponse([ToolCallPart('look', {'n': len(messages)}, f'c{len(messages)}')])

    store = SqliteStore(path)
    store.open()
    begun = b'{"prompt":"a prompt of run %d","conversation":null,"agent":{},"messages":[],"new":0}'
    for number in range(10_000):
        run = RunInfo(run_id=f'run-{number:05}', agent='many', status='done', begun_at=float(number), last_seq=1)
        store.create(run, [Record(1, 'begun', float(number), begun % number)])
    store.close()
    agent = Agent(FunctionModel(work), name='long')
    agent.tool_plain(look)
    journal: Journal[Any] = Journal(path, durability='exit', changes=True)
    await agent.run('the long one', capabilities=[journal], usage_limits=UsageLimits(request_limit=None))


def look(n: int) -> str:
    """Look at something."""
    return f'seen {n}'


def test_a_run_that_goes_on_is_followed_by_what_is_new(serve: Callable[[Any], str], open_page: Open) -> None:
    """However long it is, a look brings the new steps alone; and what is on the page already stays the same elements."""
    records, store = long_run(300), MemoryStore()
    known = 1 + 4 * 250
    store.create(RunInfo(run_id='long', begun_at=1.0, last_seq=known), records[:known])
    token = store.acquire('long', 'test', time.time(), 600.0) or 0
    page = open_page(serve(create_inspector(Journal(store))), width=1440)
    sizes: list[int] = []
    page.on('response', lambda answer: sizes.append(len(answer.body())) if '/inspect/runs/long' in answer.url else None)
    page.locator('.run').click()
    steps = page.locator('.step')
    expect(steps).to_have_count(250)
    page.locator('.line').nth(3).click()
    page.evaluate('document.querySelectorAll(".step")[1].mark = document.querySelector(".details .fold").mark = 1')
    whole = max(sizes)
    for _ in range(2):  # the costs of a long run come with the second look
        with page.expect_response('**/runs/long?since=*'):
            pass
    sizes.clear()
    for number in range(250, 300, 10):
        new = records[1 + 4 * number : 1 + 4 * (number + 10)]
        store.append([Entry('long', token, new, 'running', number + 10)], durable=False)
        expect(steps).to_have_count(number + 10)
    store.append([Entry('long', token, [], 'done', 300)], durable=False)
    expect(page.locator('.run-head .status')).to_have_text('Done')
    assert max(sizes) < whole / 10
    assert sum(sizes) < whole / 2
    marks = page.evaluate('[document.querySelectorAll(".step")[1].mark, document.querySelector(".details .fold").mark]')
    assert marks == [1, 1]
    expect(page.locator('.line').nth(3)).to_have_attribute('aria-current', 'step')
    with page.expect_response('**/runs/long?since=*') as answer:
        pass
    assert len(answer.value.body()) < 200, 'it is still looked for what comes, and nothing is sent'


def test_a_result_as_a_page_needs_no_server(open_page: Open, tmp_path: Path) -> None:
    result = in_thread(journals.planner().run('Plan a Saturday for two.'))
    (tmp_path / 'run.html').write_text(result.to_html(), encoding='utf-8')
    page = open_page(f'file://{tmp_path}/run.html', width=1440)
    expect(page.get_by_role('heading', level=1)).to_have_text('Plan a Saturday for two.')
    expect(page.locator('.line')).to_have_count(7)
    page.get_by_role('button', name='Ask garden').click()
    expect(page.locator('details.card[open]')).to_contain_text('The witch hazel flowers')
    assert violations(page) == []
