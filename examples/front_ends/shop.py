"""The agent behind the pages: it fills a basket, paints the page with a tool of the interface, and asks before it orders."""

from __future__ import annotations

from collections.abc import AsyncIterator

from ag_ui.core import StateSnapshotEvent
from pydantic import BaseModel

from stead import Agent, DeferredToolRequests, RunContext, ToolReturn
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from stead.ui import StateDeps
from stead.ui.vercel_ai.response_types import DataChunk


class Basket(BaseModel):
    """The state that the page and the agent share."""

    items: list[str] = []


COMMANDS = {'price': 'item', 'add': 'item', 'paint': 'colour', 'order': ''}
"""The tools that a prompt can name, and what comes after the name."""


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Do what the prompt says word by word: `price pears`, `add pears`, `paint green`, `order`."""
    last = messages[-1].parts[-1]
    if not isinstance(last, UserPromptPart):
        text = last.model_response_str() if last.part_kind == 'tool-return' else 'That failed.'
        return ModelResponse([TextPart(text)])
    content = last.content if isinstance(last.content, str) else str(last.content[0])
    name, _, rest = content.strip().partition(' ')
    if name not in COMMANDS or all(tool.name != name for tool in info.function_tools):
        return ModelResponse([TextPart('Say "price pears", "add pears", "order", or, with AG-UI, "paint green".')])
    args = {COMMANDS[name]: rest.strip()} if COMMANDS[name] else {}
    return ModelResponse([ToolCallPart(name, args, tool_call_id=f'{name}-{len(messages)}')])


async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """Yield the same answer in pieces."""
    for part in respond(messages, info).parts:
        if isinstance(part, ToolCallPart):
            yield {0: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}
        elif isinstance(part, TextPart):
            for word in part.content.split(' '):
                yield word + ' '


agent = Agent(
    FunctionModel(respond, stream_function=stream, model_name='scripted'),
    name='shop',
    deps_type=StateDeps[Basket],
    output_type=[str, DeferredToolRequests],
    instructions='You answer for a shop.',
)


def basket_of(ctx: RunContext[StateDeps[Basket]]) -> Basket:
    """Return the basket of the page; without shared state, from the conversation, which has the calls that added things."""
    basket = ctx.deps.state
    if not basket.items:
        parts = [part for message in ctx.messages for part in message.parts]
        succeeded = {
            part.tool_call_id for part in parts if isinstance(part, ToolReturnPart) and part.outcome == 'success'
        }
        calls = [part for part in parts if isinstance(part, ToolCallPart) and part.tool_name == 'add']
        basket.items = [call.args_as_dict()['item'] for call in calls if call.tool_call_id in succeeded]
    return basket


@agent.tool_plain
def price(item: str) -> str:
    """Say what something costs."""
    return f'{item} cost {len(item)} euros.'


@agent.tool
def add(ctx: RunContext[StateDeps[Basket]], item: str) -> ToolReturn:
    """Add something to the basket."""
    if not isinstance(ctx.deps, StateDeps):  # clients of A2A share no state
        return ToolReturn('There is no basket here.')
    basket = basket_of(ctx)
    basket.items.append(item)
    snapshot = basket.model_dump()
    # One event for each protocol: an adapter sends those of its own.
    events = [StateSnapshotEvent(snapshot=snapshot), DataChunk(type='data-basket', data=snapshot)]
    return ToolReturn(f'There is {item} in the basket.', metadata=events)


@agent.tool(requires_approval=True)
def order(ctx: RunContext[StateDeps[Basket]]) -> str:
    """Order what is in the basket."""
    return f'Ordered: {", ".join(basket_of(ctx).items) or "nothing"}.'
