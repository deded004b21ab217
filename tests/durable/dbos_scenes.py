"""The scenes on DBOS, in a process: `python -m tests.durable.dbos_scenes URL WORKFLOW SCRIPT`; prints the messages."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from dbos import DBOS, SetWorkflowID

from stead import DeferredToolRequests
from stead.durable_exec.dbos import DBOSAgent
from tests.durable.killed import Play
from tests.durable.scenes import agent, decide

durable = DBOSAgent(agent)


def launch(url: str) -> None:
    """Start DBOS on a database."""
    DBOS(
        config={
            'name': 'scenes',
            'system_database_url': url,
            'log_level': 'ERROR',
            'enable_otlp': False,
            'application_version': '1',
        }
    )
    DBOS.launch()


async def play(workflow: str, script: str) -> Any:
    """Run the agent to its end; each run, as each answer to what waits, is a workflow."""
    with SetWorkflowID(workflow):
        result = await durable.run(script, deps='me')
    number = 0
    while isinstance(result.output, DeferredToolRequests):
        number += 1
        with SetWorkflowID(f'{workflow}-{number}'):
            result = await durable.run(
                deps='me', message_history=result.all_messages(), deferred_tool_results=decide(result.output)
            )
    return result


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Play]:
    """Yield what plays a script under a name to its end, and returns the messages."""
    launch(url)

    async def named(name: str, script: str) -> str:
        return (await play(name, script)).all_messages_json().decode()

    yield named
    DBOS.destroy()


async def main(url: str, workflow: str, script: str) -> None:
    """Play a script."""
    launch(url)
    result = await play(workflow, script)
    print(json.dumps(json.loads(result.all_messages_json())))
    DBOS.destroy()


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
