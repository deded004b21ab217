"""Hooks while a run streams: around requests, tools, nodes, the run, and its events."""

import asyncio
import json

from _stream import call, parts, script, show
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import SkipModelRequest
from pydantic_ai.messages import ModelResponse, TextPart

log = []


class Watch(AbstractCapability):
    async def before_model_request(self, ctx, request_context):
        log.append('before request')
        return request_context

    async def wrap_model_request(self, ctx, *, request_context, handler):
        log.append('wrap request')
        response = await handler(request_context)
        log.append(['wrapped request', parts([response])])
        return response

    async def after_model_request(self, ctx, *, request_context, response):
        log.append(['after request', parts([response])])
        return response

    async def wrap_node_run(self, ctx, *, node, handler):
        log.append(['node', type(node).__name__])
        result = await handler(node)
        log.append(['node done', type(node).__name__])
        return result

    async def wrap_run(self, ctx, *, handler):
        log.append('run')
        result = await handler()
        log.append(['run done', result.output])
        return result

    async def before_tool_execute(self, ctx, *, call, tool_def, args):
        log.append('tool')
        return args

    async def wrap_run_event_stream(self, ctx, *, stream):
        log.append('stream opens')
        async for event in stream:
            log.append(show(event)[:2])
            yield event
        log.append('stream ends')


def print_log(name):
    print(name)
    for line in log:
        print('   ', json.dumps(line))
    log.clear()


def build(capability=None):
    agent = Agent(script(call('look'), ['the ', 'end']), capabilities=[capability or Watch()])

    @agent.tool_plain
    def look() -> int:
        return 1

    return agent


async def main():
    result = await build().run('q')
    print_log(['run', result.output])
    async with build().run_stream('q') as result:
        log.append('inside')
        output = await result.get_output()
        log.append('read')
    print_log(['run_stream', output])
    async with build().run_stream_events('q') as events:
        async for event in events:
            pass
    print_log('events')
    async with build().iter('q') as run:
        node = run.next_node
        while not Agent.is_end_node(node):
            if not Agent.is_user_prompt_node(node):
                async with node.stream(run.ctx) as stream:
                    async for event in stream:
                        log.append(['mine', show(event)[0]])
            node = await run.next(node)
    print_log('iter with streams')

    class Skip(Watch):
        async def wrap_model_request(self, ctx, *, request_context, handler):
            return ModelResponse(parts=[TextPart('mine')])

    async with build(Skip()).run_stream('q') as result:
        output = [text async for text in result.stream_text(debounce_by=None)]
    log.clear()
    print_log(['answered by wrap', output, parts(result.all_messages())])

    class Skip2(Watch):
        async def before_model_request(self, ctx, request_context):
            raise SkipModelRequest(ModelResponse(parts=[TextPart('skipped')]))

    async with build(Skip2()).run_stream('q') as result:
        output = [text async for text in result.stream_text(debounce_by=None)]
    log.clear()
    print_log(['skipped', output, parts(result.all_messages())])
    result = await build(Skip2()).run('q')
    log.clear()
    print_log(['skipped in run', result.output])

    class Changes(Watch):
        async def after_model_request(self, ctx, *, request_context, response):
            response.parts.append(TextPart('more'))
            return response

    async with build(Changes()).run_stream('q') as result:
        output = await result.get_output()
    print_log(['changed after', output, parts(result.all_messages())])

    class Again(Watch):
        asked_again = False

        async def after_model_request(self, ctx, *, request_context, response):
            if not self.asked_again:
                self.asked_again = True
                raise ModelRetry('again')
            return response

    try:
        async with build(Again()).run_stream('q') as result:
            output = await result.get_output()
        print_log(['again', output, parts(result.all_messages())])
    except Exception as error:
        print_log(['again', type(error).__name__, str(error)])


asyncio.run(main())
