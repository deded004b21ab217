"""`Hooks`: functions by decorator and by argument; sync and async, timeouts, tools, order."""

import asyncio
import threading
import time

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import CapabilityOrdering, Hooks
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RunUsage

ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
log = []


async def attempt(label, awaitable):
    try:
        result = await awaitable
    except BaseException as error:
        result = f'{type(error).__name__} {error.args if not isinstance(error, TypeError) else ""}'
    print(label, result, log[:])
    log.clear()


definition = ToolDefinition(name='x', metadata={'k': 1})
call = ToolCallPart('x', {}, 'c')
TOOL_ARGUMENTS = {'call': call, 'tool_def': definition}


async def handler(request_context):
    log.append('act')
    return request_context


async def wrap_first(ctx, *, request_context, handler):
    log.append('w1')
    return await handler(request_context + 'w1')


async def model_requests():
    hooks = Hooks()

    @hooks.on.before_model_request
    async def b1(ctx, request_context):
        log.append('b1')
        return request_context + '1'

    @hooks.on.before_model_request()
    def b2(ctx, request_context):
        log.append('b2')
        return request_context + '2'

    @hooks.on.before_model_request(timeout=0.05)
    async def b3(ctx, request_context):
        log.append('b3')
        return request_context + '3'

    print(b1.__name__, b2.__name__, type(b1).__name__)
    await attempt('before', hooks.before_model_request(ctx, 'V'))

    @hooks.on.after_model_request
    def after_first(ctx, *, request_context, response):
        log.append('a1')
        return response + '1'

    @hooks.on.after_model_request
    def after_second(ctx, *, request_context, response):
        log.append('a2')
        return response + '2'

    await attempt('after', hooks.after_model_request(ctx, request_context='V', response='R'))

    hooks.on.model_request(wrap_first)

    @hooks.on.model_request
    async def wrap_second(ctx, *, request_context, handler):
        log.append('w2')
        return await handler(request_context + 'w2')

    await attempt('wrap', hooks.wrap_model_request(ctx, request_context='V', handler=handler))

    @hooks.on.model_request
    def wrap_sync(ctx, *, request_context, handler):
        log.append('w3')
        return handler(request_context + 'w3')

    await attempt('wrap sync', hooks.wrap_model_request(ctx, request_context='V', handler=handler))

    @hooks.on.model_request_error
    def error_first(ctx, *, request_context, error):
        log.append(f'e1 {error!r}')
        raise error

    @hooks.on.model_request_error
    async def error_second(ctx, *, request_context, error):
        log.append(f'e2 {error!r}')
        raise ValueError('e2')

    @hooks.on.model_request_error
    async def error_recovers(ctx, *, request_context, error):
        log.append(f'e3 {error!r}')
        return 'REC'

    await attempt('error', hooks.on_model_request_error(ctx, request_context='V', error=KeyError('k')))
    more_hooks = Hooks()

    @more_hooks.on.model_request_error
    async def error_ignored(ctx, *, request_context, error):
        return None

    await attempt('error none', more_hooks.on_model_request_error(ctx, request_context='V', error=KeyError('k')))
    more_hooks = Hooks()

    @more_hooks.on.before_model_request
    def before_nothing(ctx, request_context):
        log.append('bn')

    await attempt('before none', more_hooks.before_model_request(ctx, 'V'))

    @more_hooks.on.after_model_request
    def after_nothing(ctx, *, request_context, response):
        log.append('an')

    await attempt('after none', more_hooks.after_model_request(ctx, request_context='V', response='R'))


