"""The agent: its tools, the type of its answers, and its capabilities.

Refunds are on demand: the model sees one line about them until it loads them. Each refund waits for a decision.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field

from stead import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    Done,
    ModelRetry,
    NotDone,
    RunContext,
    ToolDenied,
)
from stead.capabilities import AbstractCapability, Capability
from stead.messages import ToolCallPart, ToolReturnPart
from stead.tools import ToolDefinition
from stead.toolsets import FunctionToolset

from .orders import Orders, Refused

CHANGES = ('cancel_order', 'send_elsewhere', 'refund_order')
"""The tools that change an order."""


LARGEST_REFUND = 250
"""The largest refund that a rule approves where no person is asked."""


def amount_of(order: dict[str, Any]) -> float:
    """Return what was paid for an order."""
    return order['price'] * order['quantity']


def up_to_the_largest(order: dict[str, Any]) -> bool:
    """Approve refunds that the rule allows."""
    return amount_of(order) <= LARGEST_REFUND


@dataclass
class Shop:
    """The dependencies of a run, for tools and instructions."""

    orders: Orders
    clerk: str = 'Robin'
    approve: Callable[[dict[str, Any]], bool] = up_to_the_largest
    """A function that decides about the refund of an order."""


class Answer(BaseModel):
    """What the customer is told."""

    text: str = Field(description='The answer, in one or two sentences.')
    order: str | None = Field(default=None, description='The id of the order that it is about.')
    outcome: Literal['informed', 'changed', 'refused', 'question'] = Field(
        description='Whether something was looked up, changed or refused, or whether you have to ask back.'
    )


orders = FunctionToolset[Shop](id='orders')


@orders.tool(effect='read')
def find_order(ctx: RunContext[Shop], order: str) -> dict[str, Any]:
    """Look up one order.

    Args:
        order: The id, for example A-17.
    """
    try:
        return ctx.deps.orders.find(order)
    except Refused as error:
        raise ModelRetry(str(error)) from error


@orders.tool(effect='read')
def orders_of(ctx: RunContext[Shop], customer: str) -> list[dict[str, Any]]:
    """List the orders of a customer, the newest first.

    Args:
        customer: The name, or a part of it.
    """
    return ctx.deps.orders.of_customer(customer)


@orders.tool(effect='idempotent')
def cancel_order(ctx: RunContext[Shop], order: str) -> dict[str, Any]:
    """Cancel an order that has not left the warehouse. Look it up first.

    Args:
        order: The id, for example A-17.
    """
    return ctx.deps.orders.change(order, status='cancelled')


@orders.tool(effect='idempotent')
def send_elsewhere(ctx: RunContext[Shop], order: str, city: str) -> dict[str, Any]:
    """Send an order that has not left the warehouse to another city. Look it up first.

    Args:
        order: The id, for example A-17.
        city: Where it goes instead.
    """
    if ctx.prompt and city.lower() not in str(ctx.prompt).lower():  # a small model writes what it has seen elsewhere
        raise ModelRetry(f'The customer does not name {city!r}. The question was: {ctx.prompt}')
    return ctx.deps.orders.change(order, city=city)


refunds = Capability[Shop](
    id='refunds',
    description='Paying orders back: what the rules are, and doing it.',
    instructions='Only delivered orders are paid back, and only as a whole. Every refund is decided about by a person.',
    defer_loading=True,
)


def was_refunded(ctx: RunContext[Shop], args: dict[str, Any]) -> Done | NotDone:
    """Find out whether a process that died while it paid an order back had done so."""
    order = args['order']
    return Done(ctx.deps.orders.find(order)) if ctx.deps.orders.is_refunded(order) else NotDone()


@refunds.tool(requires_approval=True, reconcile=was_refunded)
def refund_order(ctx: RunContext[Shop], order: str) -> dict[str, Any]:
    """Pay a delivered order back. Look it up first.

    Args:
        order: The id, for example A-17.
    """
    return ctx.deps.orders.refund(order)


class Supervisor(AbstractCapability[Shop]):
    """Asks for a decision about refunds while the run waits."""

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[Shop], *, requests: DeferredToolRequests
    ) -> DeferredToolResults:
        results = DeferredToolResults()
        for call in requests.approvals:
            try:
                order = ctx.deps.orders.find(call.args_as_dict()['order'])
            except Refused as refused:
                results.approvals[call.tool_call_id] = ToolDenied(str(refused))
                continue
            approved = await asyncio.to_thread(ctx.deps.approve, order)
            results.approvals[call.tool_call_id] = approved or ToolDenied('This refund was not approved.')
        return results


class Log(AbstractCapability[Shop]):
    """Logs changes, and turns refusals of the shop into messages for the model."""

    def get_instructions(self) -> str:
        return 'What a tool refuses is final: tell the customer why, and do not try it another way.'

    async def wrap_tool_execute(
        self, ctx: RunContext[Shop], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], handler: Any
    ) -> Any:
        try:
            result = await handler(args)
        except Refused as refused:
            return {'refused': str(refused)}
        if tool_def.name in CHANGES:
            ctx.deps.orders.log(f'{call.tool_name} {args} by {ctx.deps.clerk}')
        return result


desk = Agent[Shop, Answer](
    name='support desk',
    deps_type=Shop,
    output_type=Answer,
    instructions='You work at the support desk of a shop for office furniture. Look orders up before you say anything.',
    toolsets=[orders],
    capabilities=[Log(), refunds, Supervisor()],
    retries=2,
)


@desk.instructions
def who(ctx: RunContext[Shop]) -> str:
    return f'Your name is {ctx.deps.clerk}.'


@desk.output_validator
def only_what_was_done(ctx: RunContext[Shop], answer: Answer) -> Answer:
    """Send an answer back that claims a change which no tool of this run has made."""
    successful = [
        part.tool_name
        for message in ctx.messages
        if message.run_id == ctx.run_id
        for part in message.parts
        if isinstance(part, ToolReturnPart) and part.outcome == 'success' and 'refused' not in part.content
    ]
    if answer.outcome == 'changed' and not {*successful} & {*CHANGES}:
        raise ModelRetry("No tool has changed anything, so the outcome is 'informed' or 'refused'.")
    return answer


@desk.output_validator
def no_promises(answer: Answer) -> Answer:
    if 'promise' in answer.text.lower():
        raise ModelRetry('Say what is known, and promise nothing.')
    return answer
