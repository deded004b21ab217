"""The events of `iter`, of event handlers, of `run_stream` and of `run_stream_events`, in order."""

import json

from _stream import call, go, parts, script, show
from pydantic_ai import Agent


async def main():
    # 1. events of iter
    def make(**kw):
        a = Agent(script(['let ', 'me ', *call('add', '{"a": 1, "b": 2}')], ['the ', 'answer ', 'is 3']), **kw)

        @a.tool_plain
        def add(a: int, b: int) -> int:
            return a + b

        return a

    a = make()
    async with a.iter('q') as run:
        async for node in run:
            print(type(node).__name__)
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as s:
                    print('  ', type(s).__name__)
                    async for e in s:
                        print('  ', json.dumps(show(e)))
                    print(
                        '  ',
                        s.response.state,
                        s.usage.output_tokens if not callable(s.usage) else s.usage().output_tokens,
                    )
            elif Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as s:
                    async for e in s:
                        print('  ', json.dumps(show(e)))
    print(run.result.output, parts(run.result.all_messages()))
    # 2. event handler on run
    n = [0]

    async def handler(ctx, stream):
        n[0] += 1
        me = n[0]
        print('handler', me)
        async for e in stream:
            print('  ', me, json.dumps(show(e)))
        print('handler end', me)

    a = make()
    r = await a.run('q', event_stream_handler=handler)
    print(r.output)
    a = make(event_stream_handler=handler)
    try:
        async with a.iter('q') as run:
            node = run.next_node
            while not Agent.is_end_node(node):
                node = await run.next(node)
        print('iter', run.result.output)
    except Exception:
        print('iter next does not stream')
    # 3. run_stream
    a = make()
    async with a.run_stream('q', event_stream_handler=handler) as s:
        print('in run_stream', s.is_complete, s.response.state, parts(s.all_messages()))
        async for t in s.stream_text(debounce_by=None):
            print('   text', repr(t))
        print(s.is_complete)
    print(parts(s.all_messages()), len(s.new_messages()))
    # 4. run_stream_events
    a = make()
    async with a.run_stream_events('q') as ev:
        async for e in ev:
            print('  ', json.dumps(show(e)))
    async for e in make().run_stream_events('q'):
        print(type(e).__name__)


go(main)
