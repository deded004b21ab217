"""Conversations continue where they stood, by their id."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext, UserError
from stead.journal import Journal, JournalError, MemoryStore, RunBegan, RunFact, RunInUse
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.toolsets import FunctionToolset, WrapperToolset
from tests.journal.test_crashes import calls, scripted


def listener(journal: Journal[Any]) -> Agent[None, str]:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        prompts = [part.content for message in messages for part in message.parts if part.part_kind == 'user-prompt']
        return ModelResponse(parts=[TextPart(' '.join(map(str, prompts)))])

    return Agent(FunctionModel(answer), name='listener', capabilities=[journal])


def test_a_conversation_goes_on_without_a_history() -> None:
    async def main() -> None:
        store = MemoryStore()
        for prompt, heard in (('one', 'one'), ('two', 'one two'), ('three', 'one two three')):
            journal: Journal[Any] = Journal(store, conversations=True)
            result = await listener(journal).run(prompt, conversation_id='me')
            assert result.output == heard
            assert len(result.new_messages()) == 2
        assert (await listener(journal).run('four')).output == 'four'
        assert (await listener(journal).run('five', conversation_id='you')).output == 'five'
        talk = journal.conversation('me')
        assert len(await talk.runs()) == 3
        assert await talk.messages() == result.all_messages()
        # Each run has only what is new.
        sizes = [sum(len(record.body) for record in store.read(run.run_id)) for run in await talk.runs()]
        assert max(sizes) < 1.2 * min(sizes)

    asyncio.run(main())


def test_conversations_are_trimmed_branched_and_deleted() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(conversations=True)
        agent = listener(journal)
        for prompt in ('one', 'two'):
            await agent.run(prompt, conversation_id='me')
        talk = journal.conversation('me')
        branch = await talk.branch('other')
        await talk.trim(lambda messages: messages[2:])
        assert (await agent.run('three', conversation_id='me')).output == 'two three'
        assert (await agent.run('three', conversation_id='other')).output == 'one two three'
        with pytest.raises(JournalError, match='already'):
            await talk.branch('other')
        await talk.delete()
        assert len(await branch.messages()) == 6
        assert await talk.messages() == []
        assert (await agent.run('four', conversation_id='me')).output == 'four'
        await branch.delete()
        assert await branch.messages() == []

    asyncio.run(main())


def test_two_runs_of_a_conversation_take_turns() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(conversations=True)
        agent = listener(journal)
        await agent.run('one', conversation_id='me')
        results = await asyncio.gather(*(agent.run(name, conversation_id='me') for name in ('two', 'three')))
        assert sorted(len(result.output.split()) for result in results) in ([2, 3], [2, 2])
        refusing: Journal[Any] = Journal(journal.store, conversations='refuse')
        async with listener(refusing).iter('four', conversation_id='me'):
            with pytest.raises(RunInUse, match='is under way'):
                await listener(refusing).run('five', conversation_id='me')

    asyncio.run(main())
    with pytest.raises(UserError, match='`conversations` of a `Journal`'):
        Journal(conversations='yes')  # type: ignore[arg-type]


def test_runs_that_begin_at_the_same_moment_take_turns_or_are_refused() -> None:
    async def main() -> None:
        for mode, lengths in ((True, [2, 4]), ('refuse', [2])):
            journal: Journal[Any] = Journal(MemoryStore(), conversations=mode)  # type: ignore[arg-type]
            agent = Agent(TestModel(), name='talks', capabilities=[journal])
            results = await asyncio.gather(
                *(agent.run(text, conversation_id='me') for text in 'ab'), return_exceptions=True
            )
            history_lengths = sorted(len(one.all_messages()) for one in results if not isinstance(one, BaseException))
            assert history_lengths == lengths
            assert [type(one) for one in results if isinstance(one, BaseException)] == [RunInUse] * (
                2 - len(history_lengths)
            )
            await agent.run('c', conversation_id='me')

    asyncio.run(main())


def test_a_failed_setup_gives_the_turn_back() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), conversations='refuse')
        broken: FunctionToolset[Any] = FunctionToolset()

        class Broken(WrapperToolset[Any]):
            async def for_run(self, ctx: RunContext[Any]) -> Any:
                raise RuntimeError('no server')

        with pytest.raises(RuntimeError, match='no server'):
            await listener(journal).run('one', conversation_id='me', toolsets=[Broken(broken)])
        assert (await listener(journal).run('two', conversation_id='me')).output == 'two'
        assert len(await journal.runs()) == 1

    asyncio.run(main())


@pytest.mark.parametrize('mode', ['wait', 'refuse'])
def test_a_run_that_was_left_has_to_be_resumed_first(mode: Any) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), conversations=mode, lease_seconds=0.2)
        agent = listener(journal)
        await agent.run('one', conversation_id='me')
        async with agent.iter('two', conversation_id='me') as run:
            assert len(await journal.conversation('me').messages()) == 2
            await run.next(run.next_node)  # type: ignore[arg-type]
        with pytest.raises(JournalError, match=f'Run {run.ctx.state.run_id!r} of conversation .* was left'):
            await agent.run('three', conversation_id='me')
        with pytest.raises(RunInUse, match='was left'):
            await journal.conversation('me').trim(list)
        assert (await journal.resume(agent, run.ctx.state.run_id)).output == 'one two'
        assert (await agent.run('three', conversation_id='me')).output == 'one two three'

    asyncio.run(main())


def test_a_run_that_had_only_begun_has_its_prompt_when_it_goes_on() -> None:
    class Dies(Journal[Any]):
        async def record(self, ctx: RunContext[Any], *, fact: RunFact) -> None:
            await super().record(ctx, fact=fact)
            if isinstance(fact, RunBegan):
                raise asyncio.CancelledError

    async def main() -> None:
        store = MemoryStore()
        journal: Journal[Any] = Journal(store, conversations=True, on_change='accept')
        agent = listener(journal)
        await agent.run('one', conversation_id='me')
        with pytest.raises(asyncio.CancelledError):
            await listener(Dies(store, conversations=True)).run('two', conversation_id='me')
        last = (await journal.runs())[0]
        while last.holder is not None:
            await asyncio.sleep(0.01)
            last = (await journal.runs())[0]
        result = await journal.resume(agent, last.run_id)
        assert result.output == 'one two'
        assert len(result.new_messages()) == 2

    asyncio.run(main())


def test_a_run_with_a_key_has_its_turn() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), conversations='refuse')
        agent = listener(journal)
        await agent.run('one', conversation_id='me')
        for _ in range(2):
            result = await journal.run(agent, 'two', key='k', conversation_id='me')
            assert result.output == 'one two'
        assert (await agent.run('three', conversation_id='me')).output == 'one two three'
        elsewhere = await journal.run(agent, 'four', key='l', message_history=result.all_messages())
        assert elsewhere.output == 'one two four'
        assert len(await journal.messages(elsewhere.run_id)) == 6
        async with agent.iter('five', conversation_id='me'):
            with pytest.raises(RunInUse, match='under way'):
                await journal.run(agent, 'six', key='m', conversation_id='me')

    asyncio.run(main())


def test_the_last_run_is_found_behind_many_that_failed_and_before_clocks_that_were_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), conversations=True)
        agent = listener(journal)
        await agent.run('one', conversation_id='me')
        monkeypatch.setattr(time, 'time', lambda now=time.time() - 1000: now)
        assert (await agent.run('two', conversation_id='me')).output == 'one two'
        failing = Agent(TestModel(), name='fails', capabilities=[journal])

        @failing.output_validator
        def refuse(output: str) -> str:
            raise ValueError('no')

        for _ in range(45):
            with pytest.raises(ValueError, match='no'):
                await failing.run('lost', conversation_id='me')
        assert (await agent.run('three', conversation_id='me')).output == 'one two three'

    asyncio.run(main())


def test_a_conversation_is_deleted_with_the_runs_inside_of_it() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), conversations=True)
        inner = listener(journal)
        outer = Agent(TestModel(), name='outer', capabilities=[journal])

        @outer.tool_plain(effect='idempotent')
        async def ask() -> str:
            return (await inner.run('secret')).output

        await outer.run('one', conversation_id='me')
        await outer.run('two', conversation_id='you')
        async with outer.iter('three', conversation_id='me'):
            with pytest.raises(RunInUse, match='is under way'):
                await journal.conversation('me').delete()
        assert await journal.conversation('me').delete() == 3
        assert {run.conversation_id for run in await journal.runs() if run.parent_id is None} == {'you'}
        assert len(await journal.runs()) == 2

    asyncio.run(main())


@pytest.mark.parametrize('wrong', [None, 3, 'a\ud800', 'a\0'])
def test_the_id_of_a_conversation_is_text(wrong: Any) -> None:
    journal: Journal[Any] = Journal(conversations=True)
    with pytest.raises(UserError, match='The id of a conversation must be text'):
        journal.conversation(wrong)


def test_a_conversation_that_waits_is_deleted_but_for_what_a_fork_needs() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), conversations=True)
        agent: Agent[None, Any] = Agent(
            TestModel(), name='wipes', output_type=[str, DeferredToolRequests], capabilities=[journal]
        )

        @agent.tool_plain(requires_approval=True)
        def wipe() -> str:
            return 'wiped'

        waits = await agent.run('one', conversation_id='me')
        with pytest.raises(JournalError, match='waits for decisions'):
            await agent.run('two', conversation_id='me')
        fork = await journal.fork(waits.run_id)
        assert await journal.conversation('me').delete() == 0
        assert await journal.conversation('me').messages() == []
        assert len((await agent.run('two', conversation_id='me')).all_messages()) == 2
        assert len(await journal.messages(fork)) == 1

    asyncio.run(main())


@pytest.mark.parametrize('other', [False, True])
@pytest.mark.parametrize('how', ['resume', 'events', 'worker', 'fork'])
def test_another_journal_goes_on_with_a_run_of_a_conversation(how: str, other: bool) -> None:
    async def main() -> None:
        own: Journal[Any] = Journal(MemoryStore(), conversations=True)
        agent: Agent[None, Any] = Agent(
            scripted(calls(('pay', {}, 'p1'))),
            name='payer',
            output_type=[str, DeferredToolRequests],
            capabilities=[own],
        )

        @agent.tool_plain(requires_approval=True)
        def pay() -> str:
            return 'paid'

        run_id = (await agent.run('go', conversation_id='me')).run_id
        journal: Journal[Any] = Journal(own.store, conversations=other)
        await journal.answer(run_id, DeferredToolResults(approvals={'p1': True}))
        if how == 'worker':
            async with journal.worker(agent) as worker:
                await worker.idle()
            assert [result.output for result in worker.results.values()] == ['done']
        elif how == 'events':
            async with journal.resume_stream_events(agent, run_id) as events:
                last = [event async for event in events][-1]
            assert last.result.output == 'done'
        else:
            assert (await journal.resume(agent, run_id)).output == 'done'
        if how == 'fork':
            assert (await journal.resume(agent, await journal.fork(run_id))).output == 'done'
        assert {run.status for run in await own.runs()} == {'done'}
        assert len(await own.conversation('me').messages()) == 4

    asyncio.run(main())
