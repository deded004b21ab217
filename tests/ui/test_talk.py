"""Conversations of the chat page: what the browser sends, and what the journal keeps."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from pydantic import BaseModel

pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead import Agent, Budget, RunContext
from stead.capabilities import ApprovalPolicy
from stead.journal import Journal
from stead.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.ui import StateDeps, web as web
from stead.ui._pages import _chat
from stead.ui._pages._wire import encode

pytestmark = pytest.mark.anyio


class Note(BaseModel):
    text: str = 'empty'


paid: list[tuple[str, int]] = []


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


def cashier(**options: Any) -> Agent[None, str]:
    """Return an agent that pays when it is asked to, and otherwise says how many prompts it has seen."""

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        prompts = [part.content for m in messages for part in m.parts if isinstance(part, UserPromptPart)]
        if any(isinstance(part, ToolReturnPart) for part in last.parts) and not isinstance(
            last.parts[-1], UserPromptPart
        ):
            yield 'said: ' + ' '.join(str(part.content) for part in last.parts if isinstance(part, ToolReturnPart))
        elif 'pay' in str(prompts[-1]):
            yield {0: DeltaToolCall('pay', '{"to": "Ada", "amount": 5}', tool_call_id=f'c{len(messages)}')}
        elif 'break' in str(prompts[-1]):
            raise RuntimeError('secret-password')
        elif 'slow' in str(prompts[-1]):
            yield 'the first half'
            await asyncio.sleep(30)
        else:
            yield f'prompts: {len(prompts)}'

    agent = Agent(FunctionModel(stream_function=respond), name='cashier', **options)

    @agent.tool(requires_approval=True)
    def pay(ctx: RunContext[None], to: str, amount: int) -> str:
        paid.append((to, amount))
        return f'paid {amount} to {to}'

    paid.clear()
    return agent


class Browser:
    """A browser with its cookie."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.events: list[Any] = []
        transport = httpx.ASGITransport(app=app)
        self.client = httpx.AsyncClient(transport=transport, base_url='http://localhost/api/talk/')

    async def get(self, path: str) -> Any:
        response = await self.client.get(path)
        return response.json() if response.status_code == 200 else response.status_code

    async def post(self, path: str, **body: Any) -> Any:
        response = await self.client.post(f'conversations/{path}', json=body)
        if response.status_code != 200:
            return response.status_code, response.json()['error']
        if response.headers['content-type'].startswith('application/json'):
            return response.json()
        lines = [line for line in response.text.splitlines() if line.startswith('data: ') and line != 'data: [DONE]']
        events = [json.loads(line[6:]) for line in lines]
        self.events = events
        return events[-1]['data']

    async def again(self, state: Any, keep: int, text: str) -> Any:
        position = {'keep': keep, 'run': state['run'], 'messages': len(state['messages'])}
        return await self.post('a/say', text=text, again=position)

    async def decide(self, state: Any, **decision: Any) -> Any:
        decisions = [
            {'run': one['run'], 'id': one['id'], 'digest': one['digest'], **decision} for one in state['waiting']
        ]
        return await self.post('a/decide', decisions=decisions)


def text_of(state: Any) -> str:
    return ''.join(part['content'] for part in state['messages'][-1]['parts'] if part['part_kind'] == 'text')


async def test_titles_are_kept_for_a_number_of_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_chat, 'MOST_TITLES', 3)
    gc.collect()  # those of other tests
    browser = Browser(cashier().to_web())
    for number in range(8):
        await browser.post(f'c{number}/say', text=f'question {number}')
    apis = [each for each in gc.get_objects() if isinstance(each, _chat.ChatApi)]
    assert max(len(api._titles) for api in apis) == 2  # emptied with the fourth and the seventh
    listed = (await browser.get('conversations'))['conversations']
    assert {one['title'] for one in listed} == {f'question {number}' for number in range(8)}
    assert max(len(api._titles) for api in apis) <= 3


