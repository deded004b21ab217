"""An agent from a spec that asks for DBOS, in a workflow: `python -m tests.durable.dbos_capability URL SCRIPT`."""

from __future__ import annotations

import asyncio
import json
import sys

from dbos import DBOS, SetWorkflowID

from stead import Agent, DeferredToolRequests, RunContext
from tests.durable import scenes
from tests.durable.dbos_scenes import launch

SPEC = """{
    "name": "from-spec",
    "instructions": "Play the script.",
    "capabilities": [{"Durable": {"engine": "dbos", "tools": {"retries_allowed": true, "max_attempts": 2}}}]
}"""
agent = Agent.from_spec(
    json.loads(SPEC),
    model=scenes.agent.model,
    deps_type=str,
    output_type=[str, DeferredToolRequests],
    toolsets=[scenes.more],
    tools=[scenes.write, scenes.wait],
)
agent.tool(requires_approval=True)(scenes.pay)


@agent.tool(effect='idempotent')
async def keyed(ctx: RunContext[str], step: int) -> str:
    """Write down the key of the call."""
    scenes.note(f'keyed {ctx.idempotency_key}')
    return f'keyed {step}'


@DBOS.workflow()
async def play(script: str) -> str:
    """Run the agent to its end."""
    return (await scenes.run_to_end(agent, script, 'me')).all_messages_json().decode()


async def main(url: str, script: str) -> None:
    """Play a script in a workflow."""
    launch(url)
    with SetWorkflowID('it'):
        print(await play(script))
    DBOS.destroy()


if __name__ == '__main__':
    asyncio.run(main(*sys.argv[1:]))
