"""What tools and validators see of a run is the same in a run that is resumed, wherever it was left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, RunContext
from stead.exceptions import IncompleteToolCall, ModelRetry
from stead.journal import Journal, MemoryStore
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import DeferredToolResults

OPTIONS: dict[str, Any] = {'metadata': {'tenant': 't1'}, 'model_settings': {'temperature': 0.5}}


def seen(ctx: RunContext) -> dict[str, Any]:
    """Return what a context says of its run, as values of their own."""
    return {
        'metadata': ctx.metadata,
        'prompt': ctx.prompt,
        'settings': dict(ctx.model_settings or {}),
        'usage': str(ctx.usage),
        'retries': dict(ctx.retries),
        'retry': ctx.retry,
        'step': ctx.run_step,
        'conversation': ctx.conversation_id,
        'messages': len(ctx.messages),
    }


def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) < 4:
        return ModelResponse(parts=[ToolCallPart('pay', {'amount': len(messages)})])
    return ModelResponse(parts=[TextPart('done')])


def make_agent(**options: Any) -> tuple[Agent[None, Any], Journal, list[dict[str, Any]]]:
    journal, contexts = Journal(MemoryStore()), []
    agent = Agent(FunctionModel(script), name='shop', capabilities=[journal], **options)

    @agent.tool(retries=3)
    async def pay(ctx: RunContext, amount: int) -> str:
        contexts.append(seen(ctx))
        if amount == 1:
            raise ModelRetry('again')
        return 'paid'

    @agent.output_validator
    def check(ctx: RunContext, output: Any) -> Any:
        contexts.append(seen(ctx))
        return output

    return agent, journal, contexts


async def leave(agent: Agent[None, Any], prompt: str | None, nodes: int, **options: Any) -> None:
    """Leave a run after some nodes, as a process does that dies."""
    async with agent.iter(prompt, **options) as going:
        node: Any = going.next_node
        for _ in range(nodes):
            node = await going.next(node)


@pytest.mark.parametrize('nodes', range(6))
@pytest.mark.parametrize('by', ['resume', 'worker'])
def test_a_resumed_run_shows_what_the_run_would_have_shown(nodes: int, by: str) -> None:
    async def check() -> None:
        agent, journal, contexts = make_agent()
        whole = await agent.run('hi', conversation_id='c', **OPTIONS)
        expected, contexts[:] = list(contexts), []
        await leave(agent, 'hi', nodes, conversation_id='c', **OPTIONS)
        (left,) = await journal.runs(status='running')
        if by == 'resume':
            result = await journal.resume(agent, left.run_id)
        else:
            async with journal.worker(agent) as worker:
                await worker.idle()
            result = worker.results[left.run_id]
        assert contexts == expected
        assert result.metadata == whole.metadata == {'tenant': 't1'}

    asyncio.run(check())


def test_an_approved_call_sees_the_metadata_and_settings_of_its_run() -> None:
    async def check() -> None:
        agent, journal, contexts = make_agent(output_type=[str, DeferredToolRequests])

        @agent.tool(requires_approval=True)
        async def refund(ctx: RunContext) -> str:
            contexts.append(seen(ctx))
            return 'refunded'

        def ask(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            parts = [ToolCallPart('refund', {}, 'r')] if len(messages) == 1 else [TextPart('done')]
            return ModelResponse(parts=parts)

        agent.model = FunctionModel(ask)
        waiting = await agent.run('hi', **OPTIONS)
        assert isinstance(waiting.output, DeferredToolRequests)
        await journal.answer(waiting.run_id, DeferredToolResults(approvals={'r': True}))
        result = await journal.resume(agent, waiting.run_id)
        assert result.output == 'done'
        assert [(one['metadata'], one['prompt'], one['settings']) for one in contexts] == [
            ({'tenant': 't1'}, 'hi', {'temperature': 0.5})
        ] * 2

    asyncio.run(check())


def test_a_request_that_ends_the_history_stays_the_prompt_of_a_resumed_run() -> None:
    async def check() -> None:
        agent, journal, contexts = make_agent()
        async with agent.iter('question') as going:
            await going.next(going.next_node)
        history = [*going.all_messages()]
        asked = await agent.run('question', message_history=history)
        question = asked.all_messages()[:1]
        contexts.clear()
        await agent.run(message_history=question)
        expected, contexts[:] = [one['prompt'] for one in contexts], []
        assert expected == ['question'] * len(expected)
        (left,) = await journal.runs(status='running')
        await journal.resume(agent, left.run_id)
        contexts.clear()
        await leave(agent, None, 3, message_history=question)
        (left,) = await journal.runs(status='running')
        await journal.resume(agent, left.run_id)
        assert [one['prompt'] for one in contexts] == expected

    asyncio.run(check())


@pytest.mark.parametrize('nodes', [0, 2, 4])
def test_metadata_functions_and_metadata_of_the_resume_count(nodes: int) -> None:
    async def check() -> None:
        def of_agent(ctx: RunContext) -> dict[str, Any]:
            return {'step': ctx.run_step, 'tenant': 'of the agent'}

        agent, journal, _ = make_agent(metadata=of_agent)
        whole = await agent.run('hi', **OPTIONS)
        assert whole.metadata == {'step': 3, 'tenant': 't1'}
        await leave(agent, 'hi', nodes, **OPTIONS)
        (left,) = await journal.runs(status='running')
        assert (await journal.resume(agent, left.run_id)).metadata == whole.metadata
        await leave(agent, 'hi', nodes, **OPTIONS)
        (left,) = await journal.runs(status='running')
        result = await journal.resume(agent, left.run_id, metadata={'tenant': 't2'})
        assert result.metadata == {**(whole.metadata or {}), 'tenant': 't2'}

    asyncio.run(check())


def test_the_token_limit_of_the_request_is_in_the_error_of_a_resumed_run() -> None:
    async def check() -> None:
        def cut(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            return ModelResponse(parts=[ToolCallPart('pay', '{"amount": 1')], finish_reason='length')

        agent, journal, _ = make_agent(model_settings={'max_tokens': 7})
        agent.model = FunctionModel(cut)
        await leave(agent, 'hi', 2)
        (left,) = await journal.runs(status='running')
        with pytest.raises(IncompleteToolCall, match=r'limit \(7\) exceeded'):
            await journal.resume(agent, left.run_id)

    asyncio.run(check())
