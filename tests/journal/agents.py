"""Agents of many kinds, for tests that end their runs anywhere. Their models do the same each time."""

from __future__ import annotations

import asyncio
import copy
import json
import weakref
from collections.abc import AsyncIterator
from typing import Any

from pydantic import BaseModel

from examples.support_desk import desk as desk_module
from examples.support_desk.orders import Orders
from examples.support_desk.scripted import respond
from stead import Agent, DeferredToolRequests, ModelRetry, RunContext, TextOutput, ToolOutput
from stead.capabilities import Capability
from stead.exceptions import ApprovalRequired
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturn
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.output import output_function
from stead.testing import CrashScene
from stead.tools import ToolApproved, ToolDenied
from stead.toolsets import FunctionToolset


def scripted(*responses: list[Any], text: str = 'done') -> FunctionModel:
    """Return a model that gives these responses in turn, by the number of responses in the history, and then a text."""

    def parts_for(messages: list[ModelMessage]) -> list[Any]:
        # What announces loaded tools looks like a response of the model, and has no usage.
        turn = sum(isinstance(message, ModelResponse) and message.usage.has_values() for message in messages)
        return responses[turn] if turn < len(responses) else [TextPart(text)]

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=copy.deepcopy(parts_for(messages)))

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        for index, part in enumerate(parts_for(messages) or [TextPart('')]):
            if isinstance(part, TextPart):
                for piece in part.content.split() or ['']:
                    yield piece
                continue
            yield {index: DeltaToolCall(part.tool_name, tool_call_id=part.tool_call_id)}
            yield {index: DeltaToolCall(json_args=part.args_as_json_str())}

    return FunctionModel(answer, stream_function=stream)


def call(name: str, call_id: str | None = None, **args: Any) -> ToolCallPart:
    """Return a call; without an id it gets one that no other process knows."""
    return ToolCallPart(name, args, tool_call_id=call_id) if call_id else ToolCallPart(name, args)


def tools() -> FunctionToolset[Any]:
    toolset: FunctionToolset[Any] = FunctionToolset()

    @toolset.tool_plain
    async def pay(amount: int) -> str:
        await asyncio.sleep(0)
        return f'paid {amount}'

    @toolset.tool_plain
    def send(to: str) -> ToolReturn:
        return ToolReturn(f'sent to {to}', content=f'A picture for {to}.', metadata={'to': to})

    @toolset.tool_plain(effect='read')
    async def look(what: str) -> str:
        return f'{what} is fine'

    @toolset.tool_plain(effect='idempotent')
    def store(value: int) -> int:
        return value

    return toolset


# The support desk


def support_desk() -> Agent[Any, Any]:
    agent = copy.copy(desk_module.desk)
    agent.model = FunctionModel(respond, stream_function=respond_in_pieces)
    return agent


