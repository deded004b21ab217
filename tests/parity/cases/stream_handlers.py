"""Event handlers: of the agent, of the run, both, with capabilities that see events; and what they are given."""

import asyncio
import json

from _common import fact
from _stream import call, script, show
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessEventStream


def recorder(log, name, most=None):
    async def handler(ctx, stream):
        log.append([name, 'step', ctx.run_step, len(ctx.messages), ctx.retry])
        count = 0
        async for event in stream:
            log.append([name, *show(event)[:2]])
            count += 1
            if count == most:
                log.append([name, 'leaves'])
                return
        log.append([name, 'end'])

    return handler


def build(**options):
    agent = Agent(script(['see ', *call('look', index=1)], ['the ', 'end']), **options)

    @agent.tool_plain
    def look() -> int:
        return 1

    return agent


async def tell(name, work, log):
    try:
        result = await work
        fact(name, [result.output, len(result.all_messages())])
    except Exception as error:
        fact(name, [type(error).__name__, str(error)])
    for line in sorted(log, key=lambda line: line[0]):  # which of them sees an event first is left open
        print('   ', json.dumps(line))
    log.clear()


async def main():
    log = []
    of_agent, of_run = recorder(log, 'agent'), recorder(log, 'run')
    await tell('of the agent', build(event_stream_handler=of_agent).run('q'), log)
    await tell('of the run', build().run('q', event_stream_handler=of_run), log)
    await tell('capability', build(capabilities=[ProcessEventStream(of_agent)]).run('q'), log)
    await tell(
        'capability and run',
        build(capabilities=[ProcessEventStream(of_agent)]).run('q', event_stream_handler=of_run),
        log,
    )
    await tell('leaves at once', build().run('q', event_stream_handler=recorder(log, 'run', 1)), log)

    async def dropping(ctx, stream):
        async for event in stream:
            if 'Delta' not in type(event).__name__:
                yield event

    await tell(
        'capability drops',
        build(capabilities=[ProcessEventStream(dropping)]).run('q', event_stream_handler=of_run),
        log,
    )
    await tell(
        'two capabilities',
        build(capabilities=[ProcessEventStream(dropping), ProcessEventStream(of_agent)]).run(
            'q', event_stream_handler=of_run
        ),
        log,
    )

    async def failing(ctx, stream):
        async for event in stream:
            raise ValueError('mine')

    await tell('fails', build().run('q', event_stream_handler=failing), log)

    async def failing_late(ctx, stream):
        async for event in stream:
            if 'Tool' in type(event).__name__:
                raise ValueError('mine')

    await tell('fails at a tool', build().run('q', event_stream_handler=failing_late), log)
    async with build().run_stream('q', event_stream_handler=of_run) as result:
        log.append('inside')
        await result.get_output()
    for line in log:
        print('   ', json.dumps(line if 'step' not in line else 'step'))
    log.clear()
    async with build(capabilities=[ProcessEventStream(of_agent)]).run_stream_events('q') as events:
        async for event in events:
            log.append(['reader', *show(event)[:2]])
    fact('events of capability', len([line for line in log if line[0] == 'agent']) > 0)
    fact('events of reader', [line for line in log if line[0] == 'reader'])


asyncio.run(main())
