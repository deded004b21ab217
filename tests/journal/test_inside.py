"""Calls that tools make themselves: they are done once, asked about one by one, and known by their place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext, ToolApproved, ToolDenied, ToolReturn
from stead.journal import Entry, Journal, MemoryStore, StoreError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from tests.journal.agents import call, scripted


class Dead(BaseException):
    """Stands for the end of a process."""


async def resumed(store: MemoryStore, agent: Agent[None, Any], run_id: str) -> Any:
    """Continue a run as another process would."""
    return await Journal(store).resume(agent, run_id)


async def root_of(journal: Journal[Any]) -> str:
    """Return the run that is inside of none, once its lease was given back."""
    while True:
        (run,) = [run for run in await journal.runs() if run.parent_id is None]
        if run.holder is None:
            return run.run_id
        await asyncio.sleep(0.005)


def paying(payments: list[str], *, dies_at: int | None = None, effect: Any = 'write') -> Agent[None, Any]:
    """Return an agent whose tool pays three times; the process may die while it does."""
    agent: Agent[None, Any] = Agent(
        scripted([call('script', 'c1')]), name='paying', output_type=[str, DeferredToolRequests]
    )

    @agent.tool(effect=effect)
    async def pay(ctx: RunContext, amount: int) -> str:
        payments.append(f'{amount} {ctx.idempotency_key.removeprefix(str(ctx.run_id))}')
        if amount == dies_at:
            raise Dead
        return f'paid {amount}'

    @agent.tool(effect='idempotent')
    async def script(ctx: RunContext) -> str:
        assert ctx.tool_manager is not None
        return str([await ctx.tool_manager.handle_call(call('pay', amount=amount)) for amount in (1, 2, 3)])

    return agent


def test_what_a_script_has_done_is_not_done_again() -> None:
    async def main() -> None:
        payments: list[str] = []
        store = MemoryStore()
        with pytest.raises(Dead):
            await paying(payments, dies_at=3, effect='idempotent').run('go', capabilities=[Journal(store)])
        result = await resumed(store, paying(payments, effect='idempotent'), await root_of(Journal(store)))
        assert result.output == 'done'
        assert result.usage.tool_calls == 4
        # The key of a call is the same when it is made again, although its id is not.
        assert [payment[:1] for payment in payments] == ['1', '2', '3', '3']
        assert payments[2] == payments[3]
        assert len({payment.partition(' ')[2] for payment in payments}) == 3

    asyncio.run(main())


@pytest.mark.parametrize('answer', ['it was done', True])
def test_a_call_in_doubt_inside_of_a_script_is_asked_about_by_itself(answer: str | bool) -> None:
    async def main() -> None:
        payments: list[str] = []
        store = MemoryStore()
        with pytest.raises(Dead):
            await paying(payments, dies_at=2).run('go', capabilities=[Journal(store)])
        journal: Journal[Any] = Journal(store)
        run_id = await root_of(journal)
        result = await resumed(store, paying(payments), run_id)
        (waiting,) = await journal.waiting()
        (doubtful,) = waiting.requests.approvals
        assert (doubtful.tool_name, doubtful.args) == ('pay', {'amount': 2})
        assert waiting.requests.metadata[doubtful.tool_call_id]['kind'] == 'reconcile'
        results = DeferredToolResults()
        if answer is True:
            results.approvals[doubtful.tool_call_id] = True
        else:
            results.calls[doubtful.tool_call_id] = answer
        await journal.answer(run_id, results)
        result = await resumed(store, paying(payments), run_id)
        paid = 'paid 2' if answer is True else 'it was done'
        assert result.all_messages()[-2].parts[0].content == str(['paid 1', paid, 'paid 3'])
        assert [text[0] for text in payments] == (['1', '2', '2', '3'] if answer is True else ['1', '2', '3'])
        assert result.usage.tool_calls == 4

    asyncio.run(main())


def asking(wiped: list[str], make_call: Callable[[RunContext], ToolCallPart]) -> Agent[None, Any]:
    """Return an agent whose tool wipes disks, which has to be approved each time."""
    agent: Agent[None, Any] = Agent(
        scripted([call('script', 'c1')]), name='asking', output_type=[str, DeferredToolRequests]
    )

    @agent.tool_plain(requires_approval=True)
    async def wipe(disk: str) -> str:
        wiped.append(disk)
        return f'{disk} is empty'

    @agent.tool(effect='idempotent')
    async def script(ctx: RunContext) -> str:
        assert ctx.tool_manager is not None
        return str(await ctx.tool_manager.handle_call(make_call(ctx)))

    return agent


@pytest.mark.parametrize(
    ('decision', 'answer', 'effects'),
    [
        (True, 'a is empty', ['a']),
        (ToolApproved(override_args={'disk': 'b'}), 'b is empty', ['b']),
        (ToolDenied('No.'), str(ToolDenied('No.')), []),
    ],
)
def test_a_call_inside_of_a_tool_waits_for_its_own_approval(decision: Any, answer: str, effects: list[str]) -> None:
    async def main() -> None:
        wiped: list[str] = []
        store = MemoryStore()
        journal: Journal[Any] = Journal(store)
        # Its id may be that of the call of the model: they are told apart.
        agent = asking(wiped, lambda ctx: ToolCallPart('wipe', {'disk': 'a'}, tool_call_id=str(ctx.tool_call_id)))
        first = await agent.run('go', capabilities=[journal])
        assert isinstance(first.output, DeferredToolRequests)
        assert first.output.metadata['c1']['kind'] == 'call'
        (waiting,) = await journal.waiting(inside=first.run_id)
        (approval,) = waiting.requests.approvals
        assert (approval.tool_name, approval.args, waiting.path) == ('wipe', {'disk': 'a'}, ())
        assert waiting.within == {approval.tool_call_id: 'c1'}
        assert approval.tool_call_id != 'c1'
        await journal.answer(first.run_id, DeferredToolResults(approvals={approval.tool_call_id: decision}))
        assert await journal.waiting() == []
        result = await resumed(store, agent, first.run_id)
        assert result.all_messages()[-2].parts[0].content == answer
        assert wiped == effects

    asyncio.run(main())


def test_an_approval_is_for_the_arguments_that_were_shown() -> None:
    async def main() -> None:
        wiped: list[str] = []
        store = MemoryStore()
        journal: Journal[Any] = Journal(store)
        disks = iter(['a', 'b', 'b'])
        agent = asking(wiped, lambda ctx: call('wipe', disk=next(disks)))
        first = await agent.run('go', capabilities=[journal])
        for disk in ('a', 'b'):
            (waiting,) = await journal.waiting()
            (approval,) = waiting.requests.approvals
            assert approval.args == {'disk': disk}
            assert wiped == []
            await journal.answer(first.run_id, DeferredToolResults(approvals={approval.tool_call_id: True}))
            result = await resumed(store, agent, first.run_id)
        assert result.output == 'done'
        assert wiped == ['b']

    asyncio.run(main())


def test_what_waits_in_several_places_is_one_list_with_the_way_to_each() -> None:
    async def main() -> None:
        wiped: list[str] = []
        store = MemoryStore()
        journal: Journal[Any] = Journal(store)
        inner = asking(wiped, lambda ctx: call('wipe', disk='inner'))
        root: Agent[None, Any] = Agent(
            scripted([call('script', 'r1'), call('ask', 'r2')]),
            name='root',
            output_type=[str, DeferredToolRequests],
            capabilities=[journal],
        )

        @root.tool_plain(requires_approval=True)
        async def wipe(disk: str) -> str:
            wiped.append(disk)
            return f'{disk} is empty'

        @root.tool(effect='idempotent')
        async def script(ctx: RunContext) -> str:
            manager = ctx.tool_manager
            assert manager is not None
            return str(await asyncio.gather(*(manager.handle_call(call('wipe', disk=disk)) for disk in ('a', 'b'))))

        @root.tool(effect='idempotent')
        async def delegate(ctx: RunContext) -> str:
            return str((await inner.run('go', capabilities=[journal])).output)

        @root.tool(effect='idempotent')
        async def ask(ctx: RunContext) -> str:
            assert ctx.tool_manager is not None
            return str(await ctx.tool_manager.handle_call(call('delegate')))

        first = await root.run('go')
        other = await inner.run('go', capabilities=[journal])
        for left in (2, 1, 0):
            found = await journal.waiting(inside=first.run_id)
            ways = {
                str(one.args_as_dict()['disk']): (*waiting.path, waiting.within[one.tool_call_id])
                for waiting in found
                for one in waiting.requests.approvals
            }
            assert ways == {
                **dict.fromkeys(('a', 'b')[2 - left :], ('r1',)),
                'inner': ((first.run_id, 'r2'), 'c1'),
            }
            if not left:
                break
            # One decision at a time, in any order.
            (waiting,) = [one for one in found if one.run.run_id == first.run_id]
            approval = waiting.requests.approvals[0]
            await journal.answer(first.run_id, DeferredToolResults(approvals={approval.tool_call_id: True}))
        (waiting,) = await journal.waiting(inside=first.run_id)
        approval = waiting.requests.approvals[0]
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={approval.tool_call_id: True}))
        assert [one.run.run_id for one in await journal.waiting()] == [other.run_id]
        result = await journal.resume(root, first.run_id)
        assert result.output == 'done'
        assert sorted(wiped) == ['a', 'b', 'inner']

    asyncio.run(main())


def test_calls_that_run_in_turn_are_not_taken_for_parts_of_each_other() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        agent = Agent(scripted([call('book', 'c1', number=1), call('book', 'c2', number=2)]), name='in turn')

        @agent.tool_plain(sequential=True)
        async def book(number: int) -> str:
            return f'booked {number}'

        result = await agent.run('go', capabilities=[journal])
        records = [record async for record in journal.events(result.run_id)]
        started = [record.data() for record in records if record.kind == 'calling']
        assert [(data['id'], data.get('within')) for data in started] == [('c1', None), ('c2', None)]
        assert not any(record.kind == 'returned' for record in records)

    asyncio.run(main())


def test_ids_that_a_model_uses_again_are_those_of_other_calls() -> None:
    """Some servers call every call `call_0`: each of them has runs and a key of its own."""

    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        keys: list[str] = []

        def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            step = len(messages) // 2
            return ModelResponse([ToolCallPart('ask', {'about': step}, 'call_0') if step < 2 else TextPart('done')])

        def echo(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            return ModelResponse([TextPart(str(messages[0].parts[0].content))])  # type: ignore[union-attr]

        inner = Agent(FunctionModel(echo), name='inner', capabilities=[journal])
        agent = Agent(FunctionModel(reply), name='outer', capabilities=[journal])

        @agent.tool
        async def ask(ctx: RunContext, about: int) -> str:
            keys.append(ctx.idempotency_key)
            return (await inner.run(f'question {about}')).output

        result = await agent.run('go')
        contents = [
            part.content
            for message in result.all_messages()
            for part in message.parts
            if part.part_kind == 'tool-return'
        ]
        assert contents == ['question 0', 'question 1']
        assert len(set(keys)) == 2

    asyncio.run(main())


def test_progress_of_tools_is_recorded_before_their_answers() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore())
        agent = Agent(scripted([call('copy', 'c1'), call('verify', 'c2'), call('report', 'c3')]), name='slow')

        @agent.tool_plain
        def copy() -> Iterator[str]:
            yield '1 of 2'
            yield '2 of 2'
            return 'copied'

        @agent.tool_plain
        async def verify() -> AsyncIterator[object]:
            yield {'done': 0.5}
            yield ToolReturn('verified')

        @agent.tool
        def report(ctx: RunContext) -> str:
            assert ctx.report_progress is not None
            ctx.report_progress('from a thread')
            return 'reported'

        result = await agent.run('go', capabilities=[journal])
        seen: dict[str, list[Any]] = {'c1': [], 'c2': [], 'c3': []}
        async for record in journal.events(result.run_id):
            if record.kind in ('progress', 'answered'):
                seen[record.data()['id']].append(record.data().get('content', record.kind))
        assert seen == {
            'c1': ['1 of 2', '2 of 2', 'answered'],
            'c2': [{'done': 0.5}, 'answered'],
            'c3': ['from a thread', 'answered'],
        }

    asyncio.run(main())


def test_a_run_whose_progress_cannot_be_recorded_fails() -> None:
    class Full(MemoryStore):
        def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
            if any(record.kind == 'progress' for entry in entries for record in entry.records):
                raise StoreError('The disk is full.')
            return super().append(entries, durable=durable)

    async def main() -> None:
        agent = Agent(scripted([call('copy', 'c1')]), name='slow')

        @agent.tool_plain
        async def copy() -> AsyncIterator[object]:
            yield 'half of it'
            yield ToolReturn('copied')

        with pytest.raises(StoreError, match='full'):
            await agent.run('go', capabilities=[Journal(Full())])

    asyncio.run(main())


def test_a_call_that_is_recorded_runs_in_the_task_that_makes_it() -> None:
    """So what it sets in its context holds after it, and no task is made for each call."""
    tasks: list[asyncio.Task[Any] | None] = []

    async def main() -> None:
        agent: Agent[None, Any] = Agent(scripted([call('outer', 'c1')]))

        @agent.tool_plain
        async def inner() -> str:
            tasks.append(asyncio.current_task())
            return 'x'

        @agent.tool
        async def outer(ctx: RunContext) -> str:
            tasks.append(asyncio.current_task())
            manager: Any = ctx.tool_manager
            return str(await manager.handle_call(call('inner', 'i1')))

        await agent.run('go', capabilities=[Journal(MemoryStore())])

    asyncio.run(main())
    assert len(tasks) == 2 and tasks[0] is tasks[1]
