"""A second process: it continues what programs of a first one have left, as lines on its standard input say."""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from pathlib import Path
from typing import Any

from stead import DeferredToolRequests

from ..waiting import free_runs
from .playing import FEATURES
from .ways import Plain, Streaming, Way, build


async def continue_(folder: Path, titles: list[str]) -> None:
    """Continue the runs of a program that are left or wait, and the rest of their sessions."""
    features = [feature for feature in FEATURES if feature.title in titles]
    program = build(folder, features, dies=False)
    way: Way = next((feature for feature in features if isinstance(feature, Streaming)), Plain())
    assert program.journal is not None
    runs = [run for run in await free_runs(program.journal) if run.parent_id is None and run.agent == 'shop']
    with program.recording():
        for run in runs:
            if run.status != 'done':
                waits: Any = DeferredToolRequests() if run.status == 'waiting' else None
                output, history = (waits, None) if waits else await way.resume(program, run.run_id)
                await way.finish(program, 17, output, history)
        await way.drive(program, 17)


def main() -> None:
    """Do what each line says, and say that it is done or what went wrong."""
    for line in sys.stdin:
        order = json.loads(line)
        try:
            asyncio.run(continue_(Path(order['folder']), order['titles']))
            answer = 'done'
        except Exception:
            answer = traceback.format_exc()
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
