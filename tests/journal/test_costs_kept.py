"""The cost of a run, and its limit, in runs that are stored, resumed and run inside of others."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.capabilities import Hooks
from stead.exceptions import UsageLimitExceeded
from stead.journal import Journal, MemoryStore
from stead.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.usage import RequestUsage, RunUsage, UsageLimits


def paid(*names: str, cost: str = '0.1') -> FunctionModel:
    """A model that calls these tools one after the other, and each time costs something."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = sum(isinstance(message, ModelResponse) for message in messages)
        part = ToolCallPart(names[step], {}, f'{names[step]}-{step}') if step < len(names) else TextPart('done')
        usage = RequestUsage(input_tokens=1, output_tokens=2, output_reasoning_tokens=1, cost=Decimal(cost))
        return ModelResponse(parts=[part], usage=usage)

    return FunctionModel(respond)


def test_a_resumed_run_knows_what_it_has_cost() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        outputs: Any = [str, DeferredToolRequests]
        agent: Agent[None, Any] = Agent(paid('ask', 'ask'), name='a', output_type=outputs, capabilities=[journal])

        @agent.tool_plain(requires_approval=True)
        def ask() -> str:
            return 'yes'

        first = await agent.run('go')
        assert first.usage.cost == Decimal('0.1')
        for step in (0, 1):
            (waiting,) = await journal.waiting()
            run_id = waiting.run.run_id
            await journal.answer(run_id, DeferredToolResults(approvals={f'ask-{step}': True}))
            result = await journal.resume(agent, run_id)
        assert (result.usage.cost, result.usage.output_reasoning_tokens) == (Decimal('0.3'), 3)

    asyncio.run(main())


def test_an_agent_inside_of_a_tool_spends_from_the_same_limit() -> None:
    inner = Agent(paid(cost='0.5'))
    outer: Agent[None, str] = Agent(paid('ask', 'ask'))

    @outer.tool
    async def ask(ctx: RunContext[None]) -> str:
        return (await inner.run('q', usage=ctx.usage, usage_limits=ctx.usage_limits)).output

    with pytest.raises(UsageLimitExceeded, match='cost_limit') as caught:
        outer.run_sync('q', usage_limits=UsageLimits(cost_limit=Decimal('1')))
    assert caught.value.usage is not None and caught.value.usage.cost == Decimal('1.2')


def test_older_histories_are_read_and_written_as_they_were() -> None:
    stored = [
        {
            'kind': 'response',
            'parts': [{'part_kind': 'text', 'content': 'a'}],
            'usage': {'input_tokens': 3, 'details': {'reasoning_tokens': 2}},
        }
    ]
    (loaded,) = ModelMessagesTypeAdapter.validate_python(stored)
    assert isinstance(loaded, ModelResponse) and loaded.usage.cost is None
    (again,) = ModelMessagesTypeAdapter.dump_python([loaded], mode='json')
    assert not {'cost', 'audio_seconds', 'output_reasoning_tokens', 'unmeasured_requests'} & again['usage'].keys()


def test_usage_that_is_no_number_counts_nothing() -> None:
    usage = RequestUsage(input_tokens=1, audio_seconds=-1, output_reasoning_tokens=-5, cost=Decimal('nan'))
    model = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart('x')], usage=usage))
    used: RunUsage = Agent(model).run_sync('q').usage
    assert (used.audio_seconds, used.output_reasoning_tokens, used.cost) == (0, 0, None)


@pytest.mark.parametrize('fails', [False, True])
def test_a_run_inside_of_another_has_recorded_what_it_used_itself(fails: bool) -> None:
    """Also what it paid for a response that a hook has refused, with which it ended."""
    hooks: Hooks[Any] = Hooks()

    @hooks.on.after_model_request
    async def refuse(ctx: Any, *, request_context: Any, response: Any) -> Any:
        if fails:
            raise ValueError('refused')
        return response

    async def main() -> None:
        journal: Journal[Any] = Journal()
        inner = Agent(paid(), name='inner', capabilities=[journal, hooks])
        outer: Agent[None, str] = Agent(paid('ask', 'ask'), name='outer', capabilities=[journal])

        @outer.tool
        async def ask(ctx: RunContext[None]) -> str:
            with suppress(ValueError):
                return (await inner.run('q', usage=ctx.usage)).output
            return 'it failed'

        result = await outer.run('q')
        assert (result.usage.requests, result.usage.cost) == (5, Decimal('0.5'))
        runs = await journal.runs()
        used = [(run.agent, (await journal.state(run.run_id)).usage.requests) for run in runs]
        assert sorted(used) == [('inner', 1), ('inner', 1), ('outer', 5)]

    asyncio.run(main())
