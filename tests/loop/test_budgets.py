"""Budgets: what is reserved, counted and given back; what happens at the limit; and what runs inside of each other share."""

from __future__ import annotations

import asyncio
import pickle
import random
import warnings
from collections.abc import AsyncIterator, Callable
from datetime import datetime, tzinfo
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, Budget, BudgetExceeded, RunContext, TextOutput, ToolOutput, UsageLimits, UserError
from stead._show.costs import note_cost
from stead.budgets.account import AccountChange, Amounts, MemoryAccount
from stead.capabilities import Hooks, PrepareTools, ProcessEventStream, Summarise, SummaryFailed
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.fallback import FallbackModel
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.models.test import TestModel
from stead.tools import ToolDefinition
from stead.usage import RequestUsage

pytestmark = pytest.mark.anyio
Answer = Callable[[list[ModelMessage], AgentInfo], ModelResponse]


def texts(messages: list[ModelMessage]) -> list[str]:
    parts = (part for message in messages if isinstance(message, ModelRequest) for part in message.parts)
    return [part.content for part in parts if isinstance(part, UserPromptPart) and isinstance(part.content, str)]


def model_of(answer: Answer, name: str = 'gpt-4o', tokens: tuple[int, int] = (20, 100)) -> FunctionModel:
    """Return a model that uses a number of tokens in each request."""

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(0)
        response = answer(messages, info)
        response.usage = RequestUsage(input_tokens=tokens[0], output_tokens=tokens[1])
        return response

    return FunctionModel(respond, model_name=name)


def done(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart('done')])


