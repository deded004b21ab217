"""`Hooks`: registration, order, timeouts, tools."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead._contracts.hooks import HOOK_NAMES, POINTS, SINGLES, HookPoint
from stead.capabilities import CombinedCapability, Hooks, HookTimeoutError, WrapperCapability
from stead.capabilities._chain import HookChain
from stead.capabilities.hooks import HookRegistration
from stead.exceptions import ModelRetry
from stead.messages import ToolCallPart
from stead.tools import DeferredToolRequests, DeferredToolResults, ToolDefinition

from .kit import POINT, POINT_NAMES, SUBJECTS, Boom, context, drive

TOOL = {'call': ToolCallPart('x', {}), 'tool_def': ToolDefinition(name='x')}


def short(point: HookPoint) -> dict[str, str]:
    return {
        'before': f'before_{point.name}',
        'wrap': point.name,
        'after': f'after_{point.name}',
        'error': f'{point.name}_error',
    }


@pytest.mark.parametrize('how', ['decorator', 'decorator with arguments', 'constructor'])
@pytest.mark.parametrize('is_async', [False, True])
@pytest.mark.parametrize('name', POINT_NAMES)
def test_every_hook_of_a_point(name: str, is_async: bool, how: str) -> None:
    point, log = POINT[name], []

    def register(kind: str) -> Any:
        def note(ctx: Any, *args: Any, **kwargs: Any) -> Any:
            log.append(kind)
            if kind == 'error':
                return 'recovered'
            key = point.result if kind == 'after' else point.value
            return args[0] if args else kwargs.get(key or '')

        async def later(*args: Any, **kwargs: Any) -> Any:
            return note(*args, **kwargs)

        async def around(ctx: Any, *, handler: Any, **kwargs: Any) -> Any:
            log.append(kind)
            return await (handler() if point.value is None else handler(kwargs[point.value]))

        return around if kind == 'wrap' else later if is_async else note

    functions = {hook: register(kind) for kind, hook in short(point).items()}
    if how == 'constructor':
        hooks = Hooks[None](**functions)  # type: ignore[arg-type]
    else:
        hooks = Hooks[None]()
        for hook, function in functions.items():
            decorate = getattr(hooks.on, hook)
            decorated = decorate(function) if how == 'decorator' else decorate(timeout=None)(function)
            assert decorated is function
    subjects = {**SUBJECTS[name], 'tool_def': TOOL['tool_def']} if 'tool_def' in SUBJECTS[name] else SUBJECTS[name]
    chain = HookChain([hooks])

    async def action(value: Any) -> Any:
        raise Boom('x') if 'validate' not in name else __import__('stead').ModelRetry('x')

    result = asyncio.run(chain.call(point, context(), 'in' if point.value else None, action, **subjects))
    assert result == 'recovered'
    entry = ['wrap', 'before'] if name == 'run' else ['before', 'wrap']
    assert log == [*entry, 'error', 'after']


def test_has_only_what_is_registered() -> None:
    hooks = Hooks[None]()
    assert not any(hooks.has_hook(name) for name in HOOK_NAMES)
    hooks.on.event(lambda ctx, event: event)
    assert [name for name in HOOK_NAMES if hooks.has_hook(name)] == ['wrap_run_event_stream']
    assert hooks.has_wrap_run_event_stream and not hooks.has_wrap_node_run


def test_a_subclass_may_implement_hooks() -> None:
    log: list[str] = []

    class Mine(Hooks[None]):
        async def before_node_run(self, ctx: Any, *, node: Any) -> Any:
            log.append('mine')
            return await super().before_node_run(ctx, node=node)

    hooks = Mine()
    chain = HookChain([hooks])
    assert chain.node_run
    hooks.on.before_node_run(lambda ctx, *, node: log.append('registered') or node)
    asyncio.run(drive(chain, POINT['node_run'], []))
    assert log == ['mine', 'registered']


def test_every_hook_can_be_registered_and_no_other_name() -> None:
    assert set(dir(Hooks[None]().on)) == set(HookRegistration.__annotations__)
    assert len(dir(Hooks[None]().on)) == 4 * len(POINTS) + len(SINGLES)
    with pytest.raises(AttributeError, match='before_run'):
        _ = Hooks[None]().on.nonsense
    with pytest.raises(TypeError, match='nonsense'):
        Hooks[None](nonsense=print)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ('tools', 'called'), [(None, True), (['x'], True), ({'x', 'y'}, True), (['y'], False), ([], False)]
)
def test_a_hook_for_some_tools_is_called_for_these(tools: Any, called: bool) -> None:
    hooks, log = Hooks[None](), []
    hooks.on.before_tool_execute(tools=tools)(lambda ctx, *, call, tool_def, args: log.append(call) or args)  # type: ignore[func-returns-value]
    assert asyncio.run(hooks.before_tool_execute(context(), **TOOL, args={'a': 1})) == {'a': 1}
    assert bool(log) is called


@pytest.mark.parametrize(
    ('register', 'hook', 'arguments'),
    [
        ('before_model_request', 'before_model_request', lambda: (('request',), {})),
        ('run_error', 'on_run_error', lambda: ((), {'error': Boom('x')})),
        ('node_run', 'wrap_node_run', lambda: ((), {'node': 'n', 'handler': None})),
        ('prepare_tools', 'prepare_tools', lambda: (([],), {})),
        ('deferred_tool_calls', 'handle_deferred_tool_calls', lambda: ((), {'requests': DeferredToolRequests()})),
    ],
)
def test_a_hook_that_takes_too_long_is_stopped(register: str, hook: str, arguments: Any) -> None:
    hooks = Hooks[None]()
    stopped: list[bool] = []

    @getattr(hooks.on, register)(timeout=0.01)
    async def slow(*_: Any, **__: Any) -> None:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            stopped.append(True)
            raise

    args, kwargs = arguments()
    with pytest.raises(HookTimeoutError) as caught:
        asyncio.run(getattr(hooks, hook)(context(), *args, **kwargs))
    assert stopped == [True]
    assert (caught.value.hook_name, caught.value.func_name, caught.value.timeout) == (hook, 'slow', 0.01)
    assert isinstance(caught.value, TimeoutError)


def test_several_functions_of_one_hook() -> None:
    hooks = Hooks[None]()
    for number in '12':
        hooks.on.before_model_request(lambda ctx, request, n=number: request + n)
        hooks.on.after_model_request(lambda ctx, *, request_context, response, n=number: response + n)

        async def around(ctx: Any, *, request_context: Any, handler: Any, n: str = number) -> Any:
            return await handler(request_context + n) + n

        hooks.on.model_request(around)

    async def handler(request: str) -> str:
        return f'({request})'

    async def go() -> list[Any]:
        return [
            await hooks.before_model_request(context(), 'r'),
            await hooks.after_model_request(context(), request_context='r', response='a'),
            await hooks.wrap_model_request(context(), request_context='r', handler=handler),
        ]

    assert asyncio.run(go()) == ['r12', 'a12', '(r12)21']


def test_errors_go_from_function_to_function() -> None:
    hooks, log = Hooks[None](), []

    @hooks.on.model_request_error
    def first(ctx: Any, *, request_context: Any, error: Exception) -> Any:
        log.append(repr(error))
        raise KeyError('second')

    @hooks.on.model_request_error
    async def second(ctx: Any, *, request_context: Any, error: Exception) -> Any:
        log.append(repr(error))
        return 'recovered'

    assert asyncio.run(hooks.on_model_request_error(context(), request_context='r', error=Boom('first'))) == 'recovered'
    assert log == ["Boom('first')", "KeyError('second')"]


def test_events_then_streams() -> None:
    hooks = Hooks[None](event=lambda ctx, event: f'{event}+')

    for mark in 'ab':

        @hooks.on.run_event_stream
        async def through(ctx: Any, *, stream: Any, mark: str = mark) -> Any:
            async for event in stream:
                yield event + mark

    async def source() -> Any:
        yield '1'
        yield '2'

    async def go() -> list[Any]:
        return [event async for event in hooks.wrap_run_event_stream(context(), stream=source())]

    assert asyncio.run(go()) == ['1+ba', '2+ba']


def test_deferred_calls_accumulate() -> None:
    hooks, log = Hooks[None](), []
    requests = DeferredToolRequests(calls=[ToolCallPart('x', {}, 'c1'), ToolCallPart('x', {}, 'c2')])
    for call_id in ('c1', 'c2', 'c3'):

        @hooks.on.deferred_tool_calls
        def answer(ctx: Any, *, requests: Any, call_id: str = call_id) -> Any:
            log.append([call.tool_call_id for call in requests.calls])
            return DeferredToolResults(calls={call_id: 'done'})

    results = asyncio.run(hooks.handle_deferred_tool_calls(context(), requests=requests))
    assert results is not None and results.calls == {'c1': 'done', 'c2': 'done'}
    assert log == [['c1', 'c2'], ['c2']], 'nobody is asked when nothing is open'


@pytest.mark.parametrize('name', ['tool_validate', 'tool_execute'])
@pytest.mark.parametrize('tools', [['x'], ['y']])
def test_tools_in_a_chain(name: str, tools: list[str]) -> None:
    """Functions for other tools are passed over at each of the four hooks, and the one outside is asked instead."""
    hooks, log = Hooks[None](), []

    def register(of: list[str] | None, mark: str) -> None:
        async def around(ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
            log.append(f'{mark}.wrap')
            return await handler(args)

        def recover(ctx: Any, *, call: Any, tool_def: Any, args: Any, error: Any) -> Any:
            log.append(f'{mark}.error')
            return 'recovered'

        def after(ctx: Any, **kwargs: Any) -> Any:
            log.append(f'{mark}.after')
            return kwargs[point.result]

        getattr(hooks.on, f'before_{name}')(tools=of)(
            lambda ctx, *, call, tool_def, args: log.append(f'{mark}.before') or args  # type: ignore[func-returns-value]
        )
        getattr(hooks.on, name)(tools=of)(around)
        getattr(hooks.on, f'{name}_error')(tools=of)(recover)
        getattr(hooks.on, f'after_{name}')(tools=of)(after)

    point = POINT[name]
    register(tools, 'some')
    register(None, 'all')

    async def fail(value: Any) -> Any:
        raise ModelRetry('x') if name == 'tool_validate' else Boom('x')

    async def go() -> Any:
        return await HookChain([hooks]).call(point, context(), 'in', fail, **TOOL)

    assert asyncio.run(go()) == 'recovered'
    if tools == ['x']:  # registered first: recovers first, and is outermost on the way in
        assert log == ['some.before', 'all.before', 'some.wrap', 'all.wrap', 'some.error', 'some.after', 'all.after']
    else:
        assert log == ['all.before', 'all.wrap', 'all.error', 'all.after']


def test_a_request_context_by_keyword() -> None:
    hooks = Hooks[None]()
    hooks.on.before_model_request(lambda ctx, anything: f'{anything} changed')
    result = asyncio.run(hooks.before_model_request(context(), request_context='request'))  # type: ignore[arg-type]
    assert result == 'request changed'


def test_functions_registered_while_combinations_are_in_use() -> None:
    """Every chain that holds the functions sees a new one, whichever of them is refreshed first."""
    hooks = Hooks[None]()
    combined = CombinedCapability([hooks, CombinedCapability([Hooks[None]()])])
    outer = [HookChain([WrapperCapability(combined)]), HookChain([combined])]
    assert not combined.chain.node_run
    outer += [HookChain([WrapperCapability(WrapperCapability(combined))])]
    hooks.on.before_node_run(lambda ctx, *, node: f'{node} changed')
    for chain in (*outer, combined.chain):
        log: list[str] = []
        asyncio.run(drive(chain, POINT['node_run'], log))
        assert log == ['action in changed']


def test_a_wrapper_may_override_what_a_combination_has() -> None:
    hooks = Hooks[None](before_node_run=lambda ctx, *, node: f'{node} inside')

    class Outside(WrapperCapability[None]):
        async def before_node_run(self, ctx: Any, *, node: Any) -> Any:
            return f'{await super().before_node_run(ctx, node=node)} outside'

    log: list[str] = []
    asyncio.run(drive(HookChain([WrapperCapability(Outside(CombinedCapability([hooks])))]), POINT['node_run'], log))
    assert log == ['action in inside outside']


def test_deferred_functions_inside_of_a_wrapper() -> None:
    hooks = Hooks[None](id='h', defer_loading=True, before_node_run=lambda ctx, *, node: f'{node} changed')
    chain = HookChain([WrapperCapability(CombinedCapability([hooks]))])
    for loaded, expected in ((set[str](), 'in'), ({'h'}, 'in changed')):
        log: list[str] = []
        asyncio.run(drive(chain, POINT['node_run'], log, loaded_capability_ids=loaded))
        assert log == [f'action {expected}']


def test_names_that_no_hook_has() -> None:
    options: dict[str, Any] = {'before_rum': print}
    with pytest.raises(TypeError, match="There is no hook 'before_rum'. Did you mean 'before_run'. There are: after_"):
        Hooks(**options)
    with pytest.raises(AttributeError, match="Did you mean 'before_tool_execute'"):
        getattr(Hooks().on, 'before_tool_exekute')  # noqa: B009