async def respond_in_pieces(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    for index, part in enumerate(respond(messages, info).parts):
        if isinstance(part, TextPart):
            yield part.content
        elif isinstance(part, ToolCallPart):
            yield {index: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}


def shop(scene: CrashScene) -> desk_module.Shop:
    orders = Orders(scene.directory / 'orders.db')
    opened = desk_module.Shop(orders)
    weakref.finalize(opened, orders.close)  # a `__del__` may come too late: the connection is in the same circle
    return opened


# Batches


def parallel() -> Agent[None, Any]:
    batch = [
        call('pay', 'c1', amount=1),
        call('look', 'c2', what='a'),
        call('send', 'c3', to='Ada'),
        call('store', 'c4', value=3),
        call('pay', 'c5', amount=2),
    ]
    second = [call('pay', amount=5), call('pay', amount=6)]
    return Agent(scripted(batch, second), name='parallel', toolsets=[tools()])


# Agents that tools run


def nested(scene: CrashScene) -> Agent[None, Any]:
    """Return an agent whose tool runs agents, which run agents; some of them have to ask."""

    def child(name: str, inner: Agent[None, Any] | None = None) -> Agent[None, Any]:
        steps = [[call('pay', amount=1), call('wipe', disk=name)]]
        if inner is not None:
            steps.append([call('ask', f'{name}-1'), call('ask', f'{name}-2')])
        agent: Agent[None, Any] = Agent(
            scripted(*steps, text=f'{name} is done'),
            name=name,
            output_type=[str, DeferredToolRequests],
            toolsets=[tools()],
            capabilities=scene.capabilities,
        )

        @agent.tool_plain(requires_approval=name != 'quick')
        def wipe(disk: str) -> str:
            return f'wiped {disk}'

        if inner is not None:

            @agent.tool_plain(effect='idempotent')
            async def ask() -> str:
                return (await inner.run('go')).output

        return agent

    quick, slow = child('quick'), child('slow', child('deep'))
    root: Agent[None, Any] = Agent(
        scripted([call('ask_both', 'r1'), call('ask_quick', 'r2'), call('pay', 'r3', amount=7)]),
        name='nested',
        output_type=[str, DeferredToolRequests],
        toolsets=[tools()],
    )

    @root.tool(effect='idempotent')
    async def ask_both(ctx: RunContext) -> str:
        runs = await asyncio.gather(slow.run('go', usage=ctx.usage), quick.run('go', usage=ctx.usage))
        return ', '.join(str(run.output) for run in runs)

    @root.tool_plain(effect='idempotent')
    async def ask_quick() -> str:
        return (await quick.run('go')).output

    return root


# Approvals


def approvals() -> Agent[None, Any]:
    batch = [
        call('wipe', 'w1', disk='a'),
        call('wipe', 'w2', disk='b'),
        call('wipe', 'w3', disk='c'),
        call('fetch', 'f1', page='x'),
        call('careful', 'm1', amount=500),
        call('pay', 'p1', amount=1),
    ]
    agent: Agent[None, Any] = Agent(
        scripted(batch, [call('careful', 'm2', amount=5), call('wipe', 'w4', disk='a')]),
        name='approvals',
        output_type=[str, DeferredToolRequests],
        toolsets=[tools()],
    )

    @agent.tool_plain(requires_approval=True)
    def wipe(disk: str) -> str:
        return f'wiped {disk}'

    @agent.tool
    async def careful(ctx: RunContext, amount: int) -> str:
        if amount > 100 and not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'amount': amount})
        return f'transferred {amount}'

    @agent.tool_plain(requires_approval=True, effect='read')
    def fetch(page: str) -> str:
        return f'page {page}'

    return agent


def decide(waiting: ToolCallPart) -> Any:
    """Decide about a call of `approvals` or `nested`."""
    disk = waiting.args_as_dict().get('disk')
    if disk == 'b':
        return ToolDenied('Not that one.')
    return ToolApproved(override_args={'disk': 'z'}) if disk == 'c' else True


# On demand


def on_demand() -> Agent[None, Any]:
    refunds = Capability[None](id='refunds', description='Refunds.', instructions='Be brief.', defer_loading=True)

    @refunds.tool_plain
    def refund(order: int) -> str:
        return f'refunded {order}'

    hidden: FunctionToolset[None] = FunctionToolset()

    @hidden.tool_plain(defer_loading=True)
    def weather(city: str) -> str:
        """Tell the weather of a city."""
        return f'{city} is sunny'

    steps = (
        [call('load_capability', id='refunds')],
        [call('refund', order=1), call('search_tools', queries=['weather'])],
        [call('weather', city='Ankara'), call('refund', order=2)],
    )
    return Agent(scripted(*steps), name='on-demand', toolsets=[hidden], capabilities=[refunds])


# Retries


def retries() -> Agent[None, Any]:
    steps = (
        [call('shy', 'c1'), call('pay', 'c2', amount='x')],
        [call('shy', 'c3'), call('pay', 'c4', amount=3)],
        [call('nothing', 'c5'), call('rare', 'c6')],
        [],
        [call('rare', 'c7'), call('rare', 'c8')],
    )
    agent: Agent[None, Any] = Agent(scripted(*steps), name='retries', toolsets=[tools()], retries=3)

    @agent.tool(effect='read')
    def shy(ctx: RunContext) -> str:
        if ctx.retry == 0:
            raise ModelRetry('once more')
        return f'at {ctx.retry}'

    @agent.tool_plain(max_calls=2)
    async def rare() -> str:
        return 'a rare thing'

    return agent