async def test_the_server_keeps_what_was_said(tmp_path: Path) -> None:
    app = cashier().to_web(journal=Journal(tmp_path / 'chats.db'), examples=['hello'])
    browser = Browser(app)
    assert (await browser.get('setup'))['examples'] == ['hello']
    assert text_of(await browser.post('a/say', text='one')) == 'prompts: 1'
    assert text_of(await browser.post('a/say', text='two')) == 'prompts: 2'
    again = Browser(cashier().to_web(journal=Journal(tmp_path / 'chats.db')))
    again.client.cookies = browser.client.cookies
    (talk,) = (await again.get('conversations'))['conversations']
    assert (talk['id'], talk['title'], talk['status']) == ('a', 'one', 'done')
    assert len((await again.get('conversations/a'))['messages']) == 4
    assert [one['id'] for one in (await again.get('conversations?text=PROMPTS'))['conversations']] == ['a']
    assert (await again.get('conversations?text=unheard'))['conversations'] == []
    assert (await again.post('a/delete'))['deleted'] == 2
    assert await again.get('conversations/a') == 404


async def test_the_page_is_told_what_is_left_of_a_budget_that_chats_share() -> None:
    budget = Budget(requests=5, tool_calls=9)
    agent = cashier(budget=budget)
    assert agent.budget is budget
    browser = Browser(agent.to_web())
    assert (await browser.post('a/say', text='one'))['left'] == '4 requests, 9 tool calls'
    assert (await browser.post('b/say', text='one'))['left'] == '3 requests, 9 tool calls'
    assert (await browser.get('conversations/a'))['left'] == '3 requests, 9 tool calls'
    for options in ({}, {'budget': Budget(requests=2, per='run')}):
        assert (await Browser(cashier(**options).to_web()).post('a/say', text='one'))['left'] is None


async def test_other_browsers_see_nothing_of_it() -> None:
    app = cashier().to_web()
    mine, other = Browser(app), Browser(app)
    waiting = await mine.post('a/say', text='pay')
    assert await other.get('conversations/a') == 404
    assert (await other.get('conversations'))['conversations'] == []
    assert (await other.decide(waiting, action='allow'))[0] == 409
    assert paid == []


@pytest.mark.parametrize(
    ('decision', 'answer', 'payments'),
    [
        ({'action': 'allow'}, 'said: paid 5 to Ada', [('Ada', 5)]),
        ({'action': 'allow', 'args': {'to': 'Bo', 'amount': 1}}, 'said: paid 1 to Bo', [('Bo', 1)]),
        ({'action': 'always'}, 'said: paid 5 to Ada', [('Ada', 5)]),
        (
            {'action': 'deny', 'reason': 'too much'},
            'said: A person decided against this call. The reason: too much',
            [],
        ),
    ],
)
async def test_a_call_that_waits_is_decided_about(decision: Any, answer: str, payments: Any) -> None:
    browser = Browser(cashier().to_web())
    state = await browser.post('a/say', text='pay')
    (call,) = state['waiting']
    assert (state['status'], call['tool'], call['args'], paid) == ('waiting', 'pay', {'to': 'Ada', 'amount': 5}, [])
    assert text_of(await browser.decide(state, **decision)) == answer
    assert paid == payments
    assert (await browser.decide(state, **decision))[0] == 409  # it is not made a second time
    state = await browser.post('a/say', text='pay again')
    assert bool(state['waiting']) == (decision['action'] != 'always')


