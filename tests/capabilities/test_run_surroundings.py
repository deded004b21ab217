"""Toolsets belong to the run that hooks are around: what hooks see of their failures, and what is restored."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any

import pytest
from typing_extensions import Self

from stead import Agent, AgentRunResult, RunContext
from stead.capabilities import AbstractCapability, Hooks
from stead.models.test import TestModel
from stead.toolsets import FunctionToolset
from tests.loop.kit import script, text

place: ContextVar[str] = ContextVar('place', default='outside')


class Connection(FunctionToolset[None]):
    """A toolset that sets a context variable while it is entered, or cannot be entered."""

    def __init__(self, log: list[str], failure: BaseException | None = None) -> None:
        super().__init__()
        self.log, self.failure = log, failure

    async def __aenter__(self) -> Self:
        self.log.append(f'enter in {place.get()}')
        if self.failure is not None:
            raise self.failure
        place.set('connection')
        return self

    async def __aexit__(self, *args: object) -> None:
        self.log.append('exit')


class Around(AbstractCapability[None]):
    def __init__(self, log: list[str], answer: str | None = None) -> None:
        self.log, self.answer = log, answer

    async def wrap_run(self, ctx: RunContext[None], *, handler: Any) -> Any:
        place.set('hook')
        try:
            return await handler()
        except BaseException as error:
            self.log.append(f'wrap_run: {error!r}')
            if self.answer is not None:
                return AgentRunResult(self.answer)
            raise

    async def on_run_error(self, ctx: RunContext[None], *, error: BaseException) -> Any:
        self.log.append(f'on_run_error: {error!r}')
        raise error


class Answers(AbstractCapability[None]):
    async def wrap_run(self, ctx: RunContext[None], *, handler: Any) -> Any:
        return AgentRunResult('at once')


FAILURE = "ConnectionError('refused')"


async def run(agent: Agent[None, str]) -> str:
    return (await agent.run('hi')).output


async def iterate(agent: Agent[None, str]) -> str:
    async with agent.iter('hi') as run:
        assert [node async for node in run] != []
    assert run.result is not None
    return run.result.output


async def stream(agent: Agent[None, str]) -> str:
    async with agent.run_stream('hi') as result:
        return await result.get_output()


WAYS = pytest.mark.parametrize('way', [run, iterate, stream], ids=lambda way: way.__name__)


@WAYS
def test_hooks_see_that_a_toolset_cannot_be_entered(way: Any) -> None:
    log: list[str] = []

    async def main() -> None:
        agent = Agent(TestModel(), toolsets=[Connection(log, ConnectionError('refused'))], capabilities=[Around(log)])
        with pytest.raises(ConnectionError, match='refused'):
            await way(agent)
        assert place.get() == 'outside'

    asyncio.run(main())
    assert log == ['enter in hook', f'wrap_run: {FAILURE}', f'on_run_error: {FAILURE}']


def test_hooks_recover_where_a_toolset_cannot_be_entered() -> None:
    log: list[str] = []
    agent = Agent(
        TestModel(), toolsets=[Connection(log, ConnectionError('refused'))], capabilities=[Around(log, 'no tools')]
    )

    async def main() -> None:
        async with agent.iter('hi') as stepped:
            assert [node async for node in stepped] == []
        assert stepped.result is not None and stepped.result.output == 'no tools'
        assert (await agent.run('hi')).output == 'no tools'
        assert place.get() == 'outside'

    asyncio.run(main())
    assert log == ['enter in hook', f'wrap_run: {FAILURE}'] * 2


def test_hooks_do_not_recover_where_entering_is_cancelled() -> None:
    log: list[str] = []
    failure = asyncio.CancelledError('stopped')
    agent = Agent(TestModel(), toolsets=[Connection(log, failure)], capabilities=[Around(log, 'no tools')])

    async def main() -> None:
        with pytest.raises(asyncio.CancelledError):
            await agent.run('hi')
        assert place.get() == 'outside'

    asyncio.run(main())
    assert [line.split('(')[0] for line in log] == ['enter in hook', 'wrap_run: CancelledError']


@WAYS
def test_the_caller_gets_its_variables_back(way: Any) -> None:
    log: list[str] = []

    async def main() -> None:
        agent = Agent(TestModel(), toolsets=[Connection(log)], capabilities=[Around(log)])
        await way(agent)
        assert place.get() == 'outside'

    asyncio.run(main())
    assert log == ['enter in hook', 'exit']


def test_toolsets_of_a_run_that_a_hook_answers_stay_closed() -> None:
    log: list[str] = []
    agent = Agent(TestModel(), toolsets=[Connection(log)], capabilities=[Answers()])
    assert agent.run_sync('hi').output == 'at once'
    assert log == []


@pytest.mark.parametrize('fails', [True, False])
def test_hooks_after_a_run_see_the_variables_that_wraps_set_for_it(fails: bool) -> None:
    place: ContextVar[str] = ContextVar('place', default='outside')
    seen: list[str] = []
    hooks = Hooks[Any]()

    @hooks.on.run
    async def inside(ctx: Any, *, handler: Any) -> Any:
        token = place.set('inside')
        try:
            return await handler()
        finally:
            place.reset(token)

    @hooks.on.run_error
    async def note_error(ctx: Any, *, error: BaseException) -> Any:
        seen.append(f'error {place.get()}')
        raise error

    @hooks.on.after_run
    async def note(ctx: Any, *, result: Any) -> Any:
        seen.append(f'after {place.get()}')
        return result

    async def main() -> None:
        model = script(RuntimeError('boom') if fails else text('done'))
        try:
            await Agent(model, capabilities=[hooks]).run('go')
        except RuntimeError:
            pass

    asyncio.run(main())
    assert seen == (['error inside'] if fails else ['after inside'])
