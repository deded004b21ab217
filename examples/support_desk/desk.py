"""The agent: its tools, what its answers look like, and a capability that keeps a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field

from stead import Agent, ModelRetry, RunContext
from stead.capabilities import AbstractCapability
from stead.messages import ToolCallPart
from stead.tools import ToolDefinition
from stead.toolsets import FunctionToolset

from .orders import Orders, Refused


@dataclass
class Shop:
    """What tools and instructions may use: the dependencies of a run."""

    orders: Orders
    clerk: str = 'Robin'


class Answer(BaseModel):
    """What the customer is told."""

    text: str = Field(description='The answer, in one or two sentences.')
    order: str | None = Field(default=None, description='The id of the order that it is about.')
    outcome: Literal['informed', 'changed', 'refused', 'question'] = Field(
        description='Whether something was looked up, changed or refused, or whether you have to ask back.'
    )


orders = FunctionToolset[Shop](id='orders')


@orders.tool
def find_order(ctx: RunContext[Shop], order: str) -> dict[str, Any]:
    """Look up one order.

    Args:
        order: The id, for example A-17.
    """
    try:
        return ctx.deps.orders.find(order)
    except Refused as error:
        raise ModelRetry(str(error)) from error


@orders.tool
def orders_of(ctx: RunContext[Shop], customer: str) -> list[dict[str, Any]]:
    """List the orders of a customer, the newest first.

    Args:
        customer: The name, or a part of it.
    """
    return ctx.deps.orders.of_customer(customer)


@orders.tool
def cancel_order(ctx: RunContext[Shop], order: str) -> dict[str, Any]:
    """Cancel an order that has not left the warehouse. Look it up first.

    Args:
        order: The id, for example A-17.
    """
    return ctx.deps.orders.change(order, status='cancelled')


@orders.tool
def send_elsewhere(ctx: RunContext[Shop], order: str, city: str) -> dict[str, Any]:
    """Send an order that has not left the warehouse to another city. Look it up first.

    Args:
        order: The id, for example A-17.
        city: Where it goes instead.
    """
    return ctx.deps.orders.change(order, city=city)


class Log(AbstractCapability[Shop]):
    """Writes into the log what the desk has changed, and turns what the shop refuses into something the model can read."""

    def get_instructions(self) -> str:
        return 'What a tool refuses is final: tell the customer why, and do not try it another way.'

    async def wrap_tool_execute(
        self, ctx: RunContext[Shop], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], handler: Any
    ) -> Any:
        try:
            result = await handler(args)
        except Refused as refused:
            return {'refused': str(refused)}
        if tool_def.name in ('cancel_order', 'send_elsewhere'):
            ctx.deps.orders.log(f'{call.tool_name} {args} by {ctx.deps.clerk}')
        return result


desk = Agent[Shop, Answer](
    deps_type=Shop,
    output_type=Answer,
    instructions='You work at the support desk of a shop for office furniture. Look orders up before you say anything.',
    toolsets=[orders],
    capabilities=[Log()],
    retries=2,
)


@desk.instructions
def who(ctx: RunContext[Shop]) -> str:
    return f'Your name is {ctx.deps.clerk}.'


@desk.output_validator
def no_promises(answer: Answer) -> Answer:
    if 'promise' in answer.text.lower():
        raise ModelRetry('Say what is known, and promise nothing.')
    return answer
