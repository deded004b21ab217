"""The agent: it finds an order and refunds it. Its dependencies are plain values, since they are sent to workers."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stead import Agent, Done, NotDone, RunContext
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel

from ..support_desk.orders import Orders


@dataclass
class Shop:
    """Where the orders are."""

    path: str

    def orders(self) -> Orders:
        """Open them."""
        orders = Orders(Path(self.path))
        with orders.database:
            orders.database.execute('create table if not exists payments (order_id text, key text)')
        return orders


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stand in for a model: find the order, refund it, and report that."""
    step = sum(isinstance(message, ModelResponse) for message in messages)
    if step < 2:
        return ModelResponse([ToolCallPart(('find_order', 'refund_order')[step], {'order': 'A-17'}, f'call-{step}')])
    results = [part.content for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    return ModelResponse([TextPart(f'Your money is on its way: {results[0]}')])


desk = Agent(FunctionModel(respond), name='desk', deps_type=Shop)


@desk.tool(effect='read')
def find_order(ctx: RunContext[Shop], order: str) -> dict[str, Any]:
    """Look an order up."""
    return dict(ctx.deps.orders().find(order))


def was_refunded(ctx: RunContext[Shop], args: dict[str, Any]) -> Done | NotDone:
    """Look up whether a payment was made."""
    found = (
        ctx.deps.orders().database.execute('select 1 from payments where key = ?', (ctx.idempotency_key,)).fetchone()
    )
    print(f'till: was {args["order"]} paid back before? {"yes" if found else "no"}', flush=True)
    return Done('paid back') if found else NotDone()


@desk.tool(reconcile=was_refunded)
def refund_order(ctx: RunContext[Shop], order: str) -> str:
    """Pay an order back."""
    orders = ctx.deps.orders()
    with orders.database:
        orders.database.execute('insert into payments values (?, ?)', (order, ctx.idempotency_key))
    print(f'till: {order} was paid back; it writes the receipt ...', flush=True)
    if 'SLOW_TILL' in os.environ:
        time.sleep(60)
    return 'paid back'


def payments(shop: Shop) -> int:
    """Return the number of payments."""
    return shop.orders().database.execute('select count(*) from payments').fetchone()[0]
