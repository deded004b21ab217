"""Agents that follow a script, so that pages show something without a provider: prose, thinking, tools, questions, failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from stead import Agent, CallDeferred, RunContext
from stead.messages import ModelMessage, ModelRequest, RetryPromptPart, ToolReturnPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.settings import ModelSettings

PAUSE = 0.0
"""Seconds between pieces of text."""

PROSE = """Here is what I found about order **A-17**.

| Item | Pieces | Price |
|---|--:|--:|
| Fern, large | 2 | 38.00 € |
| Clay pot, 20 cm | 2 | 24.50 € |
| *Total* | | **125.00 €** |

It left the nursery on Tuesday, and is **on its way**:

1. Packed in Utrecht on Monday evening.
2. Handed to the carrier on Tuesday at 09:40.
3. Expected at your door on *Thursday*.

To follow it from your own code:

```python
from shop import track

async def arrival(order: str) -> str:
    parcel = await track(order)  # asks the carrier
    return f'{parcel.place}, due {parcel.due:%A}'
```

> Ferns do not like a cold doorstep. Shall I ask the carrier to ring?
"""
REFUND = "I've paid back **24.50 €** for one clay pot of order A-17. It will be on your account within two days."
DENIED = 'All right, I have not paid anything back. Is there something else about the order that I can do?'


def _last(messages: list[ModelMessage]) -> ModelRequest:
    last = messages[-1]
    assert isinstance(last, ModelRequest)
    return last


def _prompt(messages: list[ModelMessage]) -> str:
    for message in reversed(messages):
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                return part.content if isinstance(part.content, str) else ' '.join(map(str, part.content))
    return ''


async def _pieces(text: str) -> AsyncIterator[str]:
    for start in range(0, len(text), 12):
        await asyncio.sleep(PAUSE)
        yield text[start : start + 12]


async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | dict[int, object]]:
    """Answer as the support desk of a plant shop would."""
    prompt = _prompt(messages).lower()
    returns = [part for part in _last(messages).parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]
    if not returns:
        if 'order' in prompt or 'pot' in prompt:
            thoughts = (
                'The customer asks about order A-17. I look the order up, and where the parcel is, at the same time.'
            )
            for start in range(0, len(thoughts), 20):
                await asyncio.sleep(PAUSE)
                yield {0: DeltaThinkingPart(content=thoughts[start : start + 20])}
        if 'pay' in prompt or 'refund' in prompt:
            yield {
                1: DeltaToolCall(
                    'refund',
                    '{"order": "A-17", "amount": 24.5, "reason": "one clay pot arrived broken"}',
                    tool_call_id=f'refund-{len(messages)}',
                )
            }
        elif 'order' in prompt:
            yield {1: DeltaToolCall('find_order', '{"order": "A-17"}', tool_call_id=f'order-{len(messages)}')}
            yield {
                2: DeltaToolCall(
                    'track_parcel', '{"carrier": "Veld", "parcel": "VX-2291"}', tool_call_id=f'parcel-{len(messages)}'
                )
            }
        elif 'warehouse' in prompt:
            yield {
                1: DeltaToolCall('ask_warehouse', '{"question": "Are there pots?"}', tool_call_id=f'w-{len(messages)}')
            }
        elif 'both' in prompt:
            for number in (1, 2):
                arguments = f'{{"order": "A-{number}", "amount": {number}, "reason": "broken"}}'
                yield {number: DeltaToolCall('refund', arguments, tool_call_id=f'both-{number}-{len(messages)}')}
        elif 'fail' in prompt:
            raise RuntimeError('The model at postgres://desk:secret@10.0.0.7 does not answer.')
        elif 'echo ' in prompt:
            async for piece in _pieces(_prompt(messages).partition('echo ')[2]):
                yield piece
        elif 'long' in prompt:
            async for piece in _pieces('A line about ferns that goes on for a while.\n\n' * 200):
                yield piece
        else:
            async for piece in _pieces('Good morning! I can look up orders, follow parcels, and pay money back.'):
                yield piece
        return
    tool = returns[0].tool_name
    if tool == 'refund':
        denied = isinstance(returns[0], ToolReturnPart) and returns[0].outcome == 'denied'
        async for piece in _pieces(DENIED if denied else REFUND):
            yield piece
        return
    async for piece in _pieces(PROSE):
        yield piece


def support(name: str = 'plant_desk') -> Agent[None, str]:
    """Return the support desk of a plant shop."""
    agent = Agent(
        FunctionModel(stream_function=answer, model_name='scripted-1'),
        name=name,
        instructions='You answer customers of a plant shop, in a friendly and brief way.',
        model_settings=ModelSettings(temperature=0.2),
    )

    @agent.tool_plain
    async def find_order(order: str) -> dict[str, object]:
        """Return an order."""
        await asyncio.sleep(0.09)
        return {
            'order': order,
            'customer': 'M. de Wit',
            'items': [{'name': 'Fern, large', 'pieces': 2}, {'name': 'Clay pot, 20 cm', 'pieces': 2}],
            'total': 125.0,
        }

    @agent.tool_plain
    async def track_parcel(carrier: str, parcel: str) -> str:
        """Return where a parcel is."""
        await asyncio.sleep(0.16)
        return f'{parcel} left the depot of {carrier} in Utrecht at 09:40.'

    @agent.tool(requires_approval=True)
    async def refund(ctx: RunContext[None], order: str, amount: float, reason: str) -> str:
        """Pay money back."""
        return f'{amount:.2f} EUR paid back for {order}.'

    @agent.tool_plain
    async def ask_warehouse(question: str) -> str:
        """Ask the warehouse, which answers by mail."""
        raise CallDeferred

    return agent