async def tools():
    more_hooks = Hooks()

    @more_hooks.on.before_tool_execute(tools=['x'])
    def before_x(ctx, *, call, tool_def, args):
        log.append('t1')
        return {**args, 't1': 1}

    @more_hooks.on.before_tool_execute(tools=['y'])
    def before_y(ctx, *, call, tool_def, args):
        log.append('t2')
        return {**args, 't2': 1}

    @more_hooks.on.before_tool_execute(tools=[])
    def before_none(ctx, *, call, tool_def, args):
        log.append('t3')
        return {**args, 't3': 1}

    @more_hooks.on.after_tool_execute(tools=('x',))
    def after_x(ctx, *, call, tool_def, args, result):
        log.append('t4')
        return result + 1

    @more_hooks.on.tool_execute(tools=['y'])
    async def wrap_y(ctx, *, call, tool_def, args, handler):
        log.append('t5')
        return await handler(args)

    @more_hooks.on.tool_execute_error(tools=['y'])
    async def recover_y(ctx, *, call, tool_def, args, error):
        log.append('t6')
        return 'REC'

    await attempt('tools', more_hooks.before_tool_execute(ctx, **TOOL_ARGUMENTS, args={}))
    await attempt('tools after', more_hooks.after_tool_execute(ctx, **TOOL_ARGUMENTS, args={}, result=1))
    await attempt('tools wrap', more_hooks.wrap_tool_execute(ctx, **TOOL_ARGUMENTS, args={}, handler=handler))
    await attempt('tools err', more_hooks.on_tool_execute_error(ctx, **TOOL_ARGUMENTS, args={}, error=KeyError('k')))
    for selected in (('x',), {'x'}, ['y', 'x'], ('z',)):
        other_hooks = Hooks()
        try:

            @other_hooks.on.before_tool_execute(tools=selected)
            def before_selected(ctx, *, call, tool_def, args):
                log.append('t7')
                return args

            await attempt(
                f'sel {selected if not callable(selected) else "fn"}',
                other_hooks.before_tool_execute(ctx, **TOOL_ARGUMENTS, args={}),
            )
        except Exception as error:
            print('sel', type(error).__name__)
    other_hooks = Hooks(
        before_tool_execute=before_x,
        tool_execute=wrap_y,
        model_request=wrap_first,
        event=lambda ctx, event: event,
        deferred_tool_calls=lambda ctx, *, requests: None,
        prepare_tools=lambda ctx, definitions: definitions[:1],
    )
    await attempt('ctor', other_hooks.before_tool_execute(ctx, **TOOL_ARGUMENTS, args={}))
    await attempt('prep', other_hooks.prepare_tools(ctx, [1, 2]))
    await attempt('deferred', other_hooks.handle_deferred_tool_calls(ctx, requests='R'))
    other_hooks = Hooks()

    @other_hooks.on.prepare_tools
    def prepare_nothing(ctx, definitions):
        return None

    await attempt('prep none', other_hooks.prepare_tools(ctx, [1, 2]))


async def timeouts():
    other_hooks = Hooks()

    @other_hooks.on.before_model_request(timeout=0.02)
    async def slow(ctx, request_context):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            log.append('cancelled')
            raise

    await attempt('timeout', other_hooks.before_model_request(ctx, 'V'))
    other_hooks = Hooks()

    @other_hooks.on.before_model_request(timeout=0.02)
    def slow_sync(ctx, request_context):
        time.sleep(0.15)
        log.append('slept')
        return request_context

    await attempt('timeout sync', other_hooks.before_model_request(ctx, 'V'))
    other_hooks = Hooks()

    @other_hooks.on.model_request(timeout=0.02)
    async def slow3(ctx, *, request_context, handler):
        return await handler(request_context)

    async def slow_handler(request_context):
        await asyncio.sleep(1)

    await attempt('timeout wrap', other_hooks.wrap_model_request(ctx, request_context='V', handler=slow_handler))
    other_hooks = Hooks()

    @other_hooks.on.run_error(timeout=0.02)
    async def slow4(ctx, *, error):
        await asyncio.sleep(1)

    await attempt('timeout err', other_hooks.on_run_error(ctx, error=KeyError()))


async def runs():
    other_hooks = Hooks()

    @other_hooks.on.before_run
    def before_run(ctx):
        log.append('br')
        return 'ignored'

    @other_hooks.on.run
    async def wrap_run(ctx, *, handler):
        log.append('rr')
        return await handler()

    @other_hooks.on.after_run
    def after_run(ctx, *, result):
        log.append('ar')
        return result

    await attempt('before_run', other_hooks.before_run(ctx))

    async def run_handler():
        return 'RES'

    await attempt('run', other_hooks.wrap_run(ctx, handler=run_handler))
    await attempt('after_run', other_hooks.after_run(ctx, result='q'))
    print(
        Hooks().has_wrap_node_run,
        Hooks(node_run=wrap_first).has_wrap_node_run,
        Hooks(event=lambda ctx, event: event).has_wrap_run_event_stream,
        Hooks(ordering=CapabilityOrdering(position='innermost')).get_ordering(),
    )
    try:
        Hooks(nonsense=1)
    except TypeError:
        print('TypeError')
    try:
        Hooks().on.nonsense
    except AttributeError:
        print('AttributeError')


async def added_later():
    model = TestModel()
    late_hooks = Hooks()
    agent = Agent(model, capabilities=[late_hooks])
    await agent.run('x')

    @late_hooks.on.before_model_request
    def late(ctx, request_context):
        log.append('late')
        return request_context

    @late_hooks.on.prepare_tools
    def late_prepare(ctx, definitions):
        log.append('late prepare')
        return definitions

    @agent.tool_plain
    def one() -> int:
        return 1

    await agent.run('x')
    print(log)
    log.clear()
    # sync hooks leave the main thread
    run_hooks = Hooks()

    @run_hooks.on.before_run
    def in_main_thread(ctx):
        log.append(threading.current_thread() is threading.main_thread())

    await run_hooks.before_run(ctx)
    print(log)


for scene in (model_requests, tools, timeouts, runs, added_later):
    asyncio.run(scene())
