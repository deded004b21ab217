"""Write the cassette again, from a run in a journal: `python -m examples.tested_desk.record`."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

from stead.journal import Journal, MemoryStore
from stead.testing import Cassette

from ..support_desk.desk import Shop, desk
from ..support_desk.orders import Orders
from ..support_desk.scripted import model as scripted

FILE = Path(__file__).parent / 'cassettes' / 'refund.jsonl'
PROMPT = 'I want my money back for B-11.'


async def record() -> None:
    """Run the desk with a journal, and cut a cassette from it."""
    journal = Journal[Shop](MemoryStore())
    with closing(Orders()) as orders:
        result = await desk.run(PROMPT, deps=Shop(orders), model=scripted, capabilities=[journal])
    await Cassette.of_run(journal, result.run_id, FILE)
    print(result.output.text)


if __name__ == '__main__':
    asyncio.run(record())
