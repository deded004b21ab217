"""What happens to runs that are resumed, begun for a key, or recorded by a store that fails."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from stead import Agent, DeferredToolResults, UserError
from stead.exceptions import UsageLimitExceeded
from stead.journal import Entry, Journal, JournalError, MemoryStore, RunInUse, RunNotFound, SqliteStore, StoreError
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.usage import UsageLimits
from tests.journal.test_crashes import calls, plain, scripted


class FullDisk(MemoryStore):
    """A store that has no room from some record on."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        self.room -= sum(len(entry.records) for entry in entries)
        if self.room < 0:
            raise OSError('no space left on device')
        return super().append(entries, durable=durable)


def test_a_store_that_fails_ends_the_run_before_the_next_effect() -> None:
    async def main() -> None:
        payments: list[int] = []
        agent = Agent(scripted(calls(('pay', {'amount': 1}, 'c1')), calls(('pay', {'amount': 2}, 'c2'))))

        @agent.tool_plain
        def pay(amount: int) -> str:
            payments.append(amount)
            return 'paid'

        with pytest.raises(StoreError, match='no space left on device'):
            await agent.run('go', capabilities=[Journal(FullDisk(room=5))])
        assert payments == [1]

    asyncio.run(main())


def test_a_run_that_is_over_is_returned_without_a_request() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        first = await plain().run('go', capabilities=[journal])
        again = await journal.resume(Agent(TestModel(custom_output_text='other'), name='plain'), first.run_id)
        assert (again.output, again.usage, again.run_id) == (first.output, first.usage, first.run_id)
        assert again.all_messages() == first.all_messages()
        with pytest.raises(RunNotFound, match="no run 'x'"):
            await journal.resume(plain(), 'x')

    asyncio.run(main())


def test_a_run_that_is_under_way_is_left_alone() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        async with plain().iter('go', capabilities=[journal]) as run:
            await run.next(run.next_node)
            (info,) = await journal.runs()
            with pytest.raises(RunInUse, match='under way'):
                await Journal(journal.store).resume(plain(), info.run_id)

    asyncio.run(main())


def test_a_key_whose_process_died_at_once_begins_with_the_prompt_of_the_next() -> None:
    async def main() -> None:
        store = MemoryStore()
        first: Journal[Any] = Journal(store)
        info = first._recorder.new_run('r', 'plain', None, 'k')  # as `run` adds it
        info.lease_until = 0.0
        store.create(info)
        result = await first.run(plain(), 'go', key='k')
        assert result.run_id == 'r'
        assert (await first.state('r')).prompt == 'go'

    asyncio.run(main())


def test_a_changed_agent_is_shown_as_a_difference() -> None:
    async def main() -> None:
        store = MemoryStore()
        agent = plain()
        async with agent.iter('go', capabilities=[Journal(store)]) as run:
            await run.next(run.next_node)
        later: Journal[Any] = Journal(store, on_change='refuse')
        (info,) = await later.runs()
        other = Agent(agent.model, name='plain', instructions='Be rude.')
        while (await later.runs())[0].holder is not None:  # noqa: ASYNC110 - the other journal gives it back in its thread
            await asyncio.sleep(0.01)
        with pytest.raises(JournalError, match='(?s)has changed since.*Be rude'):
            await later.resume(other, info.run_id)
        with pytest.warns(UserWarning, match='Be rude'):
            await Journal(store).resume(other, info.run_id)

    asyncio.run(main())


def test_no_thread_stays_when_there_is_nothing_to_do(tmp_path: Any) -> None:
    async def main() -> None:
        await plain().run('go', capabilities=[Journal(SqliteStore(tmp_path / 'runs.db'))])

    before = {*threading.enumerate()}
    asyncio.run(main())
    for thread in {*threading.enumerate()} - before:
        if thread.name == 'stead-journal':
            thread.join(timeout=30)
            assert not thread.is_alive()


@pytest.mark.parametrize('options', [{'durability': 'now'}, {'on_change': 'ask'}, {'lease_seconds': 0}])
def test_arguments_without_a_meaning_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match='of a `Journal`'):
        Journal(**options)


@pytest.mark.parametrize('durability', ['sync', 'async', 'exit'])
@pytest.mark.parametrize('way', ['run', 'iter', 'run_stream', 'run_stream_events'])
def test_every_way_to_run_is_recorded(durability: Any, way: str) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(durability=durability)
        agent = Agent(TestModel(), name='any', capabilities=[journal])

        @agent.tool_plain
        def pay() -> str:
            return 'paid'

        if way == 'run':
            await agent.run('go')
        elif way == 'iter':
            async with agent.iter('go') as run:
                async for _ in run:
                    pass
        elif way == 'run_stream':
            async with agent.run_stream('go') as streamed:
                await streamed.get_output()
        else:
            async with agent.run_stream_events('go') as events:
                async for _ in events:
                    pass
        (info,) = await journal.runs()
        assert info.status == 'done'
        state = await journal.state(info.run_id)
        assert state.output == '{"pay":"paid"}'
        assert [len(message.parts) for message in state.messages] == [1, 1, 1, 1]

    asyncio.run(main())


