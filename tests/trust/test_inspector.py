"""The inspector may fork runs and answer for people; what else is sent there decides nothing. Each test is a promise."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

pytest.importorskip('starlette', reason='the package starlette is not installed')

import httpx

from stead.journal import Journal, MemoryStore
from stead.messages import ToolCallPart
from stead.ui._pages._inspector import create_inspector

from ..waiting import until
from .agents import RAN, wiping

pytestmark = pytest.mark.anyio

ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 10**30, 1.5, '', 'a', 'C1', 'x' * 10_000, [], ['c1'], {}, {'c1': 1}, {'id': 'c1'}),
]
APPROVE = {'decisions': [{'id': 'c1', 'action': 'allow'}]}


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


class Page:
    """An inspector of a journal with one run that waits for an approval of `c1`."""

    journal: Journal[Any]
    run_id: str
    client: httpx.AsyncClient

    @classmethod
    async def open(cls, **options: Any) -> Page:
        RAN.clear()
        page = cls()
        page.journal = Journal(MemoryStore())
        agent = wiping([ToolCallPart('wipe', {'p': 'a'}, 'c1')], name='desk')
        page.run_id = (await agent.run('go', capabilities=[page.journal])).run_id
        options = {'agent': agent, 'may_change': True, **options}
        transport = httpx.ASGITransport(app=create_inspector(page.journal, **options))
        page.client = httpx.AsyncClient(transport=transport, base_url='http://localhost/api/inspect/')
        return page

    async def post(self, action: str, body: Any, run_id: str | None = None, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.client.post(
            f'runs/{self.run_id if run_id is None else run_id}/{action}',
            content=content,
            headers={'content-type': 'application/json', **headers},
        )

    async def is_waiting(self) -> bool:
        """Whether the run waits as before, and nothing has run."""
        return [one.run.run_id for one in await self.journal.waiting()] == [self.run_id] and RAN == []


async def test_what_is_no_decision_decides_nothing() -> None:
    page = await Page.open()
    decisions: list[Any] = [
        *({'id': call_id, 'action': 'allow'} for call_id in ODD),
        *({'id': 'c1', 'action': action} for action in (*ODD, 'approve', 'ALLOW', 'allow ')),
        *({'id': 'c1', 'action': 'allow', 'digest': digest} for digest in (*ODD, 'a' * 64)),
        *(
            {'id': 'c1', 'action': 'allow', 'args': args}
            for args in ODD
            if args is not None and not isinstance(args, dict)
        ),
        *ODD,
    ]
    for decision in decisions:
        answer = await page.post('answer', {'decisions': [decision]})
        assert (answer.status_code in (400, 409), await page.is_waiting()) == (True, True), (decision, answer.text)
    for body in (
        *ODD,
        *({'decisions': value} for value in ODD),
        b'',
        b'[',
        b'[' * 100_000,
        b'\xff',
        b'{"decisions":NaN}',
    ):
        answer = await page.post('answer', body)
        assert (answer.status_code in (400, 409), await page.is_waiting()) == (True, True), (body, answer.text)


async def test_a_decision_about_another_run_or_none_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    page = await Page.open()
    for run_id in (
        '',
        '..',
        '%00',
        '%ff',
        'x' * 5_000,
        page.run_id[:8],
        f'{page.run_id}%00',
        'a%0aWARNING:root:forged',
    ):
        for action in ('answer', 'fork', 'go-on'):
            with caplog.at_level(logging.WARNING):
                answer = await page.post(action, {**APPROVE, 'at': 1}, run_id)
            assert answer.status_code in (404, 405, 409), (run_id, action, answer.text)
            assert len(answer.text) < 700
    assert (await page.is_waiting(), caplog.messages) == (True, [])


async def test_a_fork_that_makes_no_sense_is_refused_and_one_that_does_approves_nothing() -> None:
    page = await Page.open()
    bodies: list[Any] = [
        *({'at': at} for at in ODD if at != 1 or isinstance(at, bool)),
        *({'at': 1, 'edits': edits} for edits in ODD if edits),
        *(
            {'at': 1, 'edits': [{'message': number, 'part': 0, 'value': 'x'}]}
            for number in ODD
            if number or number is None
        ),
        *(
            {'at': 1, 'edits': [{'message': 0, 'part': number, 'value': 'x'}]}
            for number in ODD
            if number or number is None
        ),
        *(
            {'at': 1, 'edits': [{'message': 0, 'part': 0, 'value': value}]}
            for value in ODD
            if not isinstance(value, str)
        ),
        *({'at': 1, 'calls': calls} for calls in ODD if calls and calls != {'id': 'c1'}),
    ]
    for body in bodies:
        answer = await page.post('fork', body)
        assert answer.status_code in (400, 409), (body, answer.text)
    assert await page.is_waiting()
    forked = (
        await page.post('fork', {'at': 1, 'run': True, 'edits': [{'message': 0, 'part': 0, 'value': 'wipe it'}]})
    ).json()
    while len(await page.journal.waiting()) != 2:  # noqa: ASYNC110 - the run continues in a task
        await asyncio.sleep(0.001)
    assert RAN == [], 'the fork asks, too'
    assert (await page.post('answer', {**APPROVE, 'run': False})).status_code == 200
    assert [one.run.run_id for one in await page.journal.waiting()] == [forked['id']], 'an approval is for one run'


@pytest.mark.parametrize(
    'headers',
    [
        {'origin': 'http://evil.example'},
        {'origin': 'null'},
        {'sec-fetch-site': 'cross-site'},
        {'host': 'evil.example'},
    ],
    ids=repr,
)
async def test_pages_of_other_sites_decide_nothing(headers: dict[str, str]) -> None:
    page = await Page.open()
    for action, body in (('answer', APPROVE), ('fork', {'at': 1, 'run': True}), ('go-on', {})):
        assert (await page.post(action, body, **headers)).status_code in (400, 403, 421), action
    assert await page.is_waiting()
    assert len(await page.journal.runs()) == 1


@pytest.mark.parametrize('token', [None, '', 'wrong', 'SECRET', 'secret '])
async def test_who_does_not_know_the_token_decides_nothing(token: str | None) -> None:
    page = await Page.open(token='secret')
    headers = {} if token is None else {'x-stead-token': token}
    for action, body in (('answer', APPROVE), ('fork', {'at': 1}), ('go-on', {})):
        assert (await page.post(action, body, **headers)).status_code == 403
    assert await page.is_waiting()


async def test_where_nothing_may_change_nothing_is_decided() -> None:
    page = await Page.open(may_change=False)
    for action, body in (('answer', APPROVE), ('fork', {'at': 1}), ('go-on', {})):
        assert (await page.post(action, body)).status_code == 403
    assert await page.is_waiting()


async def test_a_decision_counts_once() -> None:
    page = await Page.open()
    assert (await page.post('answer', {**APPROVE, 'run': False})).status_code == 200
    again = await page.post('answer', {'decisions': [{'id': 'c1', 'action': 'deny'}], 'run': False})
    assert (again.status_code, RAN) == (409, [])
    assert (await page.post('go-on', {})).status_code == 200
    assert (await page.post('go-on', {})).status_code in (200, 409)
    await until(lambda: RAN != [])
    assert RAN == [('wipe', 'a')]
