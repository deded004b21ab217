"""What is kept in memory for anyone who sends has bounds, in bytes, that can be set, and an error that names them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent
from stead.journal import Journal, MemoryStore, StoreError
from stead.models.test import TestModel
from stead.ui.a2a import RecentStorage, agent_to_a2a
from stead.ui.web import _app
from tests.ui.test_a2a import ask, client_of, send, text


def held(store: MemoryStore) -> int:
    """Return how many bytes of records a store has."""
    return sum(len(record.body) for run_id in [*store._runs] for record in store.read(run_id))


def test_a_journal_in_memory_that_is_full_is_an_error_that_names_its_bound() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(max_bytes=20_000))
        agent: Agent[None, str] = Agent(TestModel(), capabilities=[journal])
        await agent.run('x')
        with pytest.raises(StoreError, match=r'20000 bytes \(`MemoryStore\(max_bytes=...\)`\), and is full'):
            await agent.run('x' * 30_000)
        assert len(await journal.runs()) == 1
        await journal.prune(older_than=0)
        await agent.run('x' * 5_000)

    asyncio.run(main())


def test_conversations_that_are_oldest_are_forgotten_as_a_whole() -> None:
    async def main() -> None:
        store = MemoryStore(max_bytes=100_000, when_full='forget')
        journal: Journal[Any] = Journal(store, conversations=True)
        agent: Agent[None, str] = Agent(TestModel(), capabilities=[journal])
        await agent.run('first', conversation_id='kept')
        for number in range(20):
            for _ in range(2):
                await agent.run('x' * 10_000, conversation_id=f'c{number}')
            await agent.run('more', conversation_id='kept')
            assert held(store) <= 100_000
        assert len(await journal.conversation('kept').messages()) == 42  # each run continues from all before
        assert await journal.conversation('c0').messages() == []
        assert len(await journal.conversation('c19').messages()) == 4
        with pytest.raises(StoreError, match='is full'):
            await agent.run('x' * 200_000, conversation_id='large')

    asyncio.run(main())


def test_a_page_without_a_journal_forgets_what_is_oldest() -> None:
    store = _app.ChatApi(
        _app.WebChat(Agent(TestModel()), models=None, native_tools=[], streams=None, options={})
    ).journal.store
    assert isinstance(store, MemoryStore)
    assert (store.when_full, store.max_bytes) == ('forget', 256_000_000)


def test_tasks_of_a2a_have_a_bound() -> None:
    async def main() -> None:
        storage = RecentStorage()
        storage.most_text = 30_000
        app = agent_to_a2a(Agent(TestModel(custom_output_text='yes')), storage=storage)
        async with client_of(app) as client:
            for _ in range(6):
                task = await ask(client, text('x' * 10_000))
                assert task['status']['state'] == 'completed'
            assert sum(len(str(task)) for task in storage.tasks.values()) < 40_000
            assert len(storage.contexts) == 2
            response = await send(client, text('x' * 40_000))
        error = response.json()['error']
        assert 'the limits are 1000 (`RecentStorage.most`) and 30000 (`most_text`)' in error['data']

    asyncio.run(main())
