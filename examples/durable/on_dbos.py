"""The desk on DBOS, whose database is beside the orders: `python -m examples.durable.on_dbos work ORDERS`."""

from __future__ import annotations

import asyncio
import sys

from dbos import DBOS, SetWorkflowID

from stead.durable_exec.dbos import DBOSAgent

from .desk import Shop, desk

agent = DBOSAgent(desk)


async def work(path: str) -> None:
    """Start the refund, or resume it."""
    database = f'sqlite:///{path}.dbos'
    version = {'application_version': '1', 'log_level': 'ERROR', 'enable_otlp': False}
    DBOS(config={'name': 'support-desk', 'system_database_url': database, **version})
    DBOS.launch()
    with SetWorkflowID('refund-A-17'):
        result = await agent.run('I want my money back for A-17.', deps=Shop(path))
    print(f'answer: {result.output}', flush=True)
    DBOS.destroy()


if __name__ == '__main__':
    asyncio.run(work(sys.argv[2]))
