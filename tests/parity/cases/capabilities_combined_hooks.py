"""The hooks of combined and wrapping capabilities, called without an agent: order, deferral, recovery."""

import asyncio
import json

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, Hooks, WrapperCapability
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults
from pydantic_ai.usage import RunUsage

POINTS = {
    'run': ((), None, 'result'),
    'node_run': ((), 'node', 'result'),
    'model_request': ((), 'request_context', 'response'),
    'tool_validate': (('call', 'tool_def'), 'args', 'args'),
    'tool_execute': (('call', 'tool_def'), 'args', 'result'),
    'output_validate': (('output_context',), 'output', 'output'),
    'output_process': (('output_context',), 'output', 'output'),
}
log = []


class C(AbstractCapability):
    def __init__(self, name, **kw):
        self.name = name
        for k, v in kw.items():
            setattr(self, k, v)


def add(point):
    fixed, value, result = POINTS[point]

    async def before(self, ctx, *a, **kw):
        log.append([self.name, 'before', ctx.capability_loaded, sorted(kw)])
        return a[0] if a else kw.get(value)

    async def after(self, ctx, **kw):
        log.append([self.name, 'after', ctx.capability_loaded, sorted(kw)])
        return kw[result]

    async def wrap(self, ctx, *, handler, **kw):
        log.append([self.name, 'wrap', ctx.capability_loaded, sorted(kw)])
        return await (handler(kw[value]) if value else handler())

    async def err(self, ctx, *, error, **kw):
        log.append([self.name, 'error', ctx.capability_loaded, sorted(kw)])
        raise error

    for n, f in (
        (f'before_{point}', before),
        (f'after_{point}', after),
        (f'wrap_{point}', wrap),
        (f'on_{point}_error', err),
    ):
        setattr(C, n, f)


for p in POINTS:
    add(p)


async def pt(self, ctx, defs):
    log.append([self.name, 'prepare', ctx.capability_loaded])
    return defs


C.prepare_tools = pt
C.prepare_output_tools = pt


async def es(self, ctx, *, stream):
    log.append([self.name, 'stream', ctx.capability_loaded])
    async for e in stream:
        yield f'{self.name}{e}'


C.wrap_run_event_stream = es


async def hd(self, ctx, *, requests):
    log.append(
        [
            self.name,
            'deferred',
            ctx.capability_loaded,
            [c.tool_call_id for c in requests.calls],
            [c.tool_call_id for c in requests.approvals],
        ]
    )
    return self.answer() if hasattr(self, 'answer') else None


C.handle_deferred_tool_calls = hd


def emit(label, out):
    print(json.dumps([label, log[:], out], default=lambda o: type(o).__name__))
    log.clear()


async def src():
    yield 'e1'
    yield 'e2'


