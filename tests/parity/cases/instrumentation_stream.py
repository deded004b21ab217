"""Traces of runs whose responses are streamed."""

import asyncio

from _instrumentation import SETUP, recording
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.test import TestModel


def make(settings, **options):
    agent = Agent(TestModel(**options), name='s', capabilities=[Instrumentation(settings)])

    @agent.tool_plain
    def t():
        return 1

    return agent


async def main():
    recorder, settings = recording()
    print('== text')
    async with make(settings).run_stream('x') as result:
        async for text in result.stream_text(debounce_by=None):
            pass
        print(text)
    recorder.show(without=SETUP)
    recorder.show_metrics()
    recorder.clear()
    print('== nodes')
    async with make(settings).iter('x') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    async for _ in stream:
                        pass
    recorder.show(without=SETUP)
    recorder.clear()
    print('== a handler of events')

    async def handle(ctx, events):
        async for _ in events:
            pass

    await make(settings).run('x', event_stream_handler=handle)
    recorder.show(without=SETUP)
    recorder.clear()
    print('== left early')
    async with make(settings, call_tools=[], custom_output_text='a b c d').run_stream('x') as result:
        async for text in result.stream_text(debounce_by=None):
            break
    recorder.show(only=())


asyncio.run(main())
