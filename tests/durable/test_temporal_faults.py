"""More faults on Temporal's server: newer workers, lost caches, large payloads in a store, kills at random moments."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('temporalio')
from tests.durable.servers import TemporalServer, find_temporal, until, worker

find_temporal()

from temporalio.api.common.v1 import Payload
from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import ExternalStorage, StorageDriver, StorageDriverClaim
from temporalio.worker import Worker

from tests.durable import scenes
from tests.durable.scripts import KILLS, SCRIPTS, kill_random_agents, plain, random_script
from tests.durable.temporal_scenes import WORKFLOWS, Play


async def start(client: Client, queue: str, script: Any, name: str = 'scripted') -> Any:
    args = [json.dumps(script), 'me', name]
    return await client.start_workflow(Play.run, args=args, id=f'{queue}-{time.monotonic_ns()}', task_queue=queue)


def answers(messages_json: str) -> list[Any]:
    parts = [part for message in json.loads(messages_json) for part in message['parts']]
    return [part['content'] for part in parts if part['part_kind'] == 'tool-return']


def test_a_newer_worker_goes_on(temporal: TemporalServer, world: Path) -> None:
    async def main() -> str:
        client = await temporal.client()
        with worker(temporal, 'newer', STEAD_HANG='1'):
            script = [[['write', {'line': 'a'}]], [['look', {'what': 'slow'}]], [['newer', {}]]]
            handle = await start(client, 'newer', script, 'fleeting')
            await until(lambda: 'look slow' in world.read_text())
        with worker(temporal, 'newer', STEAD_VERSION='2'):
            return await handle.result()

    messages = asyncio.run(main())
    assert answers(messages) == ['wrote a', {'what': 'slow', 'by': 'me', 'attempt': 0}, '2']
    instructions = [message['instructions'] for message in json.loads(messages) if message['kind'] == 'request']
    assert instructions[-1].endswith('It is the newer one.')
    assert world.read_text().count('write a') == 1


def test_a_worker_without_a_cache_does_the_same(temporal: TemporalServer) -> None:
    scripts = [random_script(seed) for seed in range(200, 206)]

    async def main() -> list[str]:
        client = await temporal.client()
        async with Worker(client, task_queue='forgetful', workflows=WORKFLOWS, max_cached_workflows=0):
            handles = [await start(client, 'forgetful', script) for script in scripts]
            return [await handle.result() for handle in handles]

    for script, messages in zip(scripts, asyncio.run(main())):
        assert scenes.masked(messages) == asyncio.run(plain(script))


class Folder(StorageDriver):
    """Keeps payloads in files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def name(self) -> str:
        return 'folder'

    async def store(self, context: Any, payloads: Sequence[Payload]) -> list[StorageDriverClaim]:
        claims: list[StorageDriverClaim] = []
        for payload in payloads:
            data = payload.SerializeToString()
            digest = sha256(data).hexdigest()
            (self.path / digest).write_bytes(data)
            claims.append(StorageDriverClaim({'digest': digest}))
        return claims

    async def retrieve(self, context: Any, claims: Sequence[StorageDriverClaim]) -> list[Payload]:
        return [Payload.FromString((self.path / claim.claim_data['digest']).read_bytes()) for claim in claims]


def test_large_payloads_can_be_kept_in_a_store(temporal: TemporalServer, tmp_path: Path) -> None:
    storage = ExternalStorage(drivers=[Folder(tmp_path)], payload_size_threshold=100_000)

    async def main() -> str:
        client = await temporal.client(data_converter=replace(pydantic_data_converter, external_storage=storage))
        async with Worker(client, task_queue='stored', workflows=WORKFLOWS):
            handle = await start(client, 'stored', [[['large', {'megabytes': 3}]]], 'unlimited')
            return await handle.result()

    assert [len(answer) for answer in answers(asyncio.run(main()))] == [3 * 2**20]
    assert max(file.stat().st_size for file in tmp_path.iterdir()) > 3 * 2**20


def test_random_agents_whose_worker_is_killed_do_nothing_twice(temporal: TemporalServer, tmp_path: Path) -> None:
    print(kill_random_agents('temporal', str(temporal.port), tmp_path / 'many', SCRIPTS, KILLS))
