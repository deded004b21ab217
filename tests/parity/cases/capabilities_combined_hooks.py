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
    def __init__(self, name, **options):
        self.name = name
        for key, value in options.items():
            setattr(self, key, value)


def add_hooks(point):
    _, value, result = POINTS[point]

    async def before(self, ctx, *args, **options):
        log.append([self.name, 'before', ctx.capability_loaded, sorted(options)])
        return args[0] if args else options.get(value)

    async def after(self, ctx, **options):
        log.append([self.name, 'after', ctx.capability_loaded, sorted(options)])
        return options[result]

    async def wrap(self, ctx, *, handler, **options):
        log.append([self.name, 'wrap', ctx.capability_loaded, sorted(options)])
        return await (handler(options[value]) if value else handler())

    async def on_error(self, ctx, *, error, **options):
        log.append([self.name, 'error', ctx.capability_loaded, sorted(options)])
        raise error

    for hook_name, hook in (
        (f'before_{point}', before),
        (f'after_{point}', after),
        (f'wrap_{point}', wrap),
        (f'on_{point}_error', on_error),
    ):
        setattr(C, hook_name, hook)


for each_point in POINTS:
    add_hooks(each_point)


async def prepare_tools(self, ctx, definitions):
    log.append([self.name, 'prepare', ctx.capability_loaded])
    return definitions


C.prepare_tools = prepare_tools
C.prepare_output_tools = prepare_tools


async def wrap_run_event_stream(self, ctx, *, stream):
    log.append([self.name, 'stream', ctx.capability_loaded])
    async for event in stream:
        yield f'{self.name}{event}'


C.wrap_run_event_stream = wrap_run_event_stream


async def handle_deferred_tool_calls(self, ctx, *, requests):
    log.append(
        [
            self.name,
            'deferred',
            ctx.capability_loaded,
            [call.tool_call_id for call in requests.calls],
            [call.tool_call_id for call in requests.approvals],
        ]
    )
    return self.answer() if hasattr(self, 'answer') else None


C.handle_deferred_tool_calls = handle_deferred_tool_calls


def emit(label, out):
    print(json.dumps([label, log[:], out], default=lambda value: type(value).__name__))
    log.clear()


async def source():
    yield 'e1'
    yield 'e2'


class Failing(AbstractCapability):
    def __init__(self, name, exception=None):
        self.name, self.exception = name, exception

    def fail(self, error):
        log.append([self.name, repr(error)])
        raise (self.exception or error)

    async def on_run_error(self, ctx, *, error):
        self.fail(error)

    async def on_node_run_error(self, ctx, *, node, error):
        self.fail(error)

    async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
        self.fail(error)

    async def on_tool_validate_error(self, ctx, *, call, tool_def, args, error):
        self.fail(error)


async def order():
    for loaded in (set(), {'d'}, {'a', 'd'}):
        ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage(), loaded_capability_ids=loaded)
        combined = CombinedCapability([C('a', id='a'), C('d', id='d', defer_loading=True), C('n')])
        for point, (names, value, result) in POINTS.items():
            subject_options = {field: f'<{field}>' for field in names}
            value_option = {value: 'V'} if value else {}
            args = ()
            before_input = dict(value_option)
            if point == 'model_request':
                args, before_input = ('V',), {}
            out = await getattr(combined, f'before_{point}')(ctx, *args, **subject_options, **before_input)
            emit(['before', point, sorted(loaded)], out)
            after_input = dict(value_option) if point in ('node_run', 'model_request', 'tool_execute') else {}
            out = await getattr(combined, f'after_{point}')(ctx, **subject_options, **{**after_input, result: 'R'})
            emit(['after', point, sorted(loaded)], out)

            async def handler(*arguments):
                log.append(['action', *arguments])
                return 'H'

            out = await getattr(combined, f'wrap_{point}')(ctx, **subject_options, **value_option, handler=handler)
            emit(['wrap', point, sorted(loaded)], out)
            try:
                out = await getattr(combined, f'on_{point}_error')(
                    ctx, **subject_options, **value_option, error=ValueError('e')
                )
            except Exception as error:
                out = repr(error)
            emit(['error', point, sorted(loaded)], out)
        out = await combined.prepare_tools(ctx, ['t'])
        emit('prepare', out)
        out = await combined.prepare_output_tools(ctx, ['t'])
        emit('prepare_o', out)
        out = [event async for event in combined.wrap_run_event_stream(ctx, stream=source())]
        emit('stream', out)
        requests = DeferredToolRequests(calls=[ToolCallPart('x', {}, 'c1')], approvals=[ToolCallPart('y', {}, 'p1')])
        out = await combined.handle_deferred_tool_calls(ctx, requests=requests)
        emit('deferred', out)


