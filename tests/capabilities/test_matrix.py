"""Every hook of every point, whatever it does, under every way to run an agent; and what hooks cost that no capability has.

The cases `hooks_*` of the parity tests walk the same table and hold what the hooks see against recorded behaviour. Here
the ways to run must agree with each other and with the table below, also where stead does better than what was recorded.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, AgentRunResultEvent, ModelRequestNode
from stead._contracts.hooks import POINTS, HookPoint
from stead.capabilities import AbstractCapability, Capability
from stead.exceptions import (
    ModelRetry,
    SkipModelRequest,
    SkipToolExecution,
    SkipToolValidation,
    UnexpectedModelBehavior,
)
from stead.graph import End
from stead.messages import ModelMessage, ModelResponse, RetryPromptPart, ToolCallPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.result import FinalResult
from stead.run import AgentRunResult

from ..counting import Calls
from .kit import Boom, throw

POINT = {point.name: point for point in POINTS}
RETRIES = 1


class Out(BaseModel):
    n: int


class Instead:
    """What a wrap hook returns without calling its handler."""

    def __init__(self, value: Any) -> None:
        self.value = value


def acting(point: HookPoint, place: str, act: Callable[[Any], Any]) -> AbstractCapability[None]:
    """Return a capability with all hooks of a point; at one place it acts, elsewhere everything passes."""

    def at(here: str, value: Any) -> Any:
        if here == place:
            return act(value)
        if isinstance(value, BaseException):
            raise value
        return value

    async def before(self: Any, ctx: Any, *args: Any, **kwargs: Any) -> Any:
        return at('before', args[0] if args else kwargs.get(point.value or ''))

    async def wrap(self: Any, ctx: Any, *, handler: Any, **kwargs: Any) -> Any:
        value = at('wrap in', kwargs.get(point.value or ''))
        if isinstance(value, Instead):
            return value.value
        try:
            result = await (handler() if point.value is None else handler(value))
        except Exception as error:
            return at('wrap failed', error)
        return at('wrap out', result)

    async def after(self: Any, ctx: Any, **kwargs: Any) -> Any:
        return at('after', kwargs[point.result])

    async def on_error(self: Any, ctx: Any, *, error: Any, **kwargs: Any) -> Any:
        return at('error', error)

    hooks = {point.before: before, point.wrap: wrap, point.after: after, point.on_error: on_error}
    return type('Acting', (AbstractCapability,), hooks)()


class Script:
    """A model that calls `double(2)`, again if it is told to, and answers with what that returned; it can be made to fail."""

    def __init__(self, failing: str | None) -> None:
        self.failing = failing
        self.requests = 0
        self.retries: list[Any] = []

    def part(self, messages: list[ModelMessage]) -> ToolCallPart:
        self.requests += 1
        retried = [part.content for part in messages[-1].parts if isinstance(part, RetryPromptPart)]
        self.retries += retried
        returned = [part.content for part in messages[-1].parts if part.part_kind == 'tool-return']
        if self.failing == 'model' and self.requests == 1:
            raise Boom('model')
        if self.requests == 1 or any(
            getattr(part, 'tool_name', None) == 'double' for part in messages[-1].parts if retried
        ):
            x = 'no' if self.failing == 'arguments' and self.requests == 1 else 2
            return ToolCallPart('double', json.dumps({'x': x}), tool_call_id='c1')
        n: Any = returned[-1] if returned else 7
        if self.failing == 'output' and not retried:
            n = 'no'
        return ToolCallPart('final_result', json.dumps({'n': n}), tool_call_id=f'c{self.requests}')

    def model(self) -> FunctionModel:
        async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            part = self.part(messages)
            yield {0: DeltaToolCall(part.tool_name, str(part.args), tool_call_id=part.tool_call_id)}

        return FunctionModel(lambda messages, info: ModelResponse(parts=[self.part(messages)]), stream_function=stream)


async def by_run(agent: Agent[Any, Any]) -> Any:
    return (await agent.run('hi')).output


async def by_next(agent: Agent[Any, Any]) -> Any:
    async with agent.iter('hi') as run:
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)
    assert run.result is not None
    return run.result.output


async def by_events(agent: Agent[Any, Any]) -> Any:
    async with agent.run_stream_events('hi') as events:
        results = [event.result.output async for event in events if isinstance(event, AgentRunResultEvent)]
    return results[-1] if results else None


WAYS = (by_run, by_next, by_events)


def play(
    way: Callable[[Agent[Any, Any]], Coroutine[Any, Any, Any]], capabilities: list[Any], failing: str | None
) -> tuple[Any, int, list[Any]]:
    """Return the output or the error of a run, the number of requests, and what the model was asked to try again."""
    script = Script(failing)
    agent: Agent[None, Any] = Agent(script.model(), output_type=Out, capabilities=capabilities, retries=RETRIES)

    @agent.tool_plain
    def double(x: int) -> int:
        if failing == 'tool' and script.requests == 1:
            raise Boom('tool')
        return x * 2

    @agent.output_validator
    def check(value: Any) -> Any:
        if failing == 'process' and script.requests < 3:
            raise Boom('process')
        return value

    try:
        outcome: Any = asyncio.run(way(agent))
    except Exception as error:
        outcome = error
    return outcome.n if isinstance(outcome, Out) else outcome, script.requests, script.retries


def answer(n: int) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart('final_result', {'n': n}, tool_call_id='c9')])


def ended(value: Any) -> End[Any]:
    return End(FinalResult(Out(n=99)))


def instead(value: Any) -> Callable[[Any], Any]:
    return lambda _: Instead(value)


def other_settings(request_context: Any) -> Any:
    request_context.messages = request_context.messages[-2:]
    return request_context


def only_at_requests(act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda node: act(node) if isinstance(node, ModelRequestNode) else node


FAILING = {
    'run': 'model',
    'node_run': 'model',
    'model_request': 'model',
    'tool_validate': 'arguments',
    'tool_execute': 'tool',
    'output_validate': 'output',
    'output_process': 'process',
}
# What replacing a result at a point leads to: what replaces it, and how the run then ends.
RESULTS: dict[str, tuple[Callable[[], Any], Any]] = {
    'run': (lambda: AgentRunResult(Out(n=99)), 99),
    'node_run': (lambda: ended(None), 99),
    'model_request': (lambda: answer(99), 99),
    'tool_validate': (lambda: {'x': 30}, 60),
    'tool_execute': (lambda: 50, 50),
    'output_validate': (lambda: Out(n=99), 99),
    'output_process': (lambda: Out(n=99), 99),
}
# The same for what goes in.
VALUES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    'node_run': (only_at_requests(lambda node: ModelRequestNode(node.request)), 4),
    'model_request': (other_settings, 4),
    'tool_validate': (lambda args: {'x': '30'}, 60),
    'tool_execute': (lambda args: {'x': 30}, 60),
    'output_validate': (lambda raw: {'n': '30'}, 30),
    'output_process': (lambda value: Out(n=30), 30),
}
SKIPS: dict[str, Callable[[], Exception]] = {
    'model_request': lambda: SkipModelRequest(answer(99)),
    'tool_validate': lambda: SkipToolValidation({'x': 30}),
    'tool_execute': lambda: SkipToolExecution(50),
}
# Whether the error hooks of a point are asked about what `wrap` raises.
ASKED_ABOUT_WRAP = {
    'run': (),
    'node_run': (Boom, ModelRetry),
    'model_request': (Boom,),
    'tool_validate': (ModelRetry,),
    'tool_execute': (Boom,),
    'output_validate': (ModelRetry,),
    'output_process': (Boom,),
}
RETRIED = ('model_request', 'tool_validate', 'tool_execute', 'output_validate', 'output_process')
"""Points at which a `ModelRetry` asks the model to try again."""
NAMES = list(POINT)


def others(point: HookPoint, count: int, one: AbstractCapability[None]) -> list[AbstractCapability[None]]:
    """Return a capability, alone or between two whose hooks let everything pass."""
    return [one] if count == 1 else [acting(point, '', Instead), one, acting(point, '', Instead)]


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('name', NAMES)
def test_hooks_that_change_nothing_leave_every_way_to_run_alike(name: str, count: int) -> None:
    for way in WAYS:
        assert play(way, others(POINT[name], count, acting(POINT[name], '', Instead)), None) == (4, 2, [])


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('place', ['before', 'wrap in'])
@pytest.mark.parametrize('name', list(VALUES))
def test_modify_what_goes_in(name: str, place: str, count: int) -> None:
    change, expected = VALUES[name]
    for way in WAYS:
        outcome, _, retries = play(way, others(POINT[name], count, acting(POINT[name], place, change)), None)
        assert (outcome, retries) == (expected, []), way.__name__


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('place', ['wrap out', 'after'])
@pytest.mark.parametrize('name', NAMES)
def test_modify_what_comes_out(name: str, place: str, count: int) -> None:
    make, expected = RESULTS[name]
    for way in WAYS:
        one = acting(POINT[name], place, lambda _: make())
        outcome, _, retries = play(way, others(POINT[name], count, one), None)
        assert (outcome, retries) == (expected, []), way.__name__


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('name', NAMES)
def test_an_answer_in_place_of_the_action_leaves_the_model_alone(name: str, count: int) -> None:
    """An answer in place of the run, of a node or of a request leaves the model alone, under every way to run."""
    make, expected = RESULTS[name]
    for way in WAYS:
        one = acting(POINT[name], 'wrap in', lambda _: Instead(make()))
        outcome, requests, _ = play(way, others(POINT[name], count, one), None)
        assert outcome == expected, way.__name__
        assert requests == (0 if name in ('run', 'node_run', 'model_request') else 2)


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('place', ['before', 'wrap in', 'wrap out', 'after'])
@pytest.mark.parametrize('name', list(SKIPS))
def test_what_a_hook_skips_has_the_result_it_gives(name: str, place: str, count: int) -> None:
    for way in WAYS:
        one = acting(POINT[name], place, throw(SKIPS[name]()))
        outcome, _, retries = play(way, others(POINT[name], count, one), None)
        assert (outcome, retries) == (RESULTS[name][1], []), way.__name__


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('place', ['before', 'wrap in', 'wrap out', 'after', 'wrap failed', 'error'])
@pytest.mark.parametrize('name', NAMES)
def test_the_error_of_a_hook_is_the_error_of_the_run(name: str, place: str, count: int) -> None:
    """The error of a hook is the error of the run, the very object, wherever the hook runs."""
    failing = FAILING[name] if place in ('wrap failed', 'error') else None
    for way in WAYS:
        error = Boom(place)
        outcome, _, retries = play(way, others(POINT[name], count, acting(POINT[name], place, throw(error))), failing)
        if (
            name == 'run' and place == 'wrap failed'
        ):  # `wrap_run` may raise another error, but it is asked about no more
            assert isinstance(outcome, Boom)
        else:
            assert outcome is error, way.__name__
        assert retries == []


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('place', ['wrap failed', 'error'])
@pytest.mark.parametrize('name', NAMES)
def test_a_hook_may_recover_from_an_error(name: str, place: str, count: int) -> None:
    make, expected = RESULTS[name]
    for way in WAYS:
        one = acting(POINT[name], place, lambda _: make())
        outcome, _, retries = play(way, others(POINT[name], count, one), FAILING[name])
        assert (outcome, retries) == (expected, []), way.__name__


@pytest.mark.parametrize('count', [1, 3])
@pytest.mark.parametrize('place', ['before', 'wrap in', 'wrap out', 'after', 'wrap failed', 'error'])
@pytest.mark.parametrize('name', RETRIED)
def test_the_model_is_told_what_a_hook_says_and_may_try_again(name: str, place: str, count: int) -> None:
    """The model is told what the hook says, and may try again."""
    failing = FAILING[name] if place in ('wrap failed', 'error') else None
    for way in WAYS:
        raised: list[Any] = []

        def once(value: Any) -> Any:
            if raised:
                return value
            raised.append(value)
            raise ModelRetry('once more')

        outcome, _, retries = play(way, others(POINT[name], count, acting(POINT[name], place, once)), failing)
        assert retries == ['once more'], way.__name__
        assert isinstance(outcome, int), outcome


@pytest.mark.parametrize('place', ['before', 'wrap in', 'wrap out', 'after'])
@pytest.mark.parametrize('name', RETRIED)
def test_retry_for_ever(name: str, place: str) -> None:
    for way in WAYS:
        outcome, _, retries = play(way, [acting(POINT[name], place, throw(ModelRetry('no')))], None)
        assert isinstance(outcome, UnexpectedModelBehavior), way.__name__
        assert set(retries) <= {'no'} and len(retries) <= RETRIES


@pytest.mark.parametrize('place', ['before', 'wrap in', 'wrap out', 'after'])
@pytest.mark.parametrize('name', [name for name in NAMES if name not in RETRIED])
def test_retry_where_nothing_can_be_tried_again(name: str, place: str) -> None:
    for way in WAYS:
        outcome, _, retries = play(way, [acting(POINT[name], place, throw(ModelRetry('no')))], None)
        assert isinstance(outcome, ModelRetry) and retries == [], way.__name__


class StopsReading(AbstractCapability[Any]):
    """Looks at the first event of each step only."""

    async def wrap_run_event_stream(self, ctx: Any, *, stream: Any) -> AsyncIterator[Any]:
        async for event in stream:
            yield event
            return


def test_a_hook_that_stops_reading_events_cuts_no_response_short() -> None:
    """Tools are called with the whole of their arguments, whatever the hook cares to see of them."""
    called: list[int] = []

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if len(messages) == 1:
            yield {0: DeltaToolCall('add', '{"x": ', tool_call_id='c1')}
            yield {0: DeltaToolCall(json_args='21}', tool_call_id='c1')}
        else:
            yield 'well '
            yield 'done'

    agent = Agent(FunctionModel(stream_function=stream), capabilities=[StopsReading()])

    @agent.tool_plain
    def add(x: int) -> int:
        called.append(x)
        return x

    assert asyncio.run(by_run(agent)) == 'well done'
    assert asyncio.run(by_events(agent)) == 'well done'
    assert called == [21, 21]


# What hooks cost that no capability has


def failing_agent(*capabilities: Any) -> Agent[None, str]:
    agent = Agent(Script(None).model(), capabilities=list(capabilities))

    @agent.tool_plain
    def double(x: int) -> int:
        raise Boom('tool')

    return agent


def frames(*capabilities: Any) -> list[str]:
    """Return the functions in the traceback of a tool that raises."""
    try:
        failing_agent(*capabilities).run_sync('hi')
    except Boom as error:
        return [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    raise AssertionError('the tool raises')


class Elsewhere(AbstractCapability[Any]):
    """Has a hook of model requests, and none of tools."""

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        return response


class OfTools(AbstractCapability[Any]):
    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        return await handler(args)


def test_hooks_that_nobody_has_are_not_in_tracebacks() -> None:
    bare = frames()
    assert bare[-1] == 'double'
    assert frames(*(Capability[Any](instructions=f'{n}') for n in range(10))) == bare
    assert frames(Elsewhere(), Elsewhere()) == bare
    assert 'wrap_tool_execute' in frames(Elsewhere(), OfTools())


def calls_per_step(*capabilities: Any) -> int:
    """Return how many Python functions one more step of a run calls, once the agent is warm."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 2 * steps:
            return answer(1)
        return ModelResponse(parts=[ToolCallPart('double', {'x': 2}, tool_call_id=f'c{len(messages)}')])

    agent: Agent[None, Any] = Agent(FunctionModel(respond), output_type=Out, capabilities=list(capabilities))

    @agent.tool_plain
    async def double(x: int) -> int:
        return x * 2

    def calls() -> int:
        with Calls() as counted:
            agent.run_sync('hi')
        return counted.ours  # what plugins of the tests call is not counted

    steps = 3
    agent.run_sync('hi')
    few = min(calls() for _ in range(3))
    steps = 13
    return (min(calls() for _ in range(3)) - few) // 10


@pytest.mark.skipif(sys.gettrace() is not None, reason='calls are not countable while they are traced')
def test_hooks_that_nobody_has_cost_nothing() -> None:
    bare = calls_per_step()
    assert abs(calls_per_step(*(AbstractCapability[Any]() for _ in range(10))) - bare) <= 1, 'rounded'
    one = calls_per_step(Elsewhere()) - bare
    assert 0 < one < 40
    each = (calls_per_step(*(Elsewhere() for _ in range(10))) - bare - one) / 9
    assert each <= 2, 'another capability is another call of its hook'