def test_settings_and_limits_of_a_run_hold_when_it_goes_on() -> None:
    seen: list[Any] = []

    def make(journal: Journal[Any]) -> Agent[None, str]:
        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            seen.append(info.model_settings)
            if len(messages) > 1 and len(seen) == 2:
                raise RuntimeError('the process dies')
            return ModelResponse(parts=[ToolCallPart('look')])

        agent = Agent(FunctionModel(answer), name='looks', model_settings={'top_p': 0.5}, capabilities=[journal])
        agent.tool_plain(effect='read')(look)
        return agent

    def look() -> str:
        return 'fine'

    async def main() -> None:
        journal: Journal[Any] = Journal(on_change='refuse')
        settings: Any = {'temperature': 0.0, 'extra_headers': {'key': 'secret'}, 'timeout': 3.0, 'seed': object()}
        limits = UsageLimits(request_limit=3, total_tokens_limit=math.inf)  # type: ignore[arg-type]
        with pytest.raises(RuntimeError, match='dies'):
            await make(journal).run('go', model_settings=settings, usage_limits=limits)
        (run,) = await journal.runs()
        assert b'secret' not in b''.join(record.body for record in journal.store.read(run.run_id))
        with pytest.raises(UsageLimitExceeded, match='request_limit of 3'):
            await journal.resume(make(journal), run.run_id)
        assert seen[-1] == {'top_p': 0.5, 'temperature': 0.0, 'timeout': 3.0}
        with pytest.raises(UsageLimitExceeded, match='request_limit of 5'):
            await journal.resume(
                make(journal),
                run.run_id,
                model_settings={'temperature': 1.0},
                usage_limits=UsageLimits(request_limit=5),
            )
        assert seen[-1] == {'top_p': 0.5, 'temperature': 1.0}
        changed = make(journal)
        changed.model_settings = {'top_p': 0.9}
        with pytest.raises(JournalError, match='"top_p": 0.9'):
            await journal.resume(changed, run.run_id)
        with pytest.raises(JournalError, match='"model": "test"'):
            await journal.resume(make(journal), run.run_id, model='test')
        elsewhere: Agent[None, str] = Agent(name='looks', model_settings={'top_p': 0.5}, capabilities=[journal])
        elsewhere.tool_plain(effect='read')(look)
        with elsewhere.override(model=make(journal).model):  # which model that is becomes known when it runs
            with pytest.raises(UsageLimitExceeded):
                await journal.resume(elsewhere, run.run_id)


def test_a_history_that_was_repaired_for_the_model_is_repaired_again_after_resuming() -> None:
    async def main() -> None:
        requests: list[list[str]] = []

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            requests.append(
                [f'{part.part_kind} {getattr(part, "tool_call_id", "")}' for each in messages for part in each.parts]
            )
            if len(requests) == 1:
                raise ConnectionError
            return ModelResponse(parts=[TextPart('done')])

        history: list[ModelMessage] = [
            ModelRequest(parts=[UserPromptPart('hi')]),
            ModelResponse(parts=[ToolCallPart('pay', {}, 'c1')]),
            ModelRequest(parts=[ToolReturnPart('pay', 'paid', 'c1'), ToolReturnPart('pay', 'paid', 'of no call')]),
            ModelResponse(parts=[TextPart('It is paid.')]),
        ]
        journal: Journal[Any] = Journal()
        agent = Agent(FunctionModel(answer), name='payer')
        with pytest.raises(ConnectionError):
            await agent.run('go', message_history=history, capabilities=[journal])
        (info,) = await journal.runs()
        assert (await journal.resume(agent, info.run_id)).output == 'done'
        assert requests[1] == requests[0]
        assert 'tool-return of no call' not in requests[0]

    asyncio.run(main())


@pytest.mark.parametrize('wrong', [None, 3, ['x'], b'x', 'a\ud800', 'a\0'])
def test_ids_are_text_that_can_be_stored(wrong: Any) -> None:
    journal: Journal[Any] = Journal(conversations=True)
    agent = Agent(TestModel(), capabilities=[journal])
    results = DeferredToolResults()

    async def main() -> None:
        for use in (
            lambda: journal.resume(agent, wrong),
            lambda: journal.messages(wrong),
            lambda: journal.steps(wrong),
            lambda: journal.fork(wrong),
            lambda: journal.answer(wrong, results),
            lambda: anext(journal.events(wrong)),
            lambda: anext(journal.export([wrong])),
        ):
            with pytest.raises(UserError, match='The id of a run must be text'):
                await use()  # type: ignore[no-untyped-call]
        if wrong is not None:
            with pytest.raises(UserError, match='must be text'):
                await journal.runs(agent=wrong)
            with pytest.raises(UserError, match='must be text'):
                await agent.run('go', conversation_id=wrong)

    asyncio.run(main())


def test_a_run_that_cannot_begin_leaves_nothing_behind() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        agent = Agent(TestModel(), capabilities=[journal])
        with pytest.raises(UserError, match='have no option'):
            await journal.run(agent, 'go', key='k', nonsense=1)
        assert await journal.runs() == []
        assert (await journal.run(agent, 'go', key='k')).output == 'success (no tool calls)'
        for wrong in (math.nan, 'x', -1, 1.5):
            with pytest.raises(UserError, match='`after` must be'):
                await anext(journal.events('x', after=wrong))  # type: ignore[arg-type]
        assert len(await journal.runs(limit=10**30)) == 1

    asyncio.run(main())
