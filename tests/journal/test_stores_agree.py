"""All stores do the same: random operations on each of them, through two connections, return what they return in memory."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stead.journal import (
    EncryptedStore,
    Entry,
    MemoryStore,
    PostgresStore,
    Record,
    RunFilter,
    RunInfo,
    SqliteStore,
    Store,
)
from tests.journal.conftest import PostgresServer

RUNS = [f'run-{number}' for number in range(4)]
STATES: Any = ('running', 'waiting', 'done', 'failed')
Operation = Callable[[Store], Any]


def draw(chance: random.Random, model: Store) -> Operation:
    """Return something to do with a store, which often, but not always, fits what the model has."""
    run_id = chance.choice(RUNS)
    known = model.get(run_id) or RunInfo(run_id)
    token = known.token if chance.random() < 0.8 else chance.randint(1, 4)
    maybe: Callable[[Any], Any] = lambda value: value if chance.random() < 0.4 else None  # noqa: E731
    now = chance.uniform(0, 40)
    match chance.choice(
        (
            'create',
            'create',
            'append',
            'append',
            'append',
            'acquire',
            'renew',
            'release',
            'read',
            'find',
            'delete',
            'again',
        )
    ):
        case 'create':
            new = RunInfo(
                run_id,
                agent=maybe('agent'),
                status=chance.choice(STATES),
                key=maybe(chance.choice('kl')),
                parent_id=maybe(chance.choice(RUNS)),
                conversation_id=maybe('talk'),
                begun_at=chance.choice((1.0, 2.0, now)),
                updated_at=now,
                last_seq=2,
                base_id=maybe(chance.choice(RUNS)),
                token=1,
                holder=maybe('me'),
                lease_until=now,
            )
            return lambda store: store.create(
                new, [Record(1, 'begun', now, b'{}'), Record(2, 'request', now, b'\x00\xff')]
            )
        case 'append':
            first = known.last_seq + chance.choice((1, 1, 1, 1, 0, 2))
            entries = [
                Entry(
                    chance.choice((run_id, run_id, chance.choice(RUNS))),
                    token,
                    [
                        Record(seq, 'kind', now + seq, bytes([seq]))
                        for seq in range(first, first + chance.randint(0, 3))
                    ],
                    chance.choice(STATES),
                    chance.randint(0, 9),
                )
                for _ in range(chance.randint(1, 3))
            ]
            durable = chance.random() < 0.1
            return lambda store: store.append(entries, durable=durable)
        case 'acquire':
            holder, seconds = chance.choice('abc'), chance.uniform(0, 10)
            return lambda store: store.acquire(run_id, holder, now, seconds)
        case 'renew':
            leases = [(run_id, token), (chance.choice(RUNS), 1)]
            return lambda store: store.renew(leases, now)
        case 'release':
            return lambda store: store.release(run_id, token)
        case 'read':
            after, limit = chance.randint(0, 4), maybe(chance.randint(0, 3))
            return lambda store: (store.read(run_id, after, limit), store.get(run_id))
        case 'find':
            wanted = RunFilter(
                status=maybe(chance.choice(STATES)),
                parent_id=maybe(run_id),
                conversation_id=maybe('talk'),
                key=maybe('k'),
                base_id=maybe(run_id),
                is_inner=maybe(chance.random() < 0.5),
                updated_before=maybe(now),
                free_at=maybe(now),
                before=maybe((2.0, run_id)),
                limit=chance.choice((1, 2, 100)),
            )
            return lambda store: store.find(wanted)
        case 'delete':
            return lambda store: store.delete([run_id])
    return lambda store: (store.close(), store.open())


def play(seed: int, one: Store, two: Store) -> None:
    chance, model = random.Random(seed), MemoryStore()
    for store in (one, two):
        store.open()
    outcomes: list[Any] = []
    try:
        for number in range(60):
            operation = draw(chance, model)
            expected = operation(model)
            found = operation(chance.choice((one, two)))
            outcomes.append(found)
            assert found == expected, f'operation {number} of seed {seed}'
        assert one.find(RunFilter()) == model.find(RunFilter())
        for run_id in RUNS:
            assert two.read(run_id) == model.read(run_id)
        one.delete(RUNS)
    finally:
        one.close()
        two.close()


def test_two_stores_of_one_file_agree_with_one_in_memory(tmp_path: Path) -> None:
    for seed in range(30):
        play(seed, SqliteStore(tmp_path / 'runs.db'), SqliteStore(tmp_path / 'runs.db'))


def test_encrypted_stores_agree_with_one_in_memory(tmp_path: Path) -> None:
    pytest.importorskip('cryptography')
    key = EncryptedStore.new_key()
    for seed in range(30):
        inner = MemoryStore()
        play(seed, EncryptedStore(inner, key), EncryptedStore(inner, key))


def test_encrypted_stores_agree_while_their_key_changes() -> None:
    pytest.importorskip('cryptography')
    old, new = EncryptedStore.new_key(), EncryptedStore.new_key()
    for seed in range(30):
        inner = MemoryStore()
        play(seed, EncryptedStore(inner, old, new), EncryptedStore(inner, new, old))


def test_two_stores_of_one_database_agree_with_one_in_memory(postgres: PostgresServer) -> None:
    schema = postgres.new_schema()
    for seed in range(8):
        play(seed, PostgresStore(postgres.url, schema=schema), PostgresStore(postgres.url, schema=schema))
