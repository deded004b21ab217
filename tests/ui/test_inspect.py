"""The inspector: what it reads of a journal, and what it may change."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip('starlette', reason='the package starlette is not installed')

from stead.journal import Entry, Journal, MemoryStore, Record, RunFilter, RunInfo, SqliteStore, StoreError
from stead.journal._sqlite import MIGRATIONS
from stead.journal.traces import MOST_FOLLOWED, trace_of
from stead.ui._pages._inspector import create_inspector
from tests.browser import journals

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


@pytest.fixture(scope='module')
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    journals.PAUSE = 0.01
    path = tmp_path_factory.mktemp('inspect') / 'runs.db'
    asyncio.run(journals.fill(path))
    return path


def client(journal: Any, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=create_inspector(journal, **options))
    return httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/')


async def runs_of(page: httpx.AsyncClient, **query: Any) -> list[dict[str, Any]]:
    return (await page.get('runs', params=query)).json()['runs']


def content(path: Path) -> bytes:
    return path.read_bytes()


async def copy_of(filled: Path) -> Journal[Any]:
    journal: Journal[Any] = Journal(MemoryStore())
    await journal.import_([line async for line in Journal[Any](filled).export()])
    return journal


async def test_runs_are_listed_filtered_and_searched(filled: Path) -> None:
    page = client(Journal(filled))
    runs = await runs_of(page)
    assert [(run['status'], run['agent'], run['steps']) for run in runs] == [
        ('failed', 'planner', 2),
        ('waiting', 'planner', 1),
        ('done', 'planner', 3),
    ]
    assert runs[0]['error'].startswith('The plan needs the weather')
    assert (runs[2]['prompt'][:17], runs[2]['calls'], runs[2]['models']) == ('Plan a Saturday i', 5, ['gpt-5-mini'])
    assert len(await runs_of(page, inner='1')) == 5
    assert [run['status'] for run in await runs_of(page, status='waiting')] == ['waiting']
    assert [run['status'] for run in await runs_of(page, text='WITCH HAZEL', status='done')] == ['done']
    assert await runs_of(page, text='nothing like it') == await runs_of(page, conversation='nothing like it') == []
    first = (await page.get('runs', params={'limit': 2})).json()
    assert [run['id'] for run in await runs_of(page, before=first['next'])] == [runs[2]['id']]
    for wrong in ({'status': 'x'}, {'before': 'x'}, {'limit': '-1'}):
        assert (await page.get('runs', params=wrong)).status_code == 400


async def test_a_run_is_shown_with_its_times(filled: Path) -> None:
    page = client(Journal(filled))
    run = (await runs_of(page, status='done'))[0]
    trace = (await page.get(f'runs/{run["id"]}')).json()
    steps = trace['steps']
    assert [[call['tool'] for call in step['calls']] for step in steps] == [
        ['weather', 'trains', 'ask_garden'],
        ['book'],
        [],
    ]
    first = steps[0]
    assert first['at'] <= first['responded'] <= min(call['at'] for call in first['calls'])
    assert max(call['at'] for call in first['calls']) < min(call['ended'] for call in first['calls'])  # side by side
    sent = [trace['messages'][index] for index in trace['lists'][first['request'][0]][: first['request'][1]]]
    assert [part['part_kind'] for message in sent for part in message['parts']] == ['user-prompt']
    assert trace['messages'][first['response']]['parts'][0]['part_kind'] == 'thinking'
    assert [(child['agent'], child['call']) for child in trace['children']] == [('garden', 'g1')]
    assert trace['run']['output'].startswith('**Saturday')
    missing = await page.get('runs/none')
    assert (missing.status_code, missing.json()) == (404, {'error': "The journal has no run 'none'."})


async def test_it_only_reads_unless_it_is_asked_to_change(filled: Path) -> None:
    before = content(filled)
    page = client(Journal(filled))
    run = (await runs_of(page))[0]
    for action in ('fork', 'answer', 'go-on'):
        assert (await page.post(f'runs/{run["id"]}/{action}', json={'at': 1})).status_code == 403
    assert content(filled) == before


async def test_a_failed_run_is_forked_and_goes_well(filled: Path) -> None:
    journal = await copy_of(filled)
    page = client(journal, agent=journals.planner(journal=journal), may_change=True)
    failed = (await runs_of(page, status='failed'))[0]
    trace = (await page.get(f'runs/{failed["id"]}')).json()
    step = trace['steps'][-1]
    place = next(
        (number, index)
        for number, message in enumerate(trace['messages'])
        for index, part in enumerate(message['parts'])
        if part['part_kind'] == 'tool-return' and part['tool_name'] == 'weather'
    )
    edit = {'message': place[0], 'part': place[1], 'value': 'dry'}
    answer = await page.post(f'runs/{failed["id"]}/fork', json={'at': step['step'], 'edits': [edit], 'run': True})
    fork = answer.json()['id']
    deadline = time.monotonic() + 10
    while (now := (await page.get(f'runs/{fork}')).json())['run']['status'] != 'done':
        assert time.monotonic() < deadline, now['failure']
        await asyncio.sleep(0.02)
    assert now['run']['output'].startswith('**Saturday')
    assert [step['shared'] for step in now['steps']] == [True, True, False] or now['steps'][0]['shared']
    assert (await page.get(f'runs/{failed["id"]}')).json()['run']['status'] == 'failed'
    listed = (await runs_of(page))[0]
    assert listed['prompt'] == failed['prompt']
    assert (listed['tokens'], listed['cost']) == (now['run']['tokens'], pytest.approx(now['run']['cost']))
    again = (await page.post(f'runs/{fork}/fork', json={'at': 2})).json()['id']  # it has not continued
    trace = (await page.get(f'runs/{again}')).json()['run']
    listed = (await runs_of(page))[0]
    assert (listed['id'], listed['prompt'], listed['error']) == (again, failed['prompt'], None)
    assert (listed['tokens'], listed['cost']) == (trace['tokens'], pytest.approx(trace['cost']))


async def test_whether_there_is_a_run_to_go_on_with_is_known_without_reading_it() -> None:
    class Counting(MemoryStore):
        reads = 0

        def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
            self.reads += 1
            return super().read(run_id, after, limit)

    store = Counting()
    store.create(RunInfo('r', begun_at=1, updated_at=1, last_seq=1), [Record(1, 'begun', 1, b'{"prompt":"go"}')])
    page = client(Journal(store), may_change=True)
    assert 'start the inspector with an agent' in (await page.post('runs/r/go-on', json={})).text
    assert (await page.post('runs/nothing/go-on', json={})).status_code == 404
    assert store.reads == 0


async def test_calls_are_made_again_with_other_arguments(filled: Path) -> None:
    journal = await copy_of(filled)
    page = client(journal, agent=journals.planner(journal=journal), may_change=True)
    run = (await runs_of(page, status='done'))[0]
    calls = {'b1': {'train': '09:42', 'seats': 4}}
    fork = (await page.post(f'runs/{run["id"]}/fork', json={'at': 2, 'calls': calls, 'run': True})).json()['id']
    deadline = time.monotonic() + 10
    while (now := (await page.get(f'runs/{fork}')).json())['run']['status'] != 'done':
        assert time.monotonic() < deadline, now['failure']
        await asyncio.sleep(0.02)
    (call,) = now['steps'][1]['calls']
    assert (call['args'], call['result']) == (calls['b1'], '4 seats on the 09:42 are booked.')


@pytest.mark.parametrize(
    'body',
    [
        {},
        {'at': 1, 'calls': 'x'},
        {'at': 1, 'calls': {'none': {}}},
        {'at': 1, 'calls': {'w1': 'x'}},
        {'at': True},
        {'at': 99},
        {'at': 2, 'edits': 'x'},
        {'at': 2, 'edits': [{}]},
        {'at': 2, 'edits': [{'message': 99, 'part': 0, 'value': 'x'}]},
        {'at': 2, 'edits': [{'message': -1, 'part': 0, 'value': 'x'}]},
        {'at': 2, 'edits': [{'message': 0, 'part': 0, 'value': {'no': 'text'}}]},
        {'at': 2, 'edits': [{'message': 1, 'part': 1, 'value': 'no object'}]},
        {'at': 2, 'edits': [{'message': 1, 'part': 0, 'value': 'thoughts are signed'}]},
    ],
)
async def test_a_fork_that_cannot_be_is_refused(filled: Path, body: Any) -> None:
    journal = await copy_of(filled)
    page = client(journal, may_change=True)
    failed = (await runs_of(page, status='failed'))[0]
    assert (await page.post(f'runs/{failed["id"]}/fork', json=body)).status_code in (400, 409)
    assert len(await runs_of(page)) == 3


async def test_a_run_that_waits_is_answered(filled: Path) -> None:
    journal = await copy_of(filled)
    page = client(journal, agent=journals.planner(journal=journal), may_change=True)
    waiting = (await runs_of(page, status='waiting'))[0]
    (call,) = (await page.get(f'runs/{waiting["id"]}')).json()['waiting']
    wrong = {'id': call['id'], 'action': 'allow', 'digest': 'other'}
    assert (await page.post(f'runs/{waiting["id"]}/answer', json={'decisions': [wrong]})).status_code == 409
    listed = {'id': call['id'], 'action': 'allow', 'digest': call['digest'], 'args': ['A-17', 1]}
    assert (await page.post(f'runs/{waiting["id"]}/answer', json={'decisions': [listed]})).status_code == 400
    right = {'id': call['id'], 'action': 'allow', 'digest': call['digest'], 'args': {'order': 'A-17', 'amount': 1}}
    assert (await page.post(f'runs/{waiting["id"]}/answer', json={'decisions': [right]})).status_code == 200
    deadline = time.monotonic() + 10
    while (now := (await page.get(f'runs/{waiting["id"]}')).json())['run']['status'] != 'done':
        assert time.monotonic() < deadline, now['failure']
        await asyncio.sleep(0.02)
    assert now['steps'][0]['calls'][0]['result'] == '1.00 EUR paid back.'
    assert now['steps'][0]['waits'][0]['until'] is not None


async def test_browsers_need_the_token(filled: Path) -> None:
    page = client(Journal(filled), token='secret')
    assert (await page.get('runs')).status_code == 403
    assert (await page.get('runs', headers={'x-stead-token': 'sécret'.encode()})).status_code == 403
    assert (await page.get('runs', headers={'x-stead-token': 'secret'})).status_code == 200


HOSTILE = [
    b'',
    b'not json',
    b'[]',
    b'{"prompt": 3}',
    b'{"usage": {"input_tokens": "x"}}',
    b'\xff\xfe',
    b'{"messages": [{"message": 3}]}',
    b'{"step": 1, "by": "x", "hook": "x", "did": "x", "same": true}',
    b'{"step": "x", "by": {}, "hook": [], "changes": 3}',
    b'\x01x',
]


@pytest.mark.parametrize('site', [None, 'cross-site', 'same-origin', 'none'])
async def test_a_page_that_opened_this_one_has_no_hold_on_it(site: str | None) -> None:
    """A browser that was given the address by a person is spared the change of processes."""
    page = client(Journal())
    response = await page.get('http://localhost/', headers={'sec-fetch-site': site} if site else {})
    assert response.headers.get('cross-origin-opener-policy') == (None if site == 'none' else 'same-origin')


async def test_hostile_journals_are_listed_and_do_no_harm() -> None:
    store = MemoryStore()
    for number, body in enumerate(HOSTILE):
        for kind in ('begun', 'response', 'ended', 'changed', 'sent'):
            run = RunInfo(run_id=f'<img src=x>{number}{kind}', agent='<script>', begun_at=number + 1.0, last_seq=1)
            store.create(run, [Record(1, kind, 1.0, body)])
    page = client(Journal(store))
    runs = await runs_of(page)
    assert len(runs) == 5 * len(HOSTILE)
    for run in runs:
        assert (await page.get(f'runs/{run["id"]}')).status_code in (200, 409), run


def long_run(steps: int) -> list[Record]:
    """Return the records of a run that calls a tool in each step."""
    begun = {'prompt': 'a prompt', 'conversation': None, 'agent': {}, 'messages': [], 'new': 0}
    records = [Record(1, 'begun', 0.0, json.dumps(begun).encode())]
    usage = {'input_tokens': 1_000, 'output_tokens': 10}
    for step in range(1, steps + 1):
        call = {'part_kind': 'tool-call', 'tool_name': 'look', 'args': {'n': step}, 'tool_call_id': f'c{step}'}
        answer = {'part_kind': 'tool-return', 'tool_name': 'look', 'content': 'seen', 'tool_call_id': f'c{step}'}
        prompt = {'part_kind': 'user-prompt', 'content': 'begin'}
        request = {
            'message': {
                'kind': 'request',
                'parts': [prompt if step == 1 else {**answer, 'tool_call_id': f'c{step - 1}'}],
            }
        }
        response = {'message': {'kind': 'response', 'parts': [call], 'model_name': 'gpt-5-mini', 'usage': usage}}
        for kind, body in (
            ('request', {'step': step, 'messages': [request]}),
            ('response', {'messages': [response], 'usage': {'requests': step, **usage}}),
            ('calling', {'id': f'c{step}', 'tool': 'look', 'effect': 'read'}),
            ('answered', {'id': f'c{step}', 'parts': [answer]}),
        ):
            records.append(Record(len(records) + 1, kind, step * 1.0, json.dumps(body).encode()))
    return records


async def test_ten_thousand_runs_and_a_thousand_steps_take_little_work(tmp_path: Path) -> None:
    """What is read has a bound, whatever the machine; `make bench-inspector` measures the seconds."""

    class Counting(SqliteStore):
        reads = rows = 0

        def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
            found = super().read(run_id, after, limit)
            Counting.reads, Counting.rows = Counting.reads + 1, Counting.rows + len(found)
            return found

    store = Counting(tmp_path / 'many.db')
    store.open()
    begun = b'{"prompt":"a prompt of run %d","conversation":null,"agent":{},"messages":[],"new":0}'
    for number in range(10_000):
        run = RunInfo(run_id=f'run-{number:05}', agent='many', status='done', begun_at=float(number), last_seq=1)
        store.create(run, [Record(1, 'begun', float(number), begun % number)])
    records = long_run(1_000)
    store.create(RunInfo(run_id='long', status='done', begun_at=20_000.0, last_seq=len(records), steps=1_000), records)
    page = client(Journal(store))
    for path, reads, rows in (
        ('runs', 101, 99 + 404),
        ('runs', 0, 0),
        ('runs/long', 1, 4_001),
    ):
        Counting.reads = Counting.rows = 0
        answer = await page.get(path)
        assert answer.status_code == 200
        assert Counting.reads <= reads, path
        assert Counting.rows <= rows, path
    assert len(answer.json()['steps']) == 1_000
    store.close()


def with_news(trace: dict[str, Any], news: dict[str, Any]) -> dict[str, Any]:
    """Return a trace with what is new in it, as the page puts them together."""
    if 'since' not in news:
        return trace if 'messages' not in news else news
    messages, lists, steps = [*trace['messages']], [*trace['lists']], {one['step']: one for one in trace['steps']}
    for number, message in news['messages'].items():
        messages[int(number) :] = [message, *messages[int(number) + 1 :]]
    for number, more in news['lists'].items():
        place = int(number)
        lists[place:] = [[*(lists[place] if place < len(lists) else [])[: more['from']], *more['more']]]
    for step in news['steps']:
        calls = {call['id']: call for call in steps.get(step['step'], {'calls': []})['calls']}
        calls.update((call['id'], call) for call in step['calls'])
        steps[step['step']] = {**step, 'calls': [*calls.values()]}
    children = {one['id']: one for one in trace['children']} | news.get('children', {})
    tables = {name: [*trace.get(name, []), *news[name]] for name in ('acts', 'sent') if name in news}
    return {
        **trace,
        'run': trace['run'] | news.get('run', {}),
        'waiting': news.get('waiting', trace['waiting']),
        'forks': news.get('forks', trace['forks']),
        'messages': messages,
        'lists': lists,
        'steps': [*steps.values()],
        'children': [*children.values()],
        'cursor': news['cursor'],
        **tables,
    }


class Growing:
    """A store that is filled record by record, in the order of time in which another store was."""

    def __init__(self, store: Any) -> None:
        self.store = MemoryStore()
        runs = reversed(store.find(RunFilter(limit=1_000)))
        self._runs = {run.run_id: run for run in runs}
        self._left = {run_id: store.read(run_id) for run_id in self._runs}
        self._tokens: dict[str, int] = {}

    def grow(self, run_id: str) -> bool:
        """Write one more record of a run; return whether there was one."""
        if not self._left[run_id]:
            return False
        record = self._left[run_id].pop(0)
        run = self._runs[run_id]
        if run_id not in self._tokens:
            fresh = replace(run, status='running', last_seq=record.seq - 1, steps=0, token=0, holder=None, turn=None)
            self.store.create(fresh)
            self._tokens[run_id] = self.store.acquire(run_id, 'growing', time.time(), 60.0) or 0
        status = 'running' if self._left[run_id] else run.status
        refused = self.store.append([Entry(run_id, self._tokens[run_id], [record], status, run.steps)], durable=False)
        assert not refused
        return True


@pytest.mark.parametrize('every', [1, 3])
async def test_what_is_new_in_a_run_adds_up_to_the_whole(filled: Path, every: int) -> None:
    original = SqliteStore(filled)
    original.open()
    growing = Growing(original)
    original.close()
    page = client(Journal(growing.store))
    seen: dict[str, dict[str, Any]] = {}
    news = 0
    for number, run_id in enumerate(growing._runs):
        while growing.grow(run_id):
            number += 1
            if number % every:
                continue
            for one in [run_id, *seen]:  # those that have inner runs change with these
                since = {'since': seen[one]['cursor']} if one in seen else {}
                answer = (await page.get(f'runs/{one}', params=since)).json()
                news += 'since' in answer
                seen[one] = with_news(seen.get(one, {}), answer)
                whole = (await client(Journal(growing.store)).get(f'runs/{one}')).json()
                fields = {name: value for name, value in seen[one].items() if name not in ('cursor', 'failure')}
                assert fields == {name: value for name, value in whole.items() if name not in ('cursor', 'failure')}
    assert len(seen) == 5
    assert news > 10


async def test_a_run_that_goes_on_sends_only_what_is_new() -> None:
    """Counted in bytes, and in what is read of the store: following a run costs the same at its thousandth step as at its tenth."""

    class Counting(MemoryStore):
        rows = 0

        def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
            found = super().read(run_id, after, limit)
            Counting.rows += len(found)
            return found

    store = Counting()
    records = long_run(300)
    store.create(RunInfo(run_id='long', begun_at=1.0, last_seq=9), records[:9])
    token = store.acquire('long', 'test', time.time(), 60.0) or 0
    page = client(Journal(store))
    answer = await page.get('runs/long')
    sizes: list[int] = []
    for start in range(9, len(records), 8):  # two steps at a time
        store.append([Entry('long', token, records[start : start + 8], 'running', start // 4)], durable=False)
        Counting.rows = 0
        answer = await page.get('runs/long', params={'since': answer.json()['cursor']})
        assert Counting.rows <= 8
        assert len(answer.json()['steps']) <= 3
        sizes.append(len(answer.content))
    assert max(sizes[10:]) < 1.2 * max(sizes[:10])
    assert max(sizes) < 6_000
    whole = await page.get('runs/long')
    assert len(whole.content) > 50 * max(sizes)
    Counting.rows = 0
    nothing = await page.get('runs/long', params={'since': answer.json()['cursor']})
    assert (nothing.json(), Counting.rows) == ({'cursor': answer.json()['cursor'], 'failure': None}, 0)
    store.append([Entry('long', token, [], 'done', whole.json()['run']['steps'])], durable=False)
    over = (await page.get('runs/long', params={'since': answer.json()['cursor']})).json()
    assert (over['run'], over['steps'], over['messages']) == ({'status': 'done'}, [], {})
    Counting.rows = 0  # it is forgotten now, and yet not read again
    assert (await page.get('runs/long', params={'since': over['cursor']})).json()['cursor'] == over['cursor']
    assert Counting.rows == 0


@pytest.mark.parametrize('since', ['', 'x', 'x.1', '.', 'done.1', '1.²', '\x00', 'a' * 5_000])
async def test_a_place_that_is_not_known_is_given_everything(filled: Path, since: str) -> None:
    page = client(Journal(filled))
    for run in await runs_of(page):
        cursor = (await page.get(f'runs/{run["id"]}')).json()['cursor']
        for wrong in (since, cursor.split('.')[0] + '.' + since, cursor + '9'):
            answer = (await page.get(f'runs/{run["id"]}', params={'since': wrong})).json()
            assert len(answer['messages']) >= 1, wrong
            assert 'since' not in answer


async def test_the_costs_of_a_long_run_follow_what_is_shown_first() -> None:
    pytest.importorskip('genai_prices', reason='the package genai-prices is not installed')
    store = MemoryStore()
    records = long_run(150)
    store.create(RunInfo(run_id='long', status='done', begun_at=1.0, last_seq=len(records)), records)
    page = client(Journal(store))
    first = (await page.get('runs/long')).json()
    costs = [step['cost'] for step in first['steps']]
    assert (first['run']['cost'], all(costs[:100]), any(costs[100:])) == (None, True, False)
    second = (await page.get('runs/long', params={'since': first['cursor']})).json()
    assert (len(second['steps']), second['messages']) == (50, {})
    merged = with_news(first, second)
    assert merged['run']['cost'] == pytest.approx(sum(step['cost'] for step in merged['steps']))
    third = (await page.get('runs/long', params={'since': second['cursor']})).json()
    assert third == {'cursor': second['cursor'], 'failure': None}
    assert (await trace_of(Journal(store), 'long'))['run']['cost'] == merged['run']['cost']


async def test_a_list_has_the_end_of_a_long_run() -> None:
    store = MemoryStore()
    records = long_run(300)
    error = {'type': 'RuntimeError', 'message': 'It was too long.'}
    usage = {'requests': 300, 'input_tokens': 300_000, 'output_tokens': 3_000, 'tool_calls': 300}
    end = json.dumps({'how': 'failed', 'error': error, 'usage': usage}).encode()
    records.append(Record(len(records) + 1, 'ended', 2.0, end))
    store.create(RunInfo(run_id='long', status='failed', begun_at=1.0, last_seq=len(records)), records)
    (row,) = await runs_of(client(Journal(store)))
    assert (row['prompt'], row['error'], row['tokens']) == ('a prompt', 'It was too long.', 303_000)
    assert row['cost'] is None  # and not that of its first steps


async def test_few_runs_that_go_on_are_kept() -> None:
    store = MemoryStore()
    for number in range(MOST_FOLLOWED + 3):
        store.create(RunInfo(run_id=f'r{number}', begun_at=number + 1.0, last_seq=5), long_run(1))
    page = client(Journal(store))
    cursors = [(await page.get(f'runs/r{number}')).json()['cursor'] for number in range(MOST_FOLLOWED + 3)]
    answers = [(await page.get(f'runs/r{n}', params={'since': cursors[n]})).json() for n in (MOST_FOLLOWED + 2, 0)]
    assert ['messages' in answer for answer in answers] == [False, True]


async def test_a_list_that_stays_the_same_is_not_sent_again_and_not_read_again(filled: Path) -> None:
    page = client(Journal(filled))
    first = (await page.get('runs')).json()
    assert (await page.get('runs', params={'known': first['digest']})).json() == {'same': True}
    assert (await page.get('runs', params={'known': 'x'})).json() == first
    assert (await page.get('runs', params={'known': first['digest'], 'inner': '1'})).json()['runs']


POSTS = [
    ('fork', {'at': 1}),
    ('fork', {'at': 1, 'run': True, 'model': 'test'}),
    ('answer', {'decisions': []}),
    ('answer', {'decisions': [{'id': 'x', 'action': 'allow'}]}),
    ('go-on', {}),
    ('delete', {}),
    ('../../runs', {}),
    ('', {}),
]


def files_of(path: Path) -> dict[str, bytes]:
    """Return what is in a journal's file and in its log."""
    return {name: (path.parent / name).read_bytes() for name in (path.name, f'{path.name}-wal')}