@pytest.mark.parametrize(
    ('forged', 'status'),
    [
        ({'action': 'allow', 'id': 'other'}, 409),
        ({'action': 'allow', 'run': 'other'}, 409),
        ({'action': 'allow', 'digest': 'other'}, 400),
        ({'action': 'result', 'result': 'paid'}, 400),
        ({'action': 'always', 'digest': 'other'}, 400),
        ({'action': 'allow', 'args': ['Bo', 1]}, 400),
        ({'action': 'always', 'args': 'Bo'}, 400),
        ({'action': 'maybe'}, 400),
        ({}, 400),
    ],
)
async def test_a_decision_about_something_else_is_refused(forged: Any, status: int) -> None:
    browser = Browser(cashier().to_web())
    state = await browser.post('a/say', text='pay')
    assert (await browser.decide(state, **forged))[0] == status
    assert paid == []
    assert (await browser.get('conversations/a'))['status'] == 'waiting'
    assert (await browser.post('a/say', text='pay again'))['waiting'], 'a decision that is refused allows no later call'


async def test_a_prompt_in_place_of_a_decision_leaves_the_call_undone() -> None:
    browser = Browser(cashier().to_web())
    await browser.post('a/say', text='pay')
    state = await browser.post('a/say', text='never mind')
    assert text_of(state) == 'prompts: 2'
    assert state['messages'][2]['parts'][0]['metadata'] == {'closed': 'left'}  # no one denied it
    assert paid == []


async def stopped(app: Any, browser: Browser, text: str, at: bytes) -> None:
    """Say something, and be gone when something of the answer has come."""
    began = anyio.Event()

    async def send(message: Any) -> None:
        if at in message.get('body', b''):
            began.set()

    body = [{'type': 'http.request', 'body': json.dumps({'text': text}).encode()}]

    async def receive() -> Any:
        if body:
            return body.pop()
        await began.wait()
        return {'type': 'http.disconnect'}

    await browser.get('setup')
    cookie = f'stead-session={browser.client.cookies["stead-session"]}'.encode()
    path = '/api/talk/conversations/a/say'
    headers = [(b'host', b'localhost'), (b'content-type', b'application/json'), (b'cookie', cookie)]
    scope = {
        'type': 'http',
        'method': 'POST',
        'path': path,
        'raw_path': path.encode(),
        'query_string': b'',
        'root_path': '',
        'headers': headers,
        'scheme': 'http',
    }
    with anyio.fail_after(10):
        await app(scope, receive, send)


async def test_an_answer_that_was_stopped_keeps_its_text() -> None:
    app = cashier().to_web()
    browser = Browser(app)
    await stopped(app, browser, 'slow', b'the first half')
    assert (await browser.get('conversations/a'))['messages'][-1]['metadata'] == {'closed': 'interrupted'}
    state = await browser.get('conversations/a')
    assert (state['status'], text_of(state)) == ('done', 'the first half')
    assert text_of(await browser.post('a/say', text='go on')) == 'prompts: 2'


async def test_a_call_that_was_interrupted_is_not_shown_as_denied() -> None:
    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        yield {0: DeltaToolCall('wait', '{}', tool_call_id='c1')}

    agent = Agent(FunctionModel(stream_function=respond))

    @agent.tool_plain
    async def wait() -> None:
        await asyncio.sleep(30)

    app = agent.to_web()
    browser = Browser(app)
    await stopped(app, browser, 'wait', b'tool-input-available')
    (part,) = (await browser.get('conversations/a'))['messages'][-1]['parts']
    assert (part['outcome'], part['metadata']) == ('failed', {'closed': 'interrupted'})
    assert 'Whether it did its work is not known' in part['content']


async def test_the_state_of_one_browser_is_not_that_of_another() -> None:
    seen: list[str] = []
    agent = Agent('test', deps_type=StateDeps[Note])

    @agent.tool
    def note(ctx: RunContext[StateDeps[Note]]) -> str:
        seen.append(ctx.deps.state.text)
        ctx.deps.state = Note(text='a secret of the first browser')
        return ''

    app = agent.to_web(deps=StateDeps(Note()))
    await Browser(app).post('a/say', text='one')
    await Browser(app).post('a/say', text='two')
    assert seen == ['empty', 'empty']


