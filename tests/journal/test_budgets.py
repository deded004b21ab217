"""Budgets that processes share in the store of a journal: never over, nothing counted twice, nothing left reserved by the dead."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, Budget, BudgetExceeded, UserError
from stead.budgets.account import AccountChange, AccountState, Amounts
from stead.journal import EncryptedStore, Journal, MemoryStore, PostgresStore, SqliteStore
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.usage import RequestUsage
from tests.journal.conftest import PostgresServer

pytestmark = pytest.mark.anyio
LIMITS = [None, 10_000, 50, None]
WORKER = """
import asyncio, random, sys
from stead import Agent, Budget, BudgetExceeded
from stead.journal import PostgresStore, SqliteStore
from stead.messages import ModelResponse, TextPart
from stead.models.function import FunctionModel
from stead.usage import RequestUsage

async def answer(messages, info):
    await asyncio.sleep(random.random() / 100)
    return ModelResponse([TextPart('x')], usage=RequestUsage(input_tokens=10, output_tokens=random.randint(1, 90)))

async def main(kind, where, schema, tokens):
    store = SqliteStore(where) if kind == 'sqlite' else PostgresStore(where, schema=schema)
    agent, budget = Agent(FunctionModel(answer)), Budget(name='all', tokens=int(tokens), store=store)
    async def child():
        while True:
            await agent.run('go', budget=budget, model_settings={'max_tokens': 90})
    print('ready', flush=True)
    outcomes = await asyncio.gather(*[child() for _ in range(4)], return_exceptions=True)
    assert all(isinstance(one, BudgetExceeded) for one in outcomes), outcomes
    store.close()