@pytest.mark.parametrize('may_change', [False, True])  # with True, only the file itself is in the way
async def test_what_was_opened_to_be_read_is_not_written_while_others_write(tmp_path: Path, may_change: bool) -> None:
    path = tmp_path / 'runs.db'
    await journals.fill(path)
    other = SqliteStore(path)  # stands for another process: it has the file open, and its log is not empty
    other.open()
    other.create(RunInfo(run_id='other', agent='other', begun_at=time.time(), last_seq=1), long_run(0))
    token = other.acquire('other', 'other', time.time(), 60.0) or 0
    agent = journals.planner() if may_change else None
    app = create_inspector(Journal(SqliteStore(path, read_only=True)), may_change=may_change, agent=agent)
    transport = httpx.ASGITransport(app=app)
    page = httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/')
    before = files_of(path)
    assert before[f'{path.name}-wal']
    runs = await runs_of(page)
    assert len(runs) == 4
    for number, run in enumerate(runs, start=2):
        assert (await page.get(f'runs/{run["id"]}')).status_code == 200
        for action, body in POSTS:
            answer = await page.post(f'runs/{run["id"]}/{action}', json=body)
            is_started = may_change and action == 'go-on'  # that fails in the background, and the page says so
            assert answer.status_code == 200 if is_started else answer.status_code >= 400, (action, body)
        assert files_of(path) == before
        other.append(
            [Entry('other', token, [Record(number, 'request', 1.0, b'{"step": 1}')], 'running', 1)], durable=True
        )
        before = files_of(path)
        seen = (await page.get('runs/other')).json()['run']
        assert (seen['seq'], seen['status']) == (number, 'running')  # it reads what is written meanwhile
    for method in ('PUT', 'DELETE', 'PATCH'):
        assert (await page.request(method, f'runs/{runs[0]["id"]}')).status_code == 405
    await asyncio.sleep(0.1)
    assert files_of(path) == before
    other.close()