async def test_answers_again_and_branches_leave_the_others_as_they_are() -> None:
    browser = Browser(cashier().to_web())
    await browser.post('a/say', text='one')
    state = await browser.post('a/say', text='two')
    state = await browser.again(state, 2, 'two, once more')
    assert (text_of(state), len(state['messages'])) == ('prompts: 2', 4)
    other = (await browser.post('a/branch', messages=2))['id']
    assert len((await browser.get(f'conversations/{other}'))['messages']) == 2
    assert text_of(await browser.post(f'{other}/say', text='elsewhere')) == 'prompts: 2'
    assert len((await browser.get('conversations/a'))['messages']) == 4
    for wrong in (-1, 'x', True, None):
        assert (await browser.post('a/branch', messages=wrong))[0] == 400


@pytest.mark.parametrize('meanwhile', ['said', 'answered again', 'gone on with', 'deleted'])
async def test_what_another_tab_did_is_not_dropped_to_answer_again(meanwhile: str) -> None:
    browser = Browser(cashier().to_web())
    await browser.post('a/say', text='one')
    before = state = await browser.post('a/say', text='pay' if meanwhile == 'gone on with' else 'two')
    if meanwhile == 'said':
        state = await browser.post('a/say', text='three')
    elif meanwhile == 'answered again':
        state = await browser.again(state, 2, 'two')
    elif meanwhile == 'gone on with':
        state = await browser.decide(state, action='allow')
        assert state['run'] == before['run']
    else:
        await browser.post('a/delete')
    status, words = await browser.again(before, 2, 'two')
    assert (status, words.partition(' meanwhile')[0]) == (409, 'This conversation has changed')
    assert await browser.get('conversations/a') == (404 if meanwhile == 'deleted' else state)
    if meanwhile != 'deleted':
        assert len((await browser.again(state, 2, 'two'))['messages']) == 4


async def test_two_tabs_that_answer_again_at_once_get_one_answer() -> None:
    browser = Browser(cashier().to_web())
    state = await browser.post('a/say', text='one')
    other = Browser(browser.app)
    other.client.cookies = browser.client.cookies
    answers = await asyncio.gather(*(one.again(state, 0, 'once more') for one in (browser, other)))
    refused = [one for one in answers if isinstance(one, tuple)]
    errors = [event for one in (browser, other) for event in one.events if event['type'] == 'error']
    assert len(refused) + len(errors) == 1, (answers, errors)
    assert 'Something went wrong' not in str(errors)
    state = await browser.get('conversations/a')
    assert [message['kind'] for message in state['messages']] == ['request', 'response']
    assert text_of(state) == 'prompts: 1'


async def test_an_answer_that_failed_is_answered_again() -> None:
    browser = Browser(cashier().to_web())
    await browser.post('a/say', text='one')
    state = await browser.post('a/say', text='break')
    assert (state['status'], len(state['messages'])) == ('failed', 3)
    state = await browser.again(state, 2, 'two')
    assert (state['status'], len(state['messages']), text_of(state)) == ('done', 4, 'prompts: 2')
    for wrong in (2, 'x', {}, {'keep': -1}, {'keep': True}):
        assert (await browser.post('a/say', text='two', again=wrong))[0] == 400
    assert await browser.get('conversations/a') == state


async def test_other_arguments_of_calls_stay_known_in_branches_and_when_a_run_is_given_up() -> None:
    async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if len(messages) < 5:
            yield {0: DeltaToolCall('pay', '{"to": "Ada", "amount": 5}', tool_call_id=f'c{len(messages)}')}
        else:
            yield 'well'

    agent = cashier()
    agent.model = FunctionModel(stream_function=respond)
    browser = Browser(agent.to_web())
    state = await browser.post('a/say', text='pay twice')
    state = await browser.decide(state, action='allow', args={'to': 'Eve', 'amount': 1})
    assert [one['id'] for one in state['waiting']] == ['c3']
    branch = (await browser.post('a/branch', messages=3))['id']
    assert (await browser.get(f'conversations/{branch}'))['decided'] == {'c1': {'to': 'Eve', 'amount': 1}}
    before = (await browser.post('a/branch', messages=1))['id']
    assert (await browser.get(f'conversations/{before}'))['decided'] == {}
    state = await browser.post('a/say', text='never mind')
    assert (state['decided'], state['messages'][-1]['parts'][0]['content']) == (
        {'c1': {'to': 'Eve', 'amount': 1}},
        'well',
    )
    state = await browser.again(state, 4, 'again')
    assert state['decided'] == {'c1': {'to': 'Eve', 'amount': 1}}
    assert paid == [('Eve', 1)]


