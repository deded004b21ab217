"""The chain: which hooks run, in which order, with what, for every point of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stead._contracts.hooks import HOOK_NAMES, MODEL_REQUEST, POINTS, RUN, TOOL_EXECUTE, HookPoint
from stead.capabilities import AbstractCapability, CombinedCapability, Hooks, WrapperCapability
from stead.capabilities._chain import EMPTY_CHAIN, HookChain
from stead.exceptions import (
    ApprovalRequired,
    CallDeferred,
    ModelRetry,
    SkipModelRequest,
    SkipToolExecution,
    SkipToolValidation,
    ToolRetryError,
)
from stead.messages import ModelResponse, RetryPromptPart

from .kit import POINT, POINT_NAMES, SUBJECTS, Boom, context, drive, recorder, throw
from .test_matrix import ASKED_ABOUT_WRAP

VALIDATION = {'tool_validate', 'output_validate'}
COUNTS = [1, 3]


def invalid() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(int).validate_python('no')
    return caught.value


def failure_of(point: HookPoint) -> Exception:
    """An error that the error hooks of a point are asked about."""
    return invalid() if point.name in VALIDATION else Boom('action')


def build(
    point: HookPoint, count: int, log: list[str], acts: dict[str, Callable[..., Any]] | None = None
) -> tuple[HookChain, list[str]]:
    """Return a chain of one or three recorders, of which the middle one acts, and their names."""
    names = list('ABC')[:count]
    acting = names[count // 2]
    return HookChain([recorder(point, name, log, acts if name == acting else None) for name in names]), names


def run(chain: HookChain, point: HookPoint, log: list[str], **options: Any) -> Any:
    return asyncio.run(drive(chain, point, log, **options))


def steps(point: HookPoint, names: list[str], *kinds: str, value: str | None = 'in') -> list[str]:
    """Spell the log of hooks that see the same thing; `before` and `wrap` go inwards, the others outwards."""
    value = None if point.value is None else value
    log: list[str] = []
    for kind in kinds:
        inwards = kind in ('before', 'wrap')
        seen = 'out' if kind == 'after' else value
        log += (
            [f'action {value}']
            if kind == 'action'
            else [f'{n}.{kind} {seen}' for n in (names if inwards else names[::-1])]
        )
    return log


def entry(point: HookPoint) -> tuple[str, str]:
    """The kinds that come before the action; around a whole run, `wrap` comes first."""
    return ('wrap', 'before') if point.around_before else ('before', 'wrap')


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('name', POINT_NAMES)
def test_hooks_run_in_the_order_of_the_chain(name: str, count: int) -> None:
    point, log = POINT[name], []
    chain, names = build(point, count, log)
    assert run(chain, point, log) == 'out'
    assert log == steps(point, names, *entry(point), 'action', 'after')


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('name', [n for n in POINT_NAMES if n != 'run'])
def test_later_hooks_get_what_a_before_hook_changed(name: str, count: int) -> None:
    point, log = POINT[name], []
    chain, names = build(point, count, log, {'before': lambda value: 'changed'})
    assert run(chain, point, log) == 'out'
    middle = count // 2 + 1
    assert log == [
        *steps(point, names[:middle], 'before'),
        *steps(point, names[middle:], 'before', value='changed'),
        *steps(point, names, 'wrap', 'action', 'after', value='changed'),
    ]


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('name', POINT_NAMES)
def test_later_hooks_get_what_an_after_hook_changed(name: str, count: int) -> None:
    point, log = POINT[name], []
    chain, names = build(point, count, log, {'after': lambda value: 'changed'})
    assert run(chain, point, log) == 'changed'
    seen = {1: ['A.after out'], 3: ['C.after out', 'B.after out', 'A.after changed']}[count]
    assert log == [*steps(point, names, *entry(point), 'action'), *seen]


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('name', POINT_NAMES)
def test_wrap_answers_instead_of_the_action(name: str, count: int) -> None:
    point, log = POINT[name], []
    chain, names = build(point, count, log, {'wrap': lambda value: 'short'})
    assert run(chain, point, log) == 'short'
    outside = steps(point, names[: count // 2 + 1], 'wrap')
    before = [] if point.around_before else steps(point, names, 'before')  # inside of the wrap, in a run
    assert log == [*before, *outside, *(f'{name}.after short' for name in names[::-1])]


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('name', POINT_NAMES)
def test_error_of_the_action(name: str, count: int) -> None:
    point, log = POINT[name], []
    error = failure_of(point)
    chain, names = build(point, count, log)
    with pytest.raises(type(error)) as caught:
        run(chain, point, log, error=error)
    assert caught.value is error
    error_hooks = [f'{n}.error {error!r}' for n in names[::-1]]
    assert log == [*steps(point, names, *entry(point), 'action'), *error_hooks]


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('name', POINT_NAMES)
def test_error_hook_recovers(name: str, count: int) -> None:
    point, log = POINT[name], []
    error = failure_of(point)
    chain, names = build(point, count, log, {'error': lambda error: 'recovered'})
    assert run(chain, point, log, error=error) == 'recovered'
    error_hooks = [f'{n}.error {error!r}' for n in names[count // 2 :][::-1]]
    after = [f'{n}.after recovered' for n in names[::-1]]
    assert log == [*steps(point, names, *entry(point), 'action'), *error_hooks, *after]


@pytest.mark.parametrize('name', POINT_NAMES)
def test_error_hook_raises_something_else(name: str) -> None:
    point, log = POINT[name], []
    other = ModelRetry('other')
    chain, _ = build(point, 3, log, {'error': throw(other)})
    with pytest.raises(ModelRetry) as caught:
        run(chain, point, log, error=failure_of(point))
    assert caught.value is other
    assert log[-1] == f'A.error {other!r}', 'the one outside is asked about what the one inside raised'


@pytest.mark.parametrize('name', sorted(VALIDATION))
def test_validation_hooks_are_asked_about_validation_only(name: str) -> None:
    point, log = POINT[name], []
    chain, names = build(point, 3, log)
    with pytest.raises(Boom):
        run(chain, point, log, error=Boom('action'))
    assert log == steps(point, names, 'before', 'wrap', 'action')
    chain, _ = build(point, 3, log, {'error': throw(Boom('error'))})
    with pytest.raises(Boom):
        run(chain, point, log, error=invalid())
    assert log[-1].startswith('B.error'), 'an error that is none of validation goes straight out'


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('hook', ['before', 'after'])
@pytest.mark.parametrize('name', POINT_NAMES)
def test_errors_of_hooks_beside_the_action_go_straight_out(name: str, hook: str, count: int) -> None:
    point = POINT[name]
    for error in (Boom(hook), ModelRetry(hook)):
        log: list[str] = []
        chain, _ = build(point, count, log, {hook: throw(error)})
        with pytest.raises(type(error)) as caught:
            run(chain, point, log)
        assert caught.value is error
        assert not any('.error' in line for line in log)


@pytest.mark.parametrize('count', COUNTS)
@pytest.mark.parametrize('kind', [Boom, ModelRetry])
@pytest.mark.parametrize('name', POINT_NAMES)
def test_errors_of_wrap(name: str, kind: type[Exception], count: int) -> None:
    point, log = POINT[name], []
    error = kind('wrap')
    chain, names = build(point, count, log, {'wrap': throw(error)})
    with pytest.raises(kind) as caught:
        run(chain, point, log)
    assert caught.value is error
    error_hooks = [f'{n}.error {error!r}' for n in names[::-1]] if kind in ASKED_ABOUT_WRAP[name] else []
    assert [line for line in log if '.error' in line] == error_hooks
    assert not any('.after' in line for line in log)


SIGNALS: list[tuple[str, Callable[[], Exception], bool]] = [
    ('model_request', lambda: ModelRetry('m'), False),
    ('model_request', CallDeferred, True),
    ('tool_execute', lambda: ModelRetry('m'), False),
    ('tool_execute', lambda: ToolRetryError(RetryPromptPart('m')), False),
    ('tool_execute', CallDeferred, False),
    ('tool_execute', ApprovalRequired, False),
    ('tool_execute', lambda: SkipToolValidation({}), True),
    ('tool_validate', CallDeferred, False),
    ('output_process', lambda: ModelRetry('m'), False),
    ('output_process', CallDeferred, True),
    ('node_run', CallDeferred, True),
    ('node_run', lambda: ModelRetry('m'), True),
    ('run', lambda: ModelRetry('m'), True),
]


@pytest.mark.parametrize(('name', 'make', 'has_error_hook'), SIGNALS)
def test_signals_of_the_action(name: str, make: Callable[[], Exception], has_error_hook: bool) -> None:
    point, log = POINT[name], []
    signal = make()
    chain, names = build(point, 3, log)
    with pytest.raises(type(signal)) as caught:
        run(chain, point, log, error=signal)
    assert caught.value is signal
    assert sum('.error' in line for line in log) == (len(names) if has_error_hook else 0)


RESPONSE = ModelResponse(parts=[])


@pytest.mark.parametrize('hook', ['before', 'wrap', 'after', 'error'])
@pytest.mark.parametrize(
    ('name', 'make', 'answer'),
    [
        ('tool_validate', lambda: SkipToolValidation({'x': 1}), {'x': 1}),
        ('tool_execute', lambda: SkipToolExecution('skipped'), 'skipped'),
    ],
)
def test_skipping_a_tool_ends_the_point(name: str, make: Callable[[], Exception], answer: Any, hook: str) -> None:
    point, log = POINT[name], []
    chain, _ = build(point, 3, log, {hook: throw(make())})
    assert run(chain, point, log, error=failure_of(point) if hook == 'error' else None) == answer
    assert [line for line in log if '.after' in line] == (['C.after out', 'B.after out'] if hook == 'after' else [])


@pytest.mark.parametrize('hook', ['before', 'wrap'])
def test_skipping_a_model_request_leaves_the_answer_to_after(hook: str) -> None:
    log: list[str] = []
    chain, names = build(MODEL_REQUEST, 3, log, {hook: throw(SkipModelRequest(RESPONSE))})
    assert run(chain, MODEL_REQUEST, log) is RESPONSE
    assert [line.split()[0] for line in log if '.after' in line] == [f'{n}.after' for n in names[::-1]]
    assert not any(line.startswith('action') or '.error' in line for line in log)
    assert sum('.wrap' in line for line in log) == (0 if hook == 'before' else 2)


class TestRun:
    """Around a whole run some things are different: `wrap` is outside of `before`, and keeps what it raises apart."""

    def test_before_fails_inside_wrap(self) -> None:
        log: list[str] = []
        chain, _ = build(RUN, 3, log, {'before': throw(Boom('before'))})
        with pytest.raises(Boom):
            run(chain, RUN, log)
        assert log == ['A.wrap None', 'B.wrap None', 'C.wrap None', 'A.before None', 'B.before None']

    def test_error_hooks_see_the_error_of_the_run(self) -> None:
        log: list[str] = []

        class Other(AbstractCapability[None]):
            async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
                try:
                    return await handler()
                except Boom:
                    raise KeyError('other') from None

        with pytest.raises(Boom):
            run(HookChain([Other(), recorder(RUN, 'A', log)]), RUN, log, error=Boom('run'))
        assert log[-1] == "A.error Boom('run')"

    def test_wrap_recovers(self) -> None:
        log: list[str] = []

        class Recover(AbstractCapability[None]):
            async def wrap_run(self, ctx: Any, *, handler: Any) -> Any:
                try:
                    return await handler()
                except Boom:
                    return 'recovered'

        chain = HookChain([Recover(), recorder(RUN, 'A', log)])
        assert run(chain, RUN, log, error=Boom('run')) == 'recovered'
        assert log == ['A.wrap None', 'A.before None', 'action None', 'A.after recovered']

    @pytest.mark.parametrize(('error', 'is_error'), [(asyncio.CancelledError(), True), (KeyboardInterrupt(), False)])
    def test_what_ends_a_program_is_no_failure(self, error: BaseException, is_error: bool) -> None:
        log: list[str] = []
        with pytest.raises(type(error)):
            run(HookChain([recorder(RUN, 'A', log)]), RUN, log, error=error)
        assert any('.error' in line for line in log) is is_error


class TestDeferred:
    """Hooks of a deferred capability rest until the model has loaded it."""

    @pytest.mark.parametrize('name', POINT_NAMES)
    @pytest.mark.parametrize('loaded', [False, True])
    def test_deferred_hooks_run_once_they_are_loaded(self, name: str, loaded: bool) -> None:
        point, log = POINT[name], []
        chain = HookChain([recorder(point, 'A', log, id='a'), recorder(point, 'D', log, id='d', defer_loading=True)])
        run(chain, point, log, loaded_capability_ids={'d'} if loaded else set())
        assert any(line.startswith('D') for line in log) is loaded
        assert any(line.startswith('A') for line in log)

    def test_context_says_loaded(self) -> None:
        seen: list[Any] = []

        class See(AbstractCapability[None]):
            async def before_node_run(self, ctx: Any, *, node: Any) -> Any:
                seen.append(ctx.capability_loaded)
                return node

        run(HookChain([See()]), POINT['node_run'], [])
        assert seen == [True]
        assert context().capability_loaded is None

    def test_loaded_between_two_hooks(self) -> None:
        log: list[str] = []
        ctx = context()

        async def load(value: Any) -> Any:
            ctx.loaded_capability_ids.add('d')
            return value

        chain = HookChain([recorder(TOOL_EXECUTE, 'D', log, id='d', defer_loading=True)])
        asyncio.run(chain.call(TOOL_EXECUTE, ctx, 'in', load, **SUBJECTS['tool_execute']))
        assert log == ['D.after in']


class TestLookup:
    """Which hooks a chain knows of."""

    def test_an_empty_chain_has_no_hooks(self) -> None:
        assert not any(EMPTY_CHAIN.has(point) for point in POINTS)
        assert all(getattr(EMPTY_CHAIN, name) == () for name in HOOK_NAMES)

    @pytest.mark.parametrize('name', POINT_NAMES)
    def test_a_chain_has_only_the_point_of_its_capability(self, name: str) -> None:
        chain = HookChain([recorder(POINT[name], 'A', [])])
        assert [point.name for point in POINTS if chain.has(point)] == [name]

    @pytest.mark.parametrize('hook', HOOK_NAMES)
    def test_a_hook_lists_only_the_capabilities_that_define_it(self, hook: str) -> None:
        plain, only = AbstractCapability[None](), type('Only', (AbstractCapability,), {hook: lambda *_, **__: None})()
        chain = HookChain([plain, only])
        assert {name for name in HOOK_NAMES if getattr(chain, name)} == {hook}
        assert getattr(chain, hook) == (only,)

    def test_instance_attribute_counts(self) -> None:
        capability = AbstractCapability[None]()

        async def before_node_run(ctx: Any, *, node: Any) -> Any:
            return node

        capability.before_node_run = before_node_run  # type: ignore[method-assign]
        assert HookChain([capability]).node_run

    def test_wrapper_is_a_leaf_with_the_hooks_of_the_wrapped(self) -> None:
        log: list[str] = []
        wrapper = WrapperCapability(CombinedCapability([recorder(POINT['node_run'], n, log) for n in 'AB']))
        chain = HookChain([wrapper])
        assert chain.capabilities == (wrapper,)
        assert chain.node_run and not chain.run
        assert run(chain, POINT['node_run'], log) == 'out'
        assert log == steps(POINT['node_run'], ['A', 'B'], 'before', 'wrap', 'action', 'after')

    def test_functions_registered_later(self) -> None:
        hooks = Hooks[None]()
        chain = HookChain([WrapperCapability(CombinedCapability([hooks, AbstractCapability[None]()]))])
        assert (chain.model_request, chain.version) == (False, 0)
        hooks.on.before_model_request(lambda ctx, request: f'{request} changed')
        assert (chain.model_request, chain.version) == (True, 1)
        log: list[str] = []
        run(chain, MODEL_REQUEST, log)
        assert log == ['action in changed']

    def test_a_capability_without_hooks_adds_no_frame(self) -> None:
        def frames(capabilities: list[AbstractCapability[None]]) -> int:
            log: list[str] = []
            with pytest.raises(Boom) as caught:
                run(HookChain(capabilities), TOOL_EXECUTE, log, error=Boom('x'))
            return len(caught.traceback)

        one = recorder(TOOL_EXECUTE, 'A', [])
        assert frames([one]) == frames([one, *(AbstractCapability[None]() for _ in range(10))])