asyncio.run(main(*sys.argv[1:]))
"""


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart('x')], usage=RequestUsage(input_tokens=10, output_tokens=5))


def look(store: Any) -> AccountState:
    return store.change_budget('all', AccountChange('', LIMITS))


async def test_processes_share_a_budget_in_a_file(tmp_path: Path) -> None:
    stores = [SqliteStore(tmp_path / 'runs.db') for _ in range(2)]
    budgets = [Budget(name='all', requests=7, store=store) for store in stores]
    agent = Agent(FunctionModel(answer))
    runs = [agent.run('go', budget=budget) for budget in budgets for _ in range(6)]
    outcomes = await asyncio.gather(*runs, return_exceptions=True)
    assert sum(isinstance(one, BudgetExceeded) for one in outcomes) == 5
    for store in stores:
        assert look(store) == AccountState(Amounts(0, 7 * 15, 7), Amounts())
        store.close()


def test_what_a_process_counts_is_counted_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / 'runs.db')
    one = AccountChange('', LIMITS, reserve=[('a', Amounts(0, 900, 1), False)])
    assert store.change_budget('all', one).reserved == Amounts(0, 900, 1)
    assert store.change_budget('all', one).reserved == Amounts(0, 900, 1)  # the same reservation
    count = AccountChange('', LIMITS, used=[('a', Amounts(0, 5, 1))])
    assert [store.change_budget('all', count).total for _ in range(2)] == [Amounts(0, 5, 1)] * 2
    too_much = AccountChange('', LIMITS, reserve=[('b', Amounts(0, 9_996, 1), False)])
    assert store.change_budget('all', too_much).exceeded == 1
    assert look(store).reserved == Amounts()
    store.close()


def test_windows_in_a_file_only_go_forward(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / 'runs.db')
    totals = [
        store.change_budget('all', AccountChange(day, LIMITS, spend=Amounts(requests=1))).total.requests
        for day in ('2026-11-27', '2026-11-28', '2026-11-27', '2026-11-28')
    ]
    assert totals == [1, 1, 2, 3]
    store.close()


def test_reservations_of_processes_on_lost_machines_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, started = SqliteStore(tmp_path / 'runs.db'), time.time()
    # Nothing tells whether a process of another machine lives.
    monkeypatch.setattr('stead.journal._sqlite.holder_here', lambda: 'elsewhere')
    store.change_budget('all', AccountChange('', LIMITS, reserve=(('one', Amounts(requests=1), False),)))
    monkeypatch.undo()
    rows = []
    for days, reserved in ((0, 1), (1, 0), (8, 0)):
        monkeypatch.setattr('stead.journal._budgets.time.time', lambda days=days: started + days * 24 * 3600)
        assert look(store).reserved.requests == reserved
        with sqlite3.connect(tmp_path / 'runs.db') as connection:
            rows += connection.execute('SELECT count(*) FROM reservations').fetchone()
        connection.close()
    assert rows == [1, 1, 0]
    store.close()


async def use_up(store: Any, tokens: int) -> None:
    agent, budget = Agent(FunctionModel(answer)), Budget(name='all', tokens=tokens, store=store)
    left = tokens - look(store).total.tokens
    await budget.change(spend=Amounts(tokens=left - left % 15 - 150))  # most of it at once
    with pytest.raises(BudgetExceeded):
        while True:
            await agent.run('go', budget=budget, model_settings={'max_tokens': 5})


def killed_at_random(arguments: list[str], store: Any, *, tokens: int, processes: int, kills: int) -> None:
    """Let processes use up a budget, kill some, and check what they have left."""
    draw, alive = random.Random(5), list[subprocess.Popen[bytes]]()

    def start() -> None:
        alive.append(subprocess.Popen([sys.executable, '-c', WORKER, *arguments, str(tokens)], stdout=subprocess.PIPE))

    for _ in range(processes):
        start()
    try:
        for number in range(kills):
            victim = alive.pop(draw.randrange(len(alive)))
            assert victim.stdout is not None
            victim.stdout.readline()  # it has started
            time.sleep(draw.random() / 20)
            os.kill(victim.pid, signal.SIGKILL)
            victim.communicate()
            assert look(store).total.tokens <= tokens
            if processes > 1 and number % processes == 0:
                start()
        if not alive:
            asyncio.run(use_up(store, tokens))
        assert [process.wait(60) for process in alive] == [0] * len(alive)
    finally:
        for process in alive:
            process.kill()
            process.communicate()
    state = look(store)
    assert tokens - 250 <= state.total.tokens <= tokens  # there is no room for another request
    assert state.reserved == Amounts()


def test_processes_that_are_killed_leave_nothing_reserved(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / 'runs.db')
    killed_at_random(['sqlite', str(tmp_path / 'runs.db'), ''], store, tokens=20_000, processes=1, kills=1)
    store.close()


@pytest.mark.skipif(os.environ.get('STEAD_TRUST_FULL') != '1', reason='a server is started; `make trust` runs this')
def test_fifty_processes_that_are_killed_leave_nothing_reserved_in_postgres(postgres: PostgresServer) -> None:
    for _ in range(10):
        schema = postgres.new_schema()
        store = PostgresStore(postgres.url, schema=schema)
        killed_at_random(['postgres', postgres.url, schema], store, tokens=10_000, processes=4, kills=5)
        store.close()


async def test_a_run_that_continues_counts_what_it_used_before_once() -> None:
    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        response = answer(messages, info)
        return ModelResponse([ToolCallPart('work', {})], usage=response.usage) if len(messages) < 3 else response

    journal, tries = Journal(MemoryStore()), list[int]()
    agent = Agent(FunctionModel(ask), name='worker', capabilities=[journal])

    @agent.tool_plain(effect='read')
    def work() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise RuntimeError('down')
        return 'x'

    for same in (True, False):
        tries.clear()
        budget = Budget(requests=10)
        with pytest.raises(RuntimeError):
            await agent.run('go', run_id=f'run {same}', budget=budget)
        after = budget if same else Budget(requests=10)  # in another process it is another object
        await journal.resume(agent, f'run {same}', budget=after)
        assert (after.used.requests, after.used.tokens) == (2, 30)


@pytest.mark.parametrize('limit', [12, 4])
async def test_calls_at_the_same_time_count_each(tmp_path: Path, limit: int) -> None:
    store = SqliteStore(tmp_path / 'runs.db')
    budget = Budget(name='all', tool_calls=limit, on_limit='finish', store=store)

    def calls(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        first = len(messages) == 1
        return ModelResponse([ToolCallPart('look') for _ in range(8)] if first else [TextPart('done')])

    agent, ran = Agent(FunctionModel(calls)), list[int]()

    @agent.tool_plain
    async def look() -> str:
        ran.append(1)
        return 'x'

    assert (await agent.run('go', budget=budget)).output == 'done'
    assert len(ran) == min(limit, 8)
    assert store.change_budget('all', AccountChange('', [None, None, None, limit])).total.tool_calls == len(ran)
    store.close()


async def test_a_budget_lies_beside_an_encrypted_journal(tmp_path: Path) -> None:
    pytest.importorskip('cryptography')
    key = EncryptedStore.new_key()
    for _ in range(2):  # as two processes
        store = EncryptedStore(tmp_path / 'runs.db', key)
        agent = Agent(FunctionModel(answer), capabilities=[Journal(store)])
        await agent.run('go', budget=Budget(name='all', requests=2, store=store))
    store = SqliteStore(tmp_path / 'runs.db')
    with pytest.raises(BudgetExceeded):
        await agent.run('go', budget=Budget(name='all', requests=2, store=store))
    store.close()
    with pytest.raises(UserError, match='keeps no budgets'):
        await agent.run('go', budget=Budget(name='all', requests=2, store=EncryptedStore(MemoryStore(), key)))