async def test_a_branch_before_the_first_message_gets_its_title_with_that() -> None:
    browser = Browser(cashier().to_web())
    await browser.post('a/say', text='one')
    other = (await browser.post('a/branch', messages=0))['id']
    assert (await browser.get(f'conversations/{other}'))['title'] == 'New chat'  # a page may look at it before
    assert (await browser.post(f'{other}/say', text='another one'))['title'] == 'another one'
    titles = {one['title'] for one in (await browser.get('conversations'))['conversations']}
    assert titles == {'one', 'another one'}


async def test_what_exceptions_say_is_shown_only_where_that_is_wanted(caplog: pytest.LogCaptureFixture) -> None:
    for show_errors in (False, True):
        browser = Browser(cashier().to_web(show_errors=show_errors))
        state = await browser.post('a/say', text='break')
        assert ('secret-password' in json.dumps(browser.events)) is show_errors
        assert ('secret-password' in state['error']) is show_errors
        assert text_of(await browser.post('a/say', text='hello')) == 'prompts: 1'
    assert 'secret-password' in caplog.text


async def test_files_and_bad_requests() -> None:
    browser = Browser(cashier().to_web())
    state = await browser.post('a/say', files=[{'url': 'data:text/plain;base64,aGk='}])
    assert state['messages'][0]['parts'][0]['content'][0]['media_type'] == 'text/plain'
    for body in (
        {},
        {'text': '  '},
        {'text': 3},
        {'files': [{'url': 'file:///etc/passwd'}]},
        {'text': 'x', 'model': 'other'},
        {'text': 'x', 'tools': ['other']},
    ):
        assert (await browser.post('a/say', **body))[0] == 400, body
    assert (await browser.post('../x/say', text='x'))[0] == 404
    response = await browser.client.post(
        'conversations/a/say', content=b'{"text": "x"}', headers={'content-type': 'text/plain'}
    )
    assert response.status_code == 415


async def test_the_journal_and_the_decisions_of_the_agent_are_used() -> None:
    journal: Journal[None] = Journal()
    policy: ApprovalPolicy[None] = ApprovalPolicy()
    policy.allow('pay')
    browser = Browser(cashier(capabilities=[journal, policy]).to_web())
    assert text_of(await browser.post('a/say', text='pay')) == 'said: paid 5 to Ada'
    assert text_of(await browser.post('a/say', text='hello')) == 'prompts: 2'
    assert len(await journal.runs()) == 2


def test_a_result_that_knows_what_it_is_inside_of_is_sent_at_once() -> None:
    root: dict[str, Any] = {}
    root['inner'] = [{'outer': root, 'also': root} for _ in range(5)]
    assert encode({'type': 'tool-output-available', 'output': root}).startswith(
        b'data: {"type":"tool-output-available"'
    )


async def test_two_answers_of_one_conversation_are_not_written_at_once() -> None:
    """Also with a journal of the agent that lets programs do so: one of both answers would be lost."""
    journal = Journal()
    app = cashier(capabilities=[journal]).to_web()
    first, second = Browser(app), Browser(app)
    await first.post('a/say', text='one')
    second.client.cookies = first.client.cookies
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: first.post('a/say', text='slow'))
        for _ in range(1_000):
            if [run.status for run in await journal.runs()].count('running'):
                break
            await anyio.sleep(0.005)
        status, error = await second.post('a/say', text='two')
        assert (status, error.split(':')[0]) == (
            409,
            'This conversation is being answered right now. Wait, or stop that first.',
        )
        group.cancel_scope.cancel()