def endless(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call a tool for as long as there is one."""
    if info.function_tools:
        return ModelResponse([ToolCallPart('search', {})])
    if info.output_tools:
        return ModelResponse([ToolCallPart(info.output_tools[0].name, {'found': 3})])
    return ModelResponse([TextPart('what I know')])


class Report(BaseModel):
    found: int


def searching(output_type: Any = str, **options: Any) -> tuple[Agent[None, Any], list[int]]:
    agent, calls = Agent(model_of(endless), output_type=output_type, **options), list[int]()

    @agent.tool_plain
    async def search() -> str:
        calls.append(1)
        return 'nothing ' * 50

    return agent, calls


async def test_two_hundred_children_at_once_use_a_dollar_and_never_more() -> None:
    pytest.importorskip('genai_prices')
    budget, names, draw = Budget(usd=1), ('gpt-4o', 'gpt-4-turbo', 'gpt-4.1'), random.Random(7)
    agents = [Agent(model_of(done, name, (20, draw.randint(500, 2000)))) for name in names for _ in range(20)]
    most = Decimal(0)

    async def child() -> None:
        nonlocal most
        while True:
            await draw.choice(agents).run('go', budget=budget, model_settings={'max_tokens': 2000})
            most = max(most, budget.used.usd or Decimal(0))

    outcomes = await asyncio.gather(*[child() for _ in range(200)], return_exceptions=True)
    assert all(isinstance(one, BudgetExceeded) for one in outcomes)
    assert Decimal('0.95') <= most <= 1
    assert budget.left.usd == 1 - most  # nothing is left reserved


@pytest.mark.parametrize('limits', [{'requests': 3}, {'tokens': 3 * 120 + 100}])
async def test_children_share_a_budget_of_requests_or_tokens(limits: dict[str, Any]) -> None:
    budget, agent = Budget(**limits), Agent(model_of(done))
    runs = [agent.run('go', budget=budget, model_settings={'max_tokens': 100}) for _ in range(10)]
    outcomes = await asyncio.gather(*runs, return_exceptions=True)
    finished = [one for one in outcomes if not isinstance(one, BaseException)]
    assert len(finished) == budget.used.requests == 3
    assert sum(isinstance(one, BudgetExceeded) for one in outcomes) == 7


@pytest.mark.parametrize('stream', [False, True])
@pytest.mark.parametrize('limits', [{'requests': 4}, {'tool_calls': 3}, {'usd': 0.02}, {'tokens': 6_000}])
async def test_a_last_request_without_tools_answers_with_what_is_known(limits: dict[str, Any], stream: bool) -> None:
    if 'usd' in limits:
        pytest.importorskip('genai_prices')
    budget = Budget(**limits, on_limit='finish', warn_at=None)
    agent, calls = searching(Report, model_settings={'max_tokens': 300})
    if stream:
        async with agent.iter('go', budget=budget) as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as events:
                        assert [event async for event in events]
        assert run.result is not None
        result = run.result
    else:
        result = await agent.run('go', budget=budget)
    assert result.output == Report(found=3)
    assert 'The budget of this run is used up' in texts(result.all_messages())[-1]
    assert calls
    assert all(value is None or value >= 0 for value in vars(budget.left).values())
    if 'requests' in limits:
        assert (budget.used.requests, len(calls)) == (4, 3)
    if 'tool_calls' in limits:
        assert len(calls) == 3
    if 'usd' in limits:
        assert (budget.used.usd or 0) <= Decimal('0.02')


async def test_results_too_long_for_the_last_request_are_left_out_of_it() -> None:
    seen: list[str] = []

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(str(messages))
        return endless(messages, info)

    budget, agent = Budget(tokens=5_000, on_limit='finish'), Agent(model_of(ask), model_settings={'max_tokens': 200})

    @agent.tool_plain
    def search() -> str:
        return 'page ' * 10_000

    result = await agent.run('go', budget=budget)
    assert result.output == 'what I know'
    assert 'Left out: the budget of this run is used up.' in seen[-1]
    assert 'page page' in str(result.all_messages())


async def test_a_model_that_does_not_answer_in_its_last_request_gets_no_other() -> None:
    agent = Agent(model_of(lambda messages, info: ModelResponse([ToolCallPart('search', {})])))

    @agent.tool_plain
    def search() -> str:
        return 'x'

    budget = Budget(requests=3, on_limit='finish')
    with pytest.raises(BudgetExceeded, match=r'The next request would exceed the budget of 3 requests') as raised:
        await agent.run('go', budget=budget)
    assert (budget.used.requests, raised.value.limit) == (3, 'requests')
    assert len(raised.value.messages) == 7


async def test_the_model_is_told_once_when_most_is_used() -> None:
    agent, _ = searching()
    with pytest.raises(BudgetExceeded) as raised:
        await agent.run('go', budget=Budget(requests=10, name='mine'))
    warnings = [text for text in texts(raised.value.messages) if 'of the budget is used' in text]
    assert warnings == ['80% of the budget is used; 2 requests are left. Come to an end soon.']
    assert "exceed the budget 'mine' of 10 requests" in str(raised.value)


async def test_a_function_decides_and_may_extend_the_budget() -> None:
    agent, calls = searching()
    asked: list[str] = []

    async def decide(ctx: RunContext, error: BudgetExceeded) -> str:
        asked.append(f'{error.limit} {ctx.run_step}')
        if len(asked) == 1:
            budget.extend(requests=2)
            return 'continue'
        return 'finish'

    budget = Budget(requests=3, on_limit=decide)
    assert (await agent.run('go', budget=budget)).output == 'what I know'
    assert (asked, len(calls), budget.used.requests) == (['requests 3', 'requests 5'], 4, 5)


async def test_budgets_around_of_agent_run_and_outer_run_all_hold() -> None:
    seen: list[Any] = []
    child = Agent(model_of(done), budget=Budget(requests=3, name='child'))
    parent, _ = searching(budget=Budget(requests=50, per='run'))

    @parent.tool
    async def delegate(ctx: RunContext) -> str:
        seen.append([budget.name for budget in ctx.budget.budgets])
        with Budget(tokens=10_000, name='tool'):
            await child.run('go')
        return 'x'

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('delegate', {})])

    tenant = Budget(requests=20, name='tenant')
    with tenant, pytest.raises(BudgetExceeded, match="'child' of 3 requests"):
        await parent.run('go', model=model_of(ask), budget=Budget(requests=9, name='run'))
    assert seen == [['tenant', None, 'run']] * 4
    assert tenant.used.requests == 7
    assert child.model is not None


def lookup() -> str:
    return 'nothing'


def beginners(begin: Callable[[], Any]) -> dict[str, Agent[None, Any]]:
    """Return agents, each with a function that begins another run, and whose runs make one request."""
    hooks = [Hooks(), Hooks(), Hooks()]

    async def write(text: str) -> str:
        await begin()
        return text

    async def give(found: int) -> int:
        await begin()
        return found

    async def prepare(ctx: RunContext, tools: list[ToolDefinition]) -> list[ToolDefinition]:
        await begin()
        return tools

    async def handle(ctx: RunContext, events: Any) -> None:
        if [event async for event in events]:
            await begin()

    @hooks[0].on.before_run
    async def before_run(ctx: RunContext) -> None:
        await begin()

    @hooks[1].on.before_model_request
    async def before_model_request(ctx: RunContext, request_context: Any) -> Any:
        await begin()
        return request_context

    @hooks[2].on.after_model_request
    async def after_model_request(ctx: RunContext, *, request_context: Any, response: Any) -> Any:
        await begin()
        return response

    agents: dict[str, Agent[None, Any]] = {
        'text function': Agent(TestModel(), output_type=TextOutput(write)),
        'output function': Agent(TestModel(), output_type=give),
        'prepare tools': Agent(TestModel(call_tools=[]), capabilities=[PrepareTools(prepare)], tools=[lookup]),
        'events': Agent(TestModel(), capabilities=[ProcessEventStream(handle)]),
        'instructions': Agent(TestModel()),
        'validator': Agent(TestModel()),
        **{f'hook {number}': Agent(TestModel(), capabilities=[one]) for number, one in enumerate(hooks)},
    }
    agents['instructions'].instructions(begin)
    agents['validator'].output_validator(write)
    return agents


@pytest.mark.parametrize('way', ['run', 'run_stream', 'run_stream to the end', 'run_stream_events', 'iter'])
@pytest.mark.parametrize('name', beginners(lambda: None))
async def test_whatever_a_run_calls_draws_from_its_budgets(name: str, way: str) -> None:
    child, begun = Agent(TestModel()), list[int]()

    async def begin() -> str:
        begun.append(1)
        return (await child.run('go')).output

    agent, budget = beginners(begin)[name], Budget(requests=100)
    if way == 'run':
        await agent.run('go', budget=budget)
    elif way == 'run_stream_events':
        async with agent.run_stream_events('go', budget=budget) as events:
            _ = [event async for event in events]
    elif way == 'iter':
        async with agent.iter('go', budget=budget) as run:
            async for node in run:
                if Agent.is_model_request_node(node) or Agent.is_call_tools_node(node):
                    async with node.stream(run.ctx) as shown:  # type: ignore[attr-defined]
                        _ = [event async for event in shown]
                await child.run('outside')
    else:
        async with agent.run_stream(
            'go', budget=budget, until='end' if way.endswith('end') else 'final-result'
        ) as stream:
            await stream.get_output()
    assert begun or (name, way) == ('events', 'iter')
    assert budget.used.requests == 1 + len(begun)


async def test_tools_beside_a_streamed_output_draw_from_the_budgets_of_their_run() -> None:
    child = Agent(TestModel())

    async def both(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[dict[int, DeltaToolCall]]:
        yield {0: DeltaToolCall('final_result', '{"response": 1}'), 1: DeltaToolCall('search', '{}')}

    agent = Agent(FunctionModel(stream_function=both), output_type=ToolOutput(int), end_strategy='exhaustive')

    @agent.tool_plain
    async def search() -> str:
        return (await child.run('go')).output

    budget = Budget(requests=100)
    async with agent.run_stream('go', budget=budget) as stream:
        assert await stream.get_output() == 1
    assert budget.used.requests == 2


@pytest.mark.parametrize('way', ['run_stream', 'run_stream to the end', 'run_stream_events', 'iter', 'events'])
@pytest.mark.parametrize('hooked', [False, True])
async def test_what_is_begun_while_a_stream_is_read_does_not_wait_for_it(way: str, hooked: bool) -> None:
    hooks, budget = Hooks(), Budget(requests=1)
    if hooked:
        hooks.on.before_model_request(lambda ctx, request_context: request_context)
    child, refused = Agent(TestModel(), budget=budget), list[str]()

    async def begin() -> None:
        with pytest.raises(BudgetExceeded) as caught:
            await asyncio.wait_for(child.run('go'), 20)
        refused.append(caught.value.limit)

    async def handle(ctx: RunContext, events: Any) -> None:
        async for _ in events:
            await begin()

    agent = Agent(TestModel(), capabilities=[hooks, *([ProcessEventStream(handle)] if way == 'events' else [])])
    if way == 'events':
        await agent.run('go', budget=budget)
    elif way == 'run_stream_events':
        async with agent.run_stream_events('go', budget=budget) as events:
            async for _ in events:
                await begin()
    elif way == 'iter':
        async with agent.iter('go', budget=budget) as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as shown:
                        await begin()
                        _ = [event async for event in shown]
    else:
        async with agent.run_stream(
            'go', budget=budget, until='end' if way.endswith('end') else 'final-result'
        ) as stream:
            await begin()
            await stream.get_output()
    assert refused
    assert {*refused} == {'requests'}
    assert budget.used.requests == 1


async def test_what_a_provider_counts_below_zero_gives_nothing_back() -> None:
    budget = Budget(tokens=10_000)
    agent = Agent(model_of(done, tokens=(-5000, -100)), model_settings={'max_tokens': 100})
    for _ in range(2):
        await agent.run('go', budget=budget)
    assert (budget.used.tokens or 0) > 200


async def test_one_budget_is_around_blocks_of_several_tasks() -> None:
    tenant, agent = Budget(requests=100), Agent(TestModel())

    async def request(seconds: float) -> None:
        with tenant:
            await asyncio.sleep(seconds)
            await agent.run('go')
            await asyncio.sleep(seconds)
            with tenant:
                await agent.run('go')
            await agent.run('go')
        await agent.run('outside')

    await asyncio.gather(request(0.01), request(0.02), request(0))
    assert tenant.used.requests == 9


async def test_each_run_in_a_block_has_an_account_of_its_own_if_its_budget_says_so() -> None:
    agent = Agent(TestModel())
    with Budget(requests=1, per='run'):
        for _ in range(2):
            await agent.run('go')


async def test_a_failed_request_is_given_back() -> None:
    def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError('down')

    budget = Budget(tokens=1_000)
    with pytest.raises(RuntimeError):
        await Agent(model_of(fails)).run('go', budget=budget, model_settings={'max_tokens': 100})
    assert (budget.used.tokens, budget.left.tokens) == (0, 1_000)


async def test_a_response_without_a_bound_gets_one_that_fits() -> None:
    bounds: list[Any] = []

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        bounds.append((info.model_settings or {}).get('max_tokens'))
        return ModelResponse([TextPart('done')])

    agent = Agent(model_of(ask))
    await agent.run('go', budget=Budget(tokens=100_000))
    await agent.run('go', budget=Budget(tokens=2_000))
    await agent.run('go', budget=Budget(requests=2))
    assert bounds == [16_384, 1_024, None]


async def test_models_without_a_price_are_refused_unless_that_is_allowed() -> None:
    agent = Agent(model_of(done, 'nothing-like-it'))
    with pytest.raises(UserError, match="price of the model 'nothing-like-it' is not known"):
        await agent.run('go', budget=Budget(usd=1))
    budget = Budget(usd=1, unknown_prices='allow')
    await agent.run('go', budget=budget)
    assert (budget.used.usd, budget.used.requests) == (0, 1)


async def test_a_model_that_falls_back_may_use_what_each_of_its_models_may() -> None:
    pytest.importorskip('genai_prices')
    both = FallbackModel(model_of(done), model_of(done))
    most = {'max_tokens': 1000}
    with pytest.raises(BudgetExceeded):
        await Agent(both).run('go', budget=Budget(usd=0.015), model_settings=most)  # type: ignore[arg-type]
    await Agent(both.models[0]).run('go', budget=Budget(usd=0.015), model_settings=most)  # type: ignore[arg-type]


async def test_time_is_up_before_a_request() -> None:
    agent, calls = searching()
    budget = Budget(seconds=0.02, on_limit='finish')

    @agent.tool_plain
    async def wait() -> None:
        await asyncio.sleep(0.03)

    def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('wait', {}) if info.function_tools else TextPart('late')])

    assert (await agent.run('go', budget=budget, model=model_of(ask))).output == 'late'
    with pytest.raises(BudgetExceeded, match='The budget is used up: 0 seconds have passed'):
        await agent.run('go', budget=Budget(seconds=0))
    assert not calls


async def test_a_stream_counts_what_it_has_used() -> None:
    async def words(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield 'a '
        yield 'b'

    budget, agent = Budget(tokens=10_000), Agent(FunctionModel(stream_function=words))
    async with agent.run_stream('go', budget=budget) as stream:
        assert budget.used.requests == 0
        assert (budget.left.tokens or 0) < 9_000
        assert await stream.get_output() == 'a b'
    assert budget.used.requests == 1
    assert 9_000 < (budget.left.tokens or 0) < 10_000


def test_an_account_begins_again_with_each_window() -> None:
    account = MemoryAccount()

    def use(window: str, name: str) -> tuple[int | None, int]:
        found = account.change_budget(
            '', AccountChange(window, [None, None, 1, None], reserve=[(name, Amounts(0, 5, 1), False)])
        )
        if found.exceeded is None:
            found = account.change_budget('', AccountChange(window, [], used=[(name, Amounts(0, 3, 1))]))
        return found.exceeded, found.total.tokens

    assert [use('2026-11-28', 'a'), use('2026-11-28', 'b'), use('2026-11-29', 'c')] == [(None, 3), (2, 3), (None, 3)]


async def test_limits_and_budgets_hold_together() -> None:
    agent, _ = searching()
    with pytest.raises(Exception, match='request_limit of 2'):
        await agent.run('go', budget=Budget(requests=9), usage_limits=UsageLimits(request_limit=2))


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'usd': -1}, '`usd` of a `Budget` is a number'),
        ({'tokens': 'x'}, '`tokens` of a `Budget` is a number'),
        ({'per': 'year'}, '`per` of a `Budget` is one of'),
        ({'on_limit': 'stop'}, '`on_limit` of a `Budget` is'),
        ({'unknown_prices': 'no'}, '`unknown_prices` of a `Budget` is'),
        ({'store': object(), 'name': 'x'}, 'A `Budget` in a store'),
    ],
)
def test_wrong_arguments_are_errors(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(UserError, match=text):
        Budget(**arguments)


async def test_seconds_begin_again_with_each_window_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {'minute': 0, 'seconds': 100.0}

    class Days(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime(2026, 1, 1, 0, clock['minute'], tzinfo=tz)  # type: ignore[arg-type]

    monkeypatch.setattr('stead.budgets._budget.datetime', Days)
    monkeypatch.setattr('stead.budgets._budget.time', SimpleNamespace(monotonic=lambda: clock['seconds']))
    agent, budget = Agent(model_of(done)), Budget(seconds=5, requests=50, per='minute')
    await agent.run('go', budget=budget)
    clock['seconds'] += 6
    with pytest.raises(BudgetExceeded, match='5 seconds have passed'):
        await agent.run('go', budget=budget)
    clock.update(minute=1)
    for _ in range(2):
        assert (await agent.run('go', budget=budget)).output == 'done'


async def test_the_error_goes_to_other_processes() -> None:
    budget = Budget(name='all', requests=0, on_limit=lambda ctx, error: 'raise')
    with pytest.raises(BudgetExceeded) as caught:
        await Agent(model_of(done)).run('go', budget=budget)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.limit, again.budget_name) == (str(caught.value), 'requests', 'all')


async def test_a_call_that_one_budget_refuses_is_not_taken_from_another() -> None:
    outer, inner = Budget(tool_calls=50, requests=50), Budget(tool_calls=2, on_limit='finish')
    agent, calls = searching(budget=inner)
    with outer:
        assert (await agent.run('go')).output == 'what I know'
    assert (len(calls), outer.used.tool_calls, inner.used.tool_calls, outer.left.tool_calls) == (2, 2, 2, 48)


PRICED = [
    ('gpt-4o', 'openai'),
    ('gpt-5-mini', 'openai'),
    ('claude-sonnet-4-5', 'anthropic'),  # more for a long prompt
    ('gemini-2.5-pro', 'google'),
    ('deepseek-chat', 'deepseek'),  # less by night
    ('mistral-large-latest', 'mistral'),
]


@pytest.mark.parametrize(('model', 'provider'), PRICED)
def test_what_a_response_is_noted_to_cost_is_what_the_tables_say(model: str, provider: str) -> None:
    for tokens in ((1, 1), (1_234, 567), (999_999, 0), (0, 7), (250_000, 3)):
        for more in ({}, {'cache_read_tokens': tokens[0] // 2}, {'details': {'reasoning_tokens': 3}}):
            usage = RequestUsage(input_tokens=tokens[0], output_tokens=tokens[1], **more)  # type: ignore[arg-type]
            for _ in range(2):
                response = ModelResponse([TextPart('x')], usage=usage, model_name=model, provider_name=provider)
                expected = response.cost().total_price
                note_cost(response)
                assert response.usage.cost == expected and usage.cost is None


@pytest.mark.parametrize(
    ('limits', 'has_room'), [({'requests': 30}, True), ({'usd': 1}, True), ({'usd': 0.02}, False)], ids=str
)
async def test_summaries_draw_from_the_budget_and_are_left_out_when_it_has_no_room(
    limits: dict[str, Any], has_room: bool
) -> None:
    """A summary that the budget has no room for is put together without a model, and the run continues."""
    pytest.importorskip('genai_prices')
    asked, requests = list[int | None](), list[int]()

    def summarise(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append((info.model_settings or {}).get('max_tokens'))
        return ModelResponse([TextPart('The pages are empty.')])

    def read(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        requests.append(1)
        return ModelResponse([ToolCallPart('read_page', {})] if len(requests) < 8 else [TextPart('done')])

    budget, summarised = Budget(**limits), Summarise[Any](at=900, into=100, model=model_of(summarise, 'gpt-4'))
    agent = Agent(FunctionModel(read, model_name='gpt-4o-mini'), budget=budget, capabilities=[summarised])

    @agent.tool_plain
    def read_page() -> str:
        return 'dust ' * 200

    with warnings.catch_warnings():
        warnings.simplefilter('error' if has_room else 'ignore', SummaryFailed)
        result = await agent.run('Read the book.')
    assert result.output == 'done'
    assert [bool(most) for most in asked] == [budget.usd is not None] * len(asked), 'dollars bound what it may write'
    assert bool(asked) == has_room
    assert budget.used.requests == len(requests) + len(asked) == result.usage.requests
