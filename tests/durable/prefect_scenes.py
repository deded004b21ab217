"""The scenes in a flow run of Prefect that exists: `python -m tests.durable.prefect_scenes FLOW_RUN_ID SCRIPT`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName
from prefect.exceptions import PrefectHTTPStatusError
from prefect.flow_engine import run_flow_async

from stead.durable_exec.prefect import PrefectAgent
from tests.durable import scenes
from tests.durable.killed import Play

durable = PrefectAgent(scenes.agent)


@flow(name='scenes', persist_result=True)
async def play(script: str) -> str:
    """Play a script to its end, and return the messages."""
    return (await scenes.run_to_end(durable, script, 'me')).all_messages_json().decode()


@asynccontextmanager
async def opened(_: str) -> AsyncIterator[Play]:
    """Yield what plays a script under a name to its end, in the flow run of that name, and returns the messages."""

    async def once(name: str, script: str) -> str:
        async with get_client() as client:
            known = await client.read_flow_runs(flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[name])))
            flow_run = (
                known[0] if known else await client.create_flow_run(play, parameters={'script': script}, name=name)
            )
        return await run_flow_async(play, flow_run=flow_run, parameters={'script': script})  # type: ignore

    async def named(name: str, script: str) -> str:
        # On SQLite the server refuses requests that come together; a flow that it refused is tried again, as one whose process died.
        for pause in range(10):
            try:
                return await once(name, script)
            except PrefectHTTPStatusError as error:
                print(name, error.response.status_code, error.request.url, file=sys.stderr, flush=True)
                await asyncio.sleep(pause)
        return await once(name, script)

    yield named


async def main(flow_run_id: str, script: str) -> None:
    """Continue the flow run, from its beginning: what its tasks have kept is not done again."""
    async with get_client() as client:
        flow_run = await client.read_flow_run(flow_run_id)  # type: ignore[arg-type]
    print(json.dumps(json.loads(await run_flow_async(play, flow_run=flow_run, parameters={'script': script}))))  # type: ignore


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
