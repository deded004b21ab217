"""The support desk in a separate process: `python -m examples.long_task.worker DIRECTORY [ORDER]`.

With the id of an order, a customer asks for its refund. Without one, the process looks for abandoned runs. In both cases
it ends when there is an answer. The runs are in `runs.db`, orders and payments in `orders.db`.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stead.journal import Journal
from stead.messages import ModelMessage, ModelResponse
from stead.models.function import AgentInfo, FunctionModel

from ..support_desk.__main__ import RULE, line_of
from ..support_desk.desk import Shop, desk, up_to_the_largest
from ..support_desk.orders import Orders
from ..support_desk.scripted import respond

LEASE = 2.0
"""How long after the death of a process another one may resume its runs, in seconds."""
WIDTH = 70
"""How many characters of a text are printed."""


def say(speaker: str, text: str) -> None:
    """Print a text at once, cut to one line."""
    print(f'{speaker:>18}  {text if len(text) <= WIDTH else text[: WIDTH - 4] + " ..."}', flush=True)


def decide(order: dict[str, Any]) -> bool:
    """Decide about a refund by the rule of the desk, and print the decision."""
    approved = up_to_the_largest(order)
    say('decision', f'{"Approved" if approved else "Denied"}: {RULE}.')
    return approved


class Till(Orders):
    """The orders, and a till that pays slowly."""

    def __init__(self, path: Path, seconds: float = 0.5) -> None:
        super().__init__(path)
        self.seconds = seconds
        with self.database:
            self.database.execute('create table if not exists payments (order_id text, amount real)')

    def refund(self, order: str) -> dict[str, Any]:
        found = self.find(order)
        amount = found['price'] * found['quantity']
        say('till', f'is about to pay {amount:.2f} back for {order} ...')
        time.sleep(self.seconds)
        with self.database:
            self.database.execute('insert into payments values (?, ?)', (order, amount))
            found = super().refund(order)
        say('till', f'has paid {amount:.2f}; it writes the receipt ...')
        time.sleep(self.seconds)
        return found

    def is_refunded(self, order: str) -> bool:
        is_refunded = super().is_refunded(order)
        say('till', f'was {order} paid back before? {"Yes." if is_refunded else "No."}')
        return is_refunded

    def payments(self) -> list[tuple[str, float]]:
        """Return the payments: orders and amounts."""
        return list(map(tuple, self.database.execute('select order_id, amount from payments order by rowid')))


def think(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Answer like the scripted model, and print the messages."""
    response = respond(messages, info)
    for line in map(line_of, (*messages[-1].parts, *response.parts)):
        if line is not None:
            say(*line)
    return response


async def work(directory: Path, order: str | None) -> None:
    """Answer a customer, or resume the abandoned runs of other processes."""
    journal = Journal[Shop](directory / 'runs.db', lease_seconds=LEASE)
    shop = Shop(Till(directory / 'orders.db'), approve=decide)
    with desk.override(model=FunctionModel(think, model_name='scripted')):
        async with journal.worker(desk, deps=shop, pause=0.1) as worker:
            if order is not None:
                question = f'I want my money back for {order}.'
                say('customer', question)
                results = [await journal.run(desk, question, key=f'refund of {order}', deps=shop)]
            else:
                say('worker', 'looks for abandoned runs, and waits until their leases expire ...')
                while not worker.results:  # noqa: ASYNC110 - the worker looks by itself
                    await asyncio.sleep(0.05)
                results = [*worker.results.values()]
            for result in results:
                say('answer', result.output.text)


def main(arguments: Sequence[str]) -> int:
    """Run the process and return its exit code."""
    directory, *order = arguments
    asyncio.run(work(Path(directory), order[0] if order else None))
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