async def test_a_journal_that_is_only_read_refuses_to_be_written(filled: Path) -> None:
    journal: Journal[Any] = Journal(SqliteStore(filled, read_only=True))
    before = content(filled)
    run = (await journal.runs())[0]
    with pytest.raises(StoreError, match='add a run to the journal .* opened to be read only'):
        await journal.fork(run.run_id, at=1)
    with pytest.raises(StoreError, match='read only'):
        await journal.prune(older_than=0)
    with pytest.raises(StoreError, match='read only'):
        await journals.planner().run('Refund', capabilities=[journal])
    assert content(filled) == before


async def test_a_file_of_an_older_version_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / 'old.db'
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f'PRAGMA journal_mode=WAL; {MIGRATIONS[0]} PRAGMA user_version=1;')
    with closing(sqlite3.connect(path)) as connection, connection:
        values = ('r1', 'old', 'done', 1.0, 1.0, 0, 1, 0, 0, 0.0)
        names = 'run_id, agent, status, begun_at, updated_at, steps, last_seq, base_seq, token, lease_until'
        connection.execute(f'INSERT INTO runs ({names}) VALUES ({", ".join("?" * len(values))})', values)
        connection.execute('INSERT INTO records VALUES (1, 1, ?, 1.0, ?)', ('begun', long_run(0)[0].body))
    before = content(path)
    page = client(Journal(SqliteStore(path, read_only=True)))
    assert [(run['id'], run['prompt']) for run in await runs_of(page)] == [('r1', 'a prompt')]
    assert content(path) == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute('PRAGMA user_version').fetchone() == (1,)


async def test_a_file_that_is_no_journal_is_not_made_one(tmp_path: Path) -> None:
    (tmp_path / 'empty.db').touch()
    for name, message in (('empty.db', 'is not a journal'), ('none.db', 'unable to open')):
        answer = await client(Journal(SqliteStore(tmp_path / name, read_only=True))).get('runs')
        assert answer.status_code == 409
        assert message in answer.json()['error']
    assert os.listdir(tmp_path) == ['empty.db']
    assert content(tmp_path / 'empty.db') == b''