@pytest.mark.parametrize('servers', [1, 2])
async def test_nothing_is_lost_of_what_two_tabs_say_at_the_same_moment(servers: int, tmp_path: Path) -> None:
    """Also with a journal of the agent that keeps no conversations, and with two servers that have its file."""
    apps = [cashier(capabilities=[Journal(tmp_path / 'runs.db')]).to_web() for _ in range(servers)]
    tabs = [Browser(apps[number % servers]) for number in range(4)]
    await tabs[0].get('setup')
    for tab in tabs:
        tab.client.cookies = tabs[0].client.cookies
    answered: list[str] = []

    async def say(tab: Browser, text: str) -> None:
        await tab.post('a/say', text=text)
        if any(event['type'] == 'text-delta' for event in tab.events):
            answered.append(text)

    async with anyio.create_task_group() as group:
        for number, tab in enumerate(tabs):
            group.start_soon(say, tab, f'from tab {number}')
    conversation = await tabs[0].get('conversations/a')
    prompts = [
        part['content']
        for one in conversation['messages']
        for part in one['parts']
        if part['part_kind'] == 'user-prompt'
    ]
    assert answered
    assert sorted(prompts) == sorted(answered)
    assert text_of(await tabs[0].post('a/say', text='and now')) == f'prompts: {len(answered) + 1}'


KILLED = """
import asyncio, os, signal
from pathlib import Path
import httpx
from stead import Agent
from stead.journal import Journal
from stead.messages import ToolReturnPart
from stead.models.function import DeltaToolCall, FunctionModel

async def respond(messages, info):
    if not any(isinstance(part, ToolReturnPart) for message in messages for part in message.parts):
        yield {0: DeltaToolCall('look', '{}', tool_call_id='c1')}
        return
    yield 'seen, '
    if Path('to-be-killed').exists():
        Path('to-be-killed').unlink()
        await asyncio.sleep(0.05)
        os.kill(os.getpid(), signal.SIGKILL)
    yield 'and told'

agent = Agent(FunctionModel(stream_function=respond), capabilities=[Journal('chats.db', lease_seconds=600)])

@agent.tool_plain(metadata={'effect': 'write'})
def look() -> str:
    with Path('looks').open('a') as file:
        file.write('x')
    return 'a fern'

app = agent.to_web()

async def main():
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url='http://localhost', cookies={'stead-session': '0' * 32}) as client:
        await client.post('/api/talk/conversations/a/say', json={'text': 'look'})

if __name__ == '__main__':
    asyncio.run(main())
"""


@pytest.mark.parametrize('goes_on', [True, False])
async def test_a_conversation_of_a_server_that_was_killed_goes_on_at_once(
    goes_on: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / 'to-be-killed').touch()
    script = tmp_path / f'killed_{goes_on}.py'
    script.write_text(KILLED, encoding='utf-8')
    process = await asyncio.create_subprocess_exec(sys.executable, script)
    assert await process.wait() == -signal.SIGKILL
    module = importlib.import_module(script.stem)
    browser = Browser(module.app)
    browser.client.cookies.set('stead-session', '0' * 32)
    state = await browser.get('conversations/a')
    assert (state['status'], state['messages'][-1]['parts'][0]['content']) == ('left', 'a fern')
    assert (await browser.get('conversations'))['conversations'][0]['status'] == 'left'
    if goes_on:
        state = await browser.post('a/go-on')
        assert state['messages'][-1]['parts'][0]['content'] == 'seen, and told'
    else:
        state = await browser.post('a/say', text='well?')
        contents = [part.get('content') for message in state['messages'] for part in message['parts']]
        assert contents == ['look', None, 'a fern', 'well?', 'seen, and told']
    assert state['status'] == 'done'
    assert (tmp_path / 'looks').read_text() == 'x'