# Outputs


class Sum(BaseModel):
    value: int


def outputs() -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(
        scripted(
            [call('pay', 'c1', amount=1)],
            [call('final_sum', 'c2', value='many')],
            [call('final_sum', 'c3', value=7)],
            [TextPart('four')],
            [call('final_sum', 'c4', value=3), call('pay', 'c5', amount=2)],
        ),
        name='outputs',
        output_type=[ToolOutput(Sum, name='final_sum'), TextOutput(count)],
        toolsets=[tools()],
        end_strategy='exhaustive',
        retries=4,
    )

    @agent.output_validator
    def small(output: Any) -> Any:
        if not isinstance(output, Sum) or output.value > 5:
            raise ModelRetry('too large')
        return output

    return agent


@output_function(effect='read')
def count(text: str) -> int:
    return len(text)


# What is enqueued, and what tools call


def enqueuing() -> Agent[None, Any]:
    steps = [call('note', 'c1', text='one'), call('pay', 'c2', amount=1)], [TextPart('almost')]
    agent: Agent[None, Any] = Agent(scripted(*steps), name='enqueuing', toolsets=[tools()])

    @agent.tool(effect='idempotent')
    async def note(ctx: RunContext, text: str) -> str:
        ctx.enqueue(f'Note: {text}')
        ctx.enqueue('Anything else?', priority='when_idle')
        return 'noted'

    return agent


def scripts() -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(scripted([call('script', 'c1')]), name='scripts', toolsets=[tools()])

    @agent.tool(effect='idempotent')
    async def script(ctx: RunContext) -> str:
        assert ctx.tool_manager is not None
        first = await ctx.tool_manager.handle_call(call('look', what='it'))
        second = await ctx.tool_manager.handle_call(call('store', value=2))
        return json.dumps([first, second])

    return agent


def writing_scripts() -> Agent[None, Any]:
    """Return an agent whose tool calls tools that change something: in turn, at once, and inside of another tool."""
    agent: Agent[None, Any] = Agent(
        scripted([call('script', 'c1'), call('pay', 'c2', amount=9)], [call('script', 'c1')]),
        name='writing',
        toolsets=[tools()],
        output_type=[str, DeferredToolRequests],
    )

    @agent.tool_plain(requires_approval=True)
    async def wipe(disk: str) -> str:
        return f'{disk} is empty'

    @agent.tool(effect='idempotent')
    async def twice(ctx: RunContext, amount: int) -> list[str]:
        assert ctx.tool_manager is not None
        return [await ctx.tool_manager.handle_call(call('pay', amount=amount + n)) for n in (1, 2)]

    @agent.tool(effect='idempotent')
    async def script(ctx: RunContext) -> str:
        assert ctx.tool_manager is not None
        manager, step = ctx.tool_manager, ctx.run_step * 100
        results: list[Any] = [await manager.handle_call(call('pay', amount=step + n)) for n in (1, 2)]
        results += await asyncio.gather(*(manager.handle_call(call('pay', amount=step + n)) for n in (3, 4)))
        results += [str(await manager.handle_call(call('wipe', disk=disk))) for disk in ('a', 'b', 'c')]
        results.append(await manager.handle_call(call('twice', amount=step + 10)))
        return json.dumps(results)

    return agent


def in_turn() -> Agent[None, Any]:
    """Return an agent whose calls run one after the other."""
    agent = Agent(
        scripted([call('book', f'c{n}', number=n) for n in (1, 2, 3)], [call('book', 'c1', number=4)]), name='in turn'
    )

    @agent.tool_plain(sequential=True)
    async def book(number: int) -> str:
        await asyncio.sleep(0)
        return f'booked {number}'

    return agent