async def accumulation():
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage(), loaded_capability_ids={'a', 'd'})
    combined = CombinedCapability(
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
    requests = DeferredToolRequests(
        calls=[ToolCallPart('x', {}, 'c1'), ToolCallPart('x', {}, 'c2')], approvals=[ToolCallPart('y', {}, 'p1')]
    )
    try:
        out = await combined.handle_deferred_tool_calls(ctx, requests=requests)
        emit('acc', repr(out))
    except Exception as error:
        emit('acc', repr(error))
    combined = CombinedCapability([C('a', answer=lambda: DeferredToolResults(calls={'c1': 1})), C('z')])
    requests = DeferredToolRequests(calls=[ToolCallPart('x', {}, 'c1')])
    out = await combined.handle_deferred_tool_calls(ctx, requests=requests)
    emit('acc all', repr(out))
    combined = CombinedCapability([])
    out = await combined.handle_deferred_tool_calls(ctx, requests=requests)
    emit('acc none', repr(out))


async def nesting():
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage(), loaded_capability_ids={'a', 'd'})
    first, second, third = C('1'), C('2'), C('3')
    nested = CombinedCapability([first, CombinedCapability([second, third])])
    print(
        json.dumps(
            ['nest', [getattr(capability, 'name', type(capability).__name__) for capability in nested.capabilities]]
        )
    )
    seen = []
    nested.apply(lambda capability: seen.append(capability.name))
    print(json.dumps(seen))
    wrapper = WrapperCapability(first)
    seen = []
    wrapper.apply(lambda capability: seen.append(type(capability).__name__))
    print(json.dumps(seen))
    out = await wrapper.before_model_request(ctx, 'V')
    emit('wrapper', out)
    nested = CombinedCapability([wrapper, second])
    print(json.dumps([type(capability).__name__ for capability in nested.capabilities]))
    # a wrapper around deferred
    wrapper = WrapperCapability(C('d', id='d', defer_loading=True))
    print(json.dumps([wrapper.id, wrapper.defer_loading, wrapper.description, wrapper.get_description()]))
    nothing_loaded = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    out = await wrapper.before_model_request(nothing_loaded, 'V')
    emit('wrapper deferred', out)
    out = await CombinedCapability([wrapper]).before_model_request(nothing_loaded, 'V')
    emit('combined wrapper deferred', out)
    out = await CombinedCapability([WrapperCapability(first, id='q', defer_loading=True)]).before_model_request(
        nothing_loaded, 'V'
    )
    emit('combined deferred wrapper', out)
    out = await C('d', id='d', defer_loading=True).before_model_request(nothing_loaded, 'V')
    emit('bare deferred', out)


async def replaced_errors():
    ctx = RunContext(deps=None, model=TestModel(), usage=RunUsage(), loaded_capability_ids={'a', 'd'})
    for exception in (BaseException('b'), asyncio.CancelledError(), ValueError('v')):
        for name, options in (
            ('on_run_error', {}),
            ('on_node_run_error', {'node': 1}),
            ('on_tool_execute_error', {'call': 1, 'tool_def': 2, 'args': 3}),
            ('on_tool_validate_error', {'call': 1, 'tool_def': 2, 'args': 3}),
        ):
            try:
                await getattr(CombinedCapability([Failing('1'), Failing('2', exception), Failing('3')]), name)(
                    ctx, **options, error=KeyError('k')
                )
            except BaseException as error:
                emit([name, type(exception).__name__], [repr(error), repr(error.__context__), repr(error.__cause__)])


def configuration():
    for capability in (
        CombinedCapability([]),
        CombinedCapability([C('a')]),
        CombinedCapability([Failing('1')]),
        WrapperCapability(Failing('1')),
        WrapperCapability(C('a')),
        Hooks(),
    ):
        print(
            json.dumps(
                [
                    capability.has_wrap_node_run,
                    capability.has_wrap_run_event_stream,
                    capability.id,
                    capability.description,
                    capability.defer_loading,
                    capability.get_ordering(),
                    capability.get_toolset(),
                    list(capability.get_native_tools()),
                    capability.get_instructions(),
                    capability.get_model_settings(),
                    type(capability).get_serialization_name(),
                    None,
                ]
            )
        )


for scene in (order, accumulation, nesting, replaced_errors):
    asyncio.run(scene())
configuration()
