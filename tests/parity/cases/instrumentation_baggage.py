"""The baggage of OpenTelemetry inside of runs: which agent, which run, which conversation."""

import asyncio

from _common import fact
from opentelemetry import baggage, context
from opentelemetry.trace import NoOpTracerProvider
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.test import TestModel

settings = InstrumentationSettings(tracer_provider=NoOpTracerProvider())


def seen(what, run_id=None):
    """Show the baggage; ids of runs are shown as whether they are those of the run."""
    values = dict(baggage.get_all())
    call_id = values.pop('gen_ai.agent.call.id', None)
    fact(what, [values, call_id is not None and call_id == run_id])


def agent(name, instrument=settings, **options):
    new = Agent(TestModel(), name=name, instrument=instrument, **options)

    @new.tool
    async def look(ctx) -> None:
        seen(f'tool of {name}', ctx.run_id)

    @new.instructions
    def today(ctx) -> str:
        seen(f'instructions of {name}', ctx.run_id)
        return ''

    return new


async def main():
    await agent('plain', None).run('go', conversation_id='c')
    await agent('traced').run('go', conversation_id='c')
    seen('after')
    outer = agent('outer')

    @outer.tool_plain
    async def deeper() -> None:
        await agent('inner').run('go', conversation_id='d')
        seen('back')

    await outer.run('go', conversation_id='c')
    token = context.attach(baggage.set_baggage('mine', '1'))
    await agent('beside').run('go', conversation_id='c')
    seen('own')
    async with agent('stepwise').iter('go', conversation_id='c') as run:
        async for _ in run:
            pass
    async with agent('streamed').run_stream('go', conversation_id='c') as result:
        await result.get_output()
    seen('at the end')
    context.detach(token)


asyncio.run(main())
