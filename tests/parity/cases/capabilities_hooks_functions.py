"""`Hooks`: functions by decorator and by argument; sync and async, timeouts, tools, order."""

import asyncio
import time

from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import CapabilityOrdering, Hooks
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RunUsage

ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage())
log = []


def P(*a):
    print(*a)


async def attempt(label, coro):
    try:
        r = await coro
    except BaseException as e:
        r = f'{type(e).__name__} {e.args if not isinstance(e, TypeError) else ""}'
    print(label, r, log[:])
    log.clear()


td = ToolDefinition(name='x', metadata={'k': 1})
call = ToolCallPart('x', {}, 'c')
T = {'call': call, 'tool_def': td}


async def main():
    h = Hooks()

    @h.on.before_model_request
    async def b1(ctx, rc):
        log.append('b1')
        return rc + '1'

    @h.on.before_model_request()
    def b2(ctx, rc):
        log.append('b2')
        return rc + '2'

    @h.on.before_model_request(timeout=0.05)
    async def b3(ctx, rc):
        log.append('b3')
        return rc + '3'

    P(b1.__name__, b2.__name__, type(b1).__name__)
    await attempt('before', h.before_model_request(ctx, 'V'))

    @h.on.after_model_request
    def a1(ctx, *, request_context, response):
        log.append('a1')
        return response + '1'

    @h.on.after_model_request
    def a2(ctx, *, request_context, response):
        log.append('a2')
        return response + '2'

    await attempt('after', h.after_model_request(ctx, request_context='V', response='R'))

    @h.on.model_request
    async def w1(ctx, *, request_context, handler):
        log.append('w1')
        return await handler(request_context + 'w1')

    @h.on.model_request
    async def w2(ctx, *, request_context, handler):
        log.append('w2')
        return await handler(request_context + 'w2')

    async def handler(v):
        log.append('act')
        return v

    await attempt('wrap', h.wrap_model_request(ctx, request_context='V', handler=handler))

    @h.on.model_request
    def w3(ctx, *, request_context, handler):
        log.append('w3')
        return handler(request_context + 'w3')

    await attempt('wrap sync', h.wrap_model_request(ctx, request_context='V', handler=handler))

    @h.on.model_request_error
    def e1(ctx, *, request_context, error):
        log.append(f'e1 {error!r}')
        raise error

    @h.on.model_request_error
    async def e2(ctx, *, request_context, error):
        log.append(f'e2 {error!r}')
        raise ValueError('e2')

    @h.on.model_request_error
    async def e3(ctx, *, request_context, error):
        log.append(f'e3 {error!r}')
        return 'REC'

    await attempt('error', h.on_model_request_error(ctx, request_context='V', error=KeyError('k')))
    h2 = Hooks()

    @h2.on.model_request_error
    async def e4(ctx, *, request_context, error):
        return None

    await attempt('error none', h2.on_model_request_error(ctx, request_context='V', error=KeyError('k')))
    h2 = Hooks()

    @h2.on.before_model_request
    def bn(ctx, rc):
        log.append('bn')

    await attempt('before none', h2.before_model_request(ctx, 'V'))

    @h2.on.after_model_request
    def an(ctx, *, request_context, response):
        log.append('an')

    await attempt('after none', h2.after_model_request(ctx, request_context='V', response='R'))
    h2 = Hooks()

    @h2.on.before_tool_execute(tools=['x'])
    def t1(ctx, *, call, tool_def, args):
        log.append('t1')
        return {**args, 't1': 1}

    @h2.on.before_tool_execute(tools=['y'])
    def t2(ctx, *, call, tool_def, args):
        log.append('t2')
        return {**args, 't2': 1}

    @h2.on.before_tool_execute(tools=[])
    def t3(ctx, *, call, tool_def, args):
        log.append('t3')
        return {**args, 't3': 1}

    @h2.on.after_tool_execute(tools=('x',))
    def t4(ctx, *, call, tool_def, args, result):
        log.append('t4')
        return result + 1

    @h2.on.tool_execute(tools=['y'])
    async def t5(ctx, *, call, tool_def, args, handler):
        log.append('t5')
        return await handler(args)

    @h2.on.tool_execute_error(tools=['y'])
    async def t6(ctx, *, call, tool_def, args, error):
        log.append('t6')
        return 'REC'

    await attempt('tools', h2.before_tool_execute(ctx, **T, args={}))
    await attempt('tools after', h2.after_tool_execute(ctx, **T, args={}, result=1))
    await attempt('tools wrap', h2.wrap_tool_execute(ctx, **T, args={}, handler=handler))
    await attempt('tools err', h2.on_tool_execute_error(ctx, **T, args={}, error=KeyError('k')))
    for sel in (('x',), {'x'}, ['y', 'x'], ('z',)):
        h3 = Hooks()
        try:

            @h3.on.before_tool_execute(tools=sel)
            def t7(ctx, *, call, tool_def, args):
                log.append('t7')
                return args

            await attempt(f'sel {sel if not callable(sel) else "fn"}', h3.before_tool_execute(ctx, **T, args={}))
        except Exception as e:
            P('sel', type(e).__name__)
    h3 = Hooks(
        before_tool_execute=t1,
        tool_execute=t5,
        model_request=w1,
        event=lambda c, e: e,
        deferred_tool_calls=lambda c, *, requests: None,
        prepare_tools=lambda c, d: d[:1],
    )
    await attempt('ctor', h3.before_tool_execute(ctx, **T, args={}))
    await attempt('prep', h3.prepare_tools(ctx, [1, 2]))
    await attempt('deferred', h3.handle_deferred_tool_calls(ctx, requests='R'))
    h3 = Hooks()

    @h3.on.prepare_tools
    def pn(c, d):
        return None

    await attempt('prep none', h3.prepare_tools(ctx, [1, 2]))
    h3 = Hooks()

    @h3.on.before_model_request(timeout=0.02)
    async def slow(ctx, rc):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            log.append('cancelled')
            raise

    await attempt('timeout', h3.before_model_request(ctx, 'V'))
    h3 = Hooks()

    @h3.on.before_model_request(timeout=0.02)
    def slow2(ctx, rc):
        time.sleep(0.15)
        log.append('slept')
        return rc

    await attempt('timeout sync', h3.before_model_request(ctx, 'V'))
    h3 = Hooks()

    @h3.on.model_request(timeout=0.02)
    async def slow3(ctx, *, request_context, handler):
        return await handler(request_context)

    async def slowh(v):
        await asyncio.sleep(1)

    await attempt('timeout wrap', h3.wrap_model_request(ctx, request_context='V', handler=slowh))
    h3 = Hooks()

    @h3.on.run_error(timeout=0.02)
    async def slow4(ctx, *, error):
        await asyncio.sleep(1)

    await attempt('timeout err', h3.on_run_error(ctx, error=KeyError()))
    # prepare/event/run timeouts & before_run
    h3 = Hooks()

    @h3.on.before_run
    def br(ctx):
        log.append('br')
        return 'ignored'

    @h3.on.run
    async def rr(ctx, *, handler):
        log.append('rr')
        return await handler()

    @h3.on.after_run
    def ar(ctx, *, result):
        log.append('ar')
        return result

    await attempt('before_run', h3.before_run(ctx))

    async def hh():
        return 'RES'

    await attempt('run', h3.wrap_run(ctx, handler=hh))
    await attempt('after_run', h3.after_run(ctx, result='q'))
    P(
        Hooks().has_wrap_node_run,
        Hooks(node_run=w1).has_wrap_node_run,
        Hooks(event=lambda c, e: e).has_wrap_run_event_stream,
        Hooks(ordering=CapabilityOrdering(position='innermost')).get_ordering(),
    )
    try:
        Hooks(nonsense=1)
    except TypeError:
        P('TypeError')
    try:
        Hooks().on.nonsense
    except AttributeError:
        P('AttributeError')
    m = TestModel()
    hk = Hooks()
    a = Agent(m, capabilities=[hk])
    (await a.run('x'))

    @hk.on.before_model_request
    def late(ctx, rc):
        log.append('late')
        return rc

    @hk.on.prepare_tools
    def latep(ctx, defs):
        log.append('late prepare')
        return defs

    @a.tool_plain
    def tt() -> int:
        return 1

    (await a.run('x'))
    P(log)
    log.clear()
    # same thread?
    import threading

    h4 = Hooks()

    @h4.on.before_run
    def th(ctx):
        log.append(threading.current_thread() is threading.main_thread())

    await h4.before_run(ctx)
    P(log)


asyncio.run(main())
