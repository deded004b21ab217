"""Budgets under what programs do to them: threads and loops that share one, hooks that add to a request, cancellation, clocks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import datetime, timezone, tzinfo
from decimal import Decimal
from typing import Any

import pytest

from stead import Agent, Budget, BudgetExceeded, RunContext, UserError
from stead.capabilities import Hooks
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, FunctionModel
from stead.usage import RequestUsage


def costs(tokens: int = 120, name: str = 'gpt-4o') -> FunctionModel:
    """Return a model that needs a moment, and uses a number of tokens in each request."""

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0)
        return ModelResponse([TextPart('done')], usage=RequestUsage(input_tokens=20, output_tokens=tokens - 20))

    return FunctionModel(respond, model_name=name)


def nothing_is_reserved(budget: Budget) -> bool:
    """Return whether what is left is what was not used."""
    used, left = budget.used, budget.left
    return all(
        limit is None or getattr(left, name) == limit - getattr(used, name)
        for name in ('tokens', 'requests', 'tool_calls')
        for limit in [getattr(budget, name)]
    )


@pytest.mark.parametrize('limits', [{'requests': 40}, {'tokens': 40 * 120}, {'requests': 40, 'warn_at': None}], ids=str)
def test_threads_with_loops_of_their_own_share_a_budget(limits: dict[str, Any]) -> None:
    budget, agent, refused = Budget(**limits), Agent(costs()), list[BaseException]()

    async def many() -> None:
        runs = [agent.run('go', budget=budget, model_settings={'max_tokens': 100}) for _ in range(25)]
        found = await asyncio.gather(*runs, return_exceptions=True)
        refused.extend(one for one in found if isinstance(one, BaseException))

    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(one, BudgetExceeded) for one in refused)
    assert budget.used.requests == 100 - len(refused)
    assert 36 <= (budget.used.requests or 0) <= 40
    assert nothing_is_reserved(budget)


@pytest.mark.anyio
@pytest.mark.parametrize('point', ['before_model_request', 'prepare_model_request', 'model_request'])
async def test_what_a_hook_adds_to_a_request_is_reserved_too(point: str) -> None:
    budget, sent, hooks = Budget(tokens=3_000), list[int](), Hooks[None]()

    def long(context: Any) -> Any:
        context.messages = [*context.messages[:-1], ModelRequest([UserPromptPart('word ' * 2_000)])]
        return context

    if point == 'model_request':

        @hooks.on.model_request
        async def wrap(ctx: RunContext[None], *, request_context: Any, handler: Any) -> ModelResponse:
            return await handler(long(request_context))
    else:
        getattr(hooks.on, point)(lambda ctx, request_context: long(request_context))

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        sent.append(1)
        return ModelResponse([TextPart('done')])

    agent = Agent(FunctionModel(respond), capabilities=[hooks])
    with pytest.raises(BudgetExceeded, match='may use up to'):
        await agent.run('go', budget=budget)
    assert not sent
    assert nothing_is_reserved(budget)


@pytest.mark.anyio
@pytest.mark.parametrize('after', range(6))
async def test_a_run_that_is_cancelled_at_any_moment_leaves_nothing_reserved(after: int) -> None:
    budget, is_last = Budget(tokens=100_000, requests=9, tool_calls=9), asyncio.Event()

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0)
        if len(messages) < 4:
            return ModelResponse([ToolCallPart('work', {})])
        is_last.set()
        await asyncio.Event().wait()
        raise AssertionError('it never ends')

    agent = Agent(FunctionModel(respond))

    @agent.tool_plain
    async def work() -> str:
        await asyncio.sleep(0)
        return 'ok'

    task = asyncio.create_task(agent.run('go', budget=budget))
    if after == 5:
        await is_last.wait()
    else:
        for _ in range(after):
            await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert nothing_is_reserved(budget)


@pytest.mark.anyio
async def test_a_stream_that_is_closed_early_is_counted_and_gives_back_the_rest() -> None:
    async def words(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for _ in range(50):
            yield 'word '

    budget, agent = Budget(tokens=50_000), Agent(FunctionModel(stream_function=words))
    async with agent.run_stream('go', budget=budget) as stream:
        async for _ in stream.stream_text(debounce_by=None):
            break
    assert budget.used.requests == 1
    assert 0 < (budget.used.tokens or 0) < 300
    assert nothing_is_reserved(budget)


@pytest.mark.parametrize('value', [-1, float('nan'), float('inf'), Decimal('NaN'), Decimal('-0.01'), True, '5', [1]])
@pytest.mark.parametrize('name', ['usd', 'tokens', 'requests', 'tool_calls', 'seconds', 'warn_at'])
def test_what_is_no_limit_is_an_error(name: str, value: Any) -> None:
    with pytest.raises(UserError, match=f'`{name}` of a `Budget` is a number of 0 or more, or `None`, not '):
        Budget(**{name: value})


@pytest.mark.anyio
@pytest.mark.parametrize(
    'limits', [{'usd': Decimal(0)}, {'tokens': 0}, {'requests': 0}, {'seconds': 0}, {'requests': -0.0}], ids=str
)
async def test_a_limit_of_zero_allows_nothing(limits: dict[str, Any]) -> None:
    if 'usd' in limits:
        pytest.importorskip('genai_prices')
    with pytest.raises(BudgetExceeded):
        await Agent(costs()).run('go', budget=Budget(**limits))


@pytest.mark.anyio
async def test_a_day_ends_at_midnight_in_utc_also_when_clocks_are_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime(2026, 10, 24, 23, 59, 59, tzinfo=timezone.utc)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return now

    monkeypatch.setattr('stead.budgets._budget.datetime', Clock)
    budget, agent = Budget(requests=1, per='day'), Agent(costs())
    await agent.run('go', budget=budget)
    with pytest.raises(BudgetExceeded):
        await agent.run('go', budget=budget)
    now = datetime(2026, 10, 25, tzinfo=timezone.utc)  # the day on which clocks of many places are set back
    await agent.run('go', budget=budget)
    for hour in range(24):
        now = datetime(2026, 10, 25, hour, 30, tzinfo=timezone.utc)
        with pytest.raises(BudgetExceeded):
            await agent.run('go', budget=budget)
    now = datetime(
        2026, 10, 24, 23, 59, 59, tzinfo=timezone.utc
    )  # the clock goes back: the old day does not begin again
    with pytest.raises(BudgetExceeded):
        await agent.run('go', budget=budget)
