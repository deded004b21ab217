"""Journals with runs to look into: parallel calls, an agent inside of a tool, a run that failed, one that waits."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from stead import Agent, ModelRetry, RunContext
from stead.capabilities import AbstractCapability, Hooks
from stead.journal import Journal
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models import ModelRequestContext
from stead.models.function import AgentInfo, FunctionModel
from stead.settings import ModelSettings
from stead.tools import ToolDefinition
from stead.usage import RequestUsage

ADDRESS = re.compile(r'\S+@\S+\w')
PAUSE = 0.05
"""Seconds that a model takes."""


def _returns(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def _usage(messages: list[ModelMessage]) -> RequestUsage:
    return RequestUsage(input_tokens=420 + 260 * len(messages), output_tokens=64 + 12 * len(messages))


def _response(messages: list[ModelMessage], *parts: Any) -> ModelResponse:
    return ModelResponse(list(parts), usage=_usage(messages), model_name='gpt-5-mini', provider_name='openai')


async def _plan(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    await asyncio.sleep(PAUSE)
    prompt = next(part.content for part in messages[0].parts if isinstance(part, UserPromptPart))
    returns = _returns(messages)
    if 'refund' in str(prompt).lower():
        if returns:
            return _response(messages, TextPart('The customer has her money back.'))
        return _response(messages, ToolCallPart('refund', {'order': 'A-17', 'amount': 24.5}, f'r{len(messages)}'))
    if not returns:
        return _response(
            messages,
            ThinkingPart('I need the weather, the trains and what the desk knows, all at once.'),
            ToolCallPart('weather', {'city': 'Utrecht', 'day': 'Saturday'}, 'w1'),
            ToolCallPart('trains', {'origin': 'Delft', 'to': 'Utrecht', 'day': 'Saturday'}, 't1'),
            ToolCallPart('ask_garden', {'question': 'What flowers in the botanic garden now?'}, 'g1'),
        )
    weather = next(part for part in returns if part.tool_name == 'weather')
    if 'unknown' in str(weather.content):
        raise RuntimeError('The plan needs the weather of Saturday, and the service did not know it (HTTP 503).')
    if len(messages) < 5:
        return _response(messages, ToolCallPart('book', {'train': '09:12', 'seats': 2}, 'b1'))
    return _response(
        messages,
        TextPart(
            '**Saturday in Utrecht:** take the 09:12 from Delft, two seats are booked. It is dry and 14 °C; the witch hazel is in flower.'
        ),
    )


async def _garden(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    await asyncio.sleep(PAUSE)
    if _returns(messages):
        return _response(messages, TextPart('The witch hazel flowers, and the first snowdrops.'))
    return _response(messages, ToolCallPart('look_up', {'month': 11}, 'l1'))


class Private(AbstractCapability[Any]):
    """Keeps addresses of people from the model."""

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        messages = request_context.messages
        for index, message in enumerate(messages):
            if isinstance(message, ModelRequest):
                parts = [
                    replace(part, content=ADDRESS.sub('[address]', part.content))
                    if isinstance(part, UserPromptPart) and isinstance(part.content, str)
                    else part
                    for part in message.parts
                ]
                if parts != message.parts:
                    messages[index] = replace(message, parts=parts)
        return request_context


class Brief(AbstractCapability[Any]):
    """Keeps answers short."""

    def get_instructions(self) -> str:
        return 'Answer in three sentences at most.'

    def get_model_settings(self) -> ModelSettings:
        return {'max_tokens': 400}


def rules() -> Hooks[Any]:
    """Return hooks that hide a tool, and that give a tool other arguments."""
    hooks: Hooks[Any] = Hooks()

    @hooks.on.prepare_tools
    async def only_what_is_asked_for(ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return (
            tool_defs if 'refund' in str(ctx.messages).lower() else [one for one in tool_defs if one.name != 'refund']
        )

    @hooks.on.before_tool_execute(tools=['book'])
    async def second_class(
        ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any]
    ) -> dict[str, Any]:
        return {**args, 'travel_class': 2}

    return hooks


def planner(weather: str = 'dry, 14 degrees', journal: Journal[Any] | None = None) -> Agent[None, str]:
    """Return an agent that plans a day out."""
    garden = Agent(
        FunctionModel(_garden, model_name='gpt-5-mini'),
        name='garden',
        instructions='You know a botanic garden.',
        capabilities=[journal] if journal is not None else [],
    )

    @garden.tool_plain
    async def look_up(month: int) -> list[str]:
        """Return what flowers in a month."""
        await asyncio.sleep(PAUSE / 2)
        return ['witch hazel', 'snowdrops']

    agent = Agent(
        FunctionModel(_plan, model_name='gpt-5-mini'),
        name='planner',
        instructions='You plan days out. Be brief, and book what is needed.',
        model_settings={'temperature': 0.2},
        capabilities=[Brief(), Private(), rules()],
    )

    @agent.tool_plain(name='weather')
    async def find_weather(city: str, day: str) -> str:
        """Return the weather of a day."""
        await asyncio.sleep(PAUSE * 1.2)
        return f'{day} in {city}: {weather}'

    @agent.tool_plain
    async def trains(origin: str, to: str, day: str) -> list[dict[str, str]]:
        """Return the trains of a day."""
        await asyncio.sleep(PAUSE * 2)
        return [{'leaves': '09:12', 'arrives': '10:03'}, {'leaves': '09:42', 'arrives': '10:33'}]

    @agent.tool
    async def ask_garden(ctx: RunContext[None], question: str) -> str:
        """Ask the garden's own agent."""
        return (await garden.run(question, usage=ctx.usage)).output

    @agent.tool(retries=2)
    async def book(ctx: RunContext[None], train: str, seats: int, travel_class: int = 1) -> str:
        """Book seats on a train."""
        await asyncio.sleep(PAUSE)
        if ctx.retry == 0 and seats > 4:
            raise ModelRetry('At most four seats can be booked at a time.')
        return f'{seats} seats on the {train} are booked.'

    @agent.tool(requires_approval=True)
    async def refund(ctx: RunContext[None], order: str, amount: float) -> str:
        """Pay money back."""
        return f'{amount:.2f} EUR paid back.'

    return agent


async def fill(path: Path) -> None:
    """Write a journal with a run that went well, one that failed, and one that waits."""
    from stead import DeferredToolRequests

    journal: Journal[None] = Journal(path, changes=True)
    await planner(journal=journal).run(
        'Plan a Saturday in Utrecht for two, with the train from Delft. Write to ana@example.org.',
        capabilities=[journal],
    )
    await planner(journal=journal).run(
        'Refund one broken pot of order A-17.', capabilities=[journal], output_type=[str, DeferredToolRequests]
    )
    try:
        await planner('unknown, try later', journal).run('Plan a Saturday in Utrecht for two.', capabilities=[journal])
    except RuntimeError:
        pass