async def main():
    for loaded in (set(), {'d'}, {'a', 'd'}):
        ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage(), loaded_capability_ids=loaded)
        comb = CombinedCapability([C('a', id='a'), C('d', id='d', defer_loading=True), C('n')])
        for point, (fixed, value, result) in POINTS.items():
            kw = {f: f'<{f}>' for f in fixed}
            v = {value: 'V'} if value else {}
            args = ()
            b = dict(v)
            if point == 'model_request':
                args, b = ('V',), {}
            out = await getattr(comb, f'before_{point}')(ctx, *args, **kw, **b)
            emit(['before', point, sorted(loaded)], out)
            a = dict(v) if point in ('node_run', 'model_request', 'tool_execute') else {}
            out = await getattr(comb, f'after_{point}')(ctx, **kw, **{**a, result: 'R'})
            emit(['after', point, sorted(loaded)], out)

            async def handler(*x):
                log.append(['action', *x])
                return 'H'

            out = await getattr(comb, f'wrap_{point}')(ctx, **kw, **v, handler=handler)
            emit(['wrap', point, sorted(loaded)], out)
            try:
                out = await getattr(comb, f'on_{point}_error')(ctx, **kw, **v, error=ValueError('e'))
            except Exception as e:
                out = repr(e)
            emit(['error', point, sorted(loaded)], out)
        out = await comb.prepare_tools(ctx, ['t'])
        emit('prepare', out)
        out = await comb.prepare_output_tools(ctx, ['t'])
        emit('prepare_o', out)
        out = [e async for e in comb.wrap_run_event_stream(ctx, stream=src())]
        emit('stream', out)
        req = DeferredToolRequests(calls=[ToolCallPart('x', {}, 'c1')], approvals=[ToolCallPart('y', {}, 'p1')])
        out = await comb.handle_deferred_tool_calls(ctx, requests=req)
        emit('deferred', out)
    # accumulation
    comb = CombinedCapability(
        [
            C('a', answer=lambda: DeferredToolResults(calls={'c1': 1})),
            C('b', answer=lambda: DeferredToolResults()),
            C(
                'c',
                answer=lambda: DeferredToolResults(
                    approvals={'p1': True}, calls={'c1': 5, 'zz': 4}, metadata={'p1': {'k': 1}}
                ),
            ),
            C('z'),
        ]
    )
    req = DeferredToolRequests(
        calls=[ToolCallPart('x', {}, 'c1'), ToolCallPart('x', {}, 'c2')], approvals=[ToolCallPart('y', {}, 'p1')]
    )
    try:
        out = await comb.handle_deferred_tool_calls(ctx, requests=req)
        emit('acc', repr(out))
    except Exception as e:
        emit('acc', repr(e))
    comb = CombinedCapability([C('a', answer=lambda: DeferredToolResults(calls={'c1': 1})), C('z')])
    req = DeferredToolRequests(calls=[ToolCallPart('x', {}, 'c1')])
    out = await comb.handle_deferred_tool_calls(ctx, requests=req)
    emit('acc all', repr(out))
    comb = CombinedCapability([])
    out = await comb.handle_deferred_tool_calls(ctx, requests=req)
    emit('acc none', repr(out))
    # nested combined / wrappers
    c1, c2, c3 = C('1'), C('2'), C('3')
    nest = CombinedCapability([c1, CombinedCapability([c2, c3])])
    print(json.dumps(['nest', [getattr(c, 'name', type(c).__name__) for c in nest.capabilities]]))
    seen = []
    nest.apply(lambda c: seen.append(c.name))
    print(json.dumps(seen))
    w = WrapperCapability(c1)
    seen = []
    w.apply(lambda c: seen.append(type(c).__name__))
    print(json.dumps(seen))
    out = await w.before_model_request(ctx, 'V')
    emit('wrapper', out)
    nest = CombinedCapability([w, c2])
    print(json.dumps([type(c).__name__ for c in nest.capabilities]))
    # a wrapper around deferred
    w = WrapperCapability(C('d', id='d', defer_loading=True))
    print(json.dumps([w.id, w.defer_loading, w.description, w.get_description()]))
    ctx0 = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    out = await w.before_model_request(ctx0, 'V')
    emit('wrapper deferred', out)
    out = await CombinedCapability([w]).before_model_request(ctx0, 'V')
    emit('combined wrapper deferred', out)
    out = await CombinedCapability([WrapperCapability(c1, id='q', defer_loading=True)]).before_model_request(ctx0, 'V')
    emit('combined deferred wrapper', out)
    out = await C('d', id='d', defer_loading=True).before_model_request(ctx0, 'V')
    emit('bare deferred', out)

    # node run / base exception folds
    class E(AbstractCapability):
        def __init__(self, n, exc=None):
            self.n, self.exc = n, exc

        async def on_run_error(self, ctx, *, error):
            log.append([self.n, repr(error)])
            raise (self.exc or error)

        async def on_node_run_error(self, ctx, *, node, error):
            log.append([self.n, repr(error)])
            raise (self.exc or error)

        async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
            log.append([self.n, repr(error)])
            raise (self.exc or error)

        async def on_tool_validate_error(self, ctx, *, call, tool_def, args, error):
            log.append([self.n, repr(error)])
            raise (self.exc or error)

    for exc in (BaseException('b'), asyncio.CancelledError(), ValueError('v')):
        for name, kw in (
            ('on_run_error', {}),
            ('on_node_run_error', {'node': 1}),
            ('on_tool_execute_error', {'call': 1, 'tool_def': 2, 'args': 3}),
            ('on_tool_validate_error', {'call': 1, 'tool_def': 2, 'args': 3}),
        ):
            try:
                await getattr(CombinedCapability([E('1'), E('2', exc), E('3')]), name)(ctx, **kw, error=KeyError('k'))
            except BaseException as e:
                emit([name, type(exc).__name__], [repr(e), repr(e.__context__), repr(e.__cause__)])
    # laziness
    for c in (
        CombinedCapability([]),
        CombinedCapability([C('a')]),
        CombinedCapability([E('1')]),
        WrapperCapability(E('1')),
        WrapperCapability(C('a')),
        Hooks(),
    ):
        print(
            json.dumps(
                [
                    c.has_wrap_node_run,
                    c.has_wrap_run_event_stream,
                    c.id,
                    c.description,
                    c.defer_loading,
                    c.get_ordering(),
                    c.get_toolset(),
                    list(c.get_native_tools()),
                    c.get_instructions(),
                    c.get_model_settings(),
                    type(c).get_serialization_name(),
                    c.get_wrapper_toolset(None) if 0 else None,
                ]
            )
        )


asyncio.run(main())
