"""A conversation that programs pass from run to run: what it holds, in which runs, and after a crash."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from stead import Agent, Conversation, ConversationTypeAdapter, RunContext
from stead.conversation_store import ConversationConflict, InMemoryConversationStore
from stead.exceptions import CallDeferred, UsageLimitExceeded, UserError
from stead.journal import Journal, MemoryStore
from stead.messages import BinaryContent, DeferredToolRequests, DeferredToolResults, ModelRequest, UserPromptPart
from stead.models.test import TestModel
from stead.usage import RunUsage, UsageLimits


def make_agent(*capabilities: Any) -> Agent[None, Any]:
    agent = Agent(TestModel(), name='shop', output_type=[str, DeferredToolRequests], capabilities=[*capabilities])

    @agent.tool_plain
    def ask(question: str) -> str:
        raise CallDeferred({'question': question}, kind='question')

    return agent


@pytest.mark.parametrize('nodes', range(3))
def test_a_resumed_run_has_the_conversation_that_it_would_have_had(nodes: int) -> None:
    async def check() -> None:
        journal, store = Journal(MemoryStore()), InMemoryConversationStore()
        agent = Agent(TestModel(), name='shop', capabilities=[journal])

        @agent.tool
        def used(ctx: RunContext) -> int:
            return ctx.usage.requests

        first = await agent.run('hi', conversation=Conversation(conversation_id='c', usage=RunUsage(requests=7)))
        await store.save(first)
        loaded = await store.load('c')
        assert loaded is not None
        whole = (await agent.run('more', conversation=loaded)).conversation
        async with agent.iter('more', conversation=loaded) as going:
            node: Any = going.next_node
            for _ in range(nodes):
                node = await going.next(node)
        (left,) = await journal.runs(status='running')
        resumed = (await journal.resume(agent, left.run_id)).conversation
        assert (resumed.usage, resumed.revision, resumed.new_message_index) == (whole.usage, loaded.revision, 4)
        assert [str(m.parts[0])[:20] for m in resumed.messages] == [str(m.parts[0])[:20] for m in whole.messages]
        assert len(await store.save(resumed)) == 2
        with pytest.raises(ConversationConflict):
            await store.save(whole)

    asyncio.run(check())


def test_a_question_stays_one_in_a_journal() -> None:
    async def check() -> None:
        journal = Journal(MemoryStore())
        agent = make_agent(journal)
        result = await agent.run('hi')
        (waiting,) = await journal.waiting()
        (call,) = waiting.requests.calls
        assert result.output.kind(call.tool_call_id) == 'question'
        assert waiting.requests.kind(call.tool_call_id) == 'question'
        answers = waiting.requests.build_results(
            calls={call.tool_call_id: 'yes'}, answered_by={call.tool_call_id: 'Ann'}
        )
        await journal.answer(waiting.run.run_id, answers)
        decisions = (await journal.state(waiting.run.run_id)).decisions
        assert decisions is not None
        assert decisions.answered_by == {call.tool_call_id: 'Ann'}
        assert (await journal.resume(agent, waiting.run.run_id)).output == '{"ask":"yes"}'

    asyncio.run(check())


def test_a_conversation_counts_against_the_limits_of_a_run() -> None:
    used = Conversation(usage=RunUsage(requests=3))
    with pytest.raises(UsageLimitExceeded):
        Agent(TestModel()).run_sync('hi', conversation=used, usage_limits=UsageLimits(request_limit=3))
    assert used == Conversation(usage=RunUsage(requests=3), conversation_id=used.conversation_id)


def test_what_a_conversation_holds_is_passed_once() -> None:
    agent = make_agent()
    with pytest.raises(UserError, match='holds the `usage` already'):
        agent.run_sync('hi', conversation=Conversation(), usage=RunUsage())
    with pytest.raises(UserError, match='a `Conversation`, such as `result.conversation`'):
        agent.run_sync('hi', conversation='c1')  # type: ignore[reportCallIssue]


def test_a_stored_conversation_keeps_bytes_and_parts_of_later_versions() -> None:
    image = BinaryContent(b'\xff\x00', media_type='image/png')
    one = Conversation(messages=[ModelRequest(parts=[UserPromptPart([image])])])
    stored = ConversationTypeAdapter.dump_json(one)
    assert ConversationTypeAdapter.validate_json(stored) == one
    later = json.loads(stored)
    later['messages'][0]['parts'].append({'part_kind': 'of-2030', 'content': 'x'})
    with pytest.warns(UserWarning, match='of-2030'):
        read = ConversationTypeAdapter.validate_json(json.dumps(later))
    assert json.loads(ConversationTypeAdapter.dump_json(read)) == later


def test_open_calls_are_part_of_a_conversation_and_of_what_is_stored() -> None:
    agent, store = make_agent(), InMemoryConversationStore()

    async def check() -> None:
        await store.save(await agent.run('hi', conversation=Conversation(conversation_id='c')))
        loaded = await store.load('c')
        assert loaded is not None
        waiting = loaded.deferred_tool_requests
        assert waiting is not None
        (call,) = waiting.calls
        assert waiting.kind(call.tool_call_id) == 'question'
        results = DeferredToolResults(calls={call.tool_call_id: 'blue'})
        result = await agent.run(conversation=loaded, deferred_tool_results=results)
        assert (result.output, result.conversation.deferred_tool_requests) == ('{"ask":"blue"}', None)

    asyncio.run(check())
