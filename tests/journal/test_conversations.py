"""Conversations go on where they stood, by their id."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stead import Agent, UserError
from stead.journal import Journal, JournalError, MemoryStore, RunInUse
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel


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
        assert (await agent.run('four', conversation_id='me')).output in ('four', 'one two four')
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
            done = sorted(len(one.all_messages()) for one in results if not isinstance(one, BaseException))
            assert done == lengths
            assert [type(one) for one in results if isinstance(one, BaseException)] == [RunInUse] * (2 - len(done))
            await agent.run('c', conversation_id='me')

    asyncio.run(main())
