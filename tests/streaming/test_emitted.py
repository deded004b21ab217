"""Events that a program emits with `ctx.emit`, and what reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from stead import Agent, CustomEvent, RunContext
from stead.capabilities import AbstractCapability, Capability
from stead.exceptions import UserError
from stead.messages import AgentStreamEvent, CapabilityEvent
from stead.models.test import TestModel

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


@dataclass(kw_only=True)
class Emitted(CustomEvent, name='tests.emitted'):
    n: int = 0


@dataclass(kw_only=True)
class Owned(CapabilityEvent, namespace='tests_emitted'):
    n: int = 0


class Heard(AbstractCapability[Any]):
    """Listens to the events of the program."""

    def __init__(self) -> None:
        self.id = 'heard'
        self.events: list[object] = []

    def listens_to(self, event: object) -> bool:
        return isinstance(event, (Emitted, Owned))

    async def on_event(self, ctx: RunContext[Any], *, event: AgentStreamEvent) -> None:
        self.events.append(event)


async def work(ctx: RunContext[None]) -> str:
    await ctx.emit(Emitted(n=1))
    return 'done'


async def test_listeners_of_capabilities_hear_what_is_emitted() -> None:
    heard = Heard()
    await Agent(TestModel(), capabilities=[heard], tools=[work]).run('go')
    assert heard.events == [Emitted(n=1, tool_call_id='pyd_ai_tool_call_id__work', tool_name='work')]


async def test_text_is_read_beside_events_that_are_emitted() -> None:
    agent = Agent(TestModel(custom_output_text='a b c', call_tools=[]))

    @agent.instructions
    async def instruct(ctx: RunContext[None]) -> str:
        await ctx.emit(Emitted(n=2))
        return ''

    async with agent.run_stream('go') as result:
        assert [text async for text in result.stream_text(delta=True, debounce_by=None)] == ['a ', 'b ', 'c']
    async with agent.run_stream('go', until='end') as result:
        assert await result.get_output() == 'a b c'


async def test_a_run_that_nothing_reads_keeps_a_bounded_number() -> None:
    agent = Agent(TestModel(call_tools=[]))

    @agent.instructions
    async def instruct(ctx: RunContext[None]) -> str:
        for n in range(3000):
            await ctx.emit(Emitted(n=n))
        return ''

    seen: list[object] = []
    async with agent.iter('go') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    seen.extend([event async for event in stream if isinstance(event, Emitted)])
    assert [seen[0], seen[-1], len(seen)] == [Emitted(n=1976), Emitted(n=2999), 1024]


async def test_events_of_capabilities_say_whose_they_are() -> None:
    class Hooked(AbstractCapability[Any]):
        async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
            await ctx.emit(Owned(n=1, capability_id='hooked'))
            return request_context

    tools, heard = Capability[None](id='tools'), Heard()

    @tools.tool
    async def note(ctx: RunContext[None]) -> str:
        await ctx.emit(Owned(n=2))
        return 'noted'

    await Agent(TestModel(), capabilities=[Hooked(), tools, heard]).run('go')
    assert [(one.n, one.capability_id, one.tool_name) for one in heard.events if isinstance(one, Owned)] == [
        (1, 'hooked', None),
        (2, 'tools', 'note'),
        (1, 'hooked', None),
    ]


async def test_what_is_no_event_of_a_program_is_refused() -> None:
    async def wrong(ctx: RunContext[None]) -> str:
        with pytest.raises(UserError, match='of your own are emitted'):
            await ctx.emit('text')  # type: ignore[reportArgumentType]
        with pytest.raises(UserError, match='of your own are emitted, not <int of'):
            await ctx.emit(10**5_000)  # type: ignore[reportArgumentType]
        with pytest.raises(UserError, match='emitted by none'):
            await ctx.emit(Owned())
        return 'ok'

    await Agent(TestModel(), tools=[wrong]).run('go')
