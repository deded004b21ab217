"""Record the histories that `test_histories.py` replays: `python -m tests.durable.record_histories PORT`, with a server there.

They stay as they are: a history that a version has recorded has to be replayed by later ones. A new version gets a new folder.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker

import stead
from stead.durable_exec.temporal import PydanticAIPlugin
from tests.durable.scripts import random_script
from tests.durable.temporal_features import RUNS
from tests.durable.temporal_one import One, Small
from tests.durable.temporal_scenes import Play
from tests.durable.temporal_waiting import Long

FOLDER = Path(__file__).parent / 'histories'
WORKFLOWS: list[type] = [Play, One, Small, Long]
FEATURES = ('structured', 'on demand', 'mcp', 'dynamic', 'deferred', 'configs', 'keys', 'pictures')
SEEDS = (3, 5, 8, 13)


async def main(port: str) -> None:
    """Run workflows, and write their histories down."""
    client = await Client.connect(f'127.0.0.1:{port}', plugins=[PydanticAIPlugin()], identity='recorder')
    folder = FOLDER / stead.__version__.partition('.dev')[0]  # of the release that commits lead to
    folder.mkdir(parents=True, exist_ok=True)

    async def begin(name: str, workflow: Any, *args: Any) -> tuple[str, WorkflowHandle[Any, Any]]:
        id = f'{name}-{time.time_ns()}'
        return name, await client.start_workflow(workflow, args=args, id=id, task_queue='histories')

    async with Worker(client, task_queue='histories', workflows=WORKFLOWS):
        begun = [await begin('small', Small.run)]
        for seed in SEEDS:
            begun.append(await begin(f'script-{seed}', Play.run, json.dumps(random_script(seed)), 'me'))
        begun.append(await begin('shown', Play.run, json.dumps(random_script(3)), 'me', 'shown'))
        for name, options, _ in RUNS:
            if name in FEATURES:
                begun.append(await begin(name.replace(' ', '-'), One.run, name, options))
        steps = [[['look', {'what': str(number)}]] for number in range(14)]
        begun.append(await begin('long', Long.run, json.dumps(steps)))
        for name, handle in begun:
            await handle.result()
            history = await client.get_workflow_handle(handle.id).fetch_history()  # of the last one, if there are more
            text = history.to_json().replace(f'{Path.cwd()}/', '')  # in traces of stacks
            (folder / f'{name}.json').write_text(text, encoding='utf-8')
            print(name, flush=True)


if __name__ == '__main__':
    asyncio.run(main(sys.argv[1]))
