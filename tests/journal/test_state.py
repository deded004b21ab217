"""What belongs to a run apart from its messages is there again when another process continues it."""

from __future__ import annotations

import asyncio
import itertools
import threading
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext, TextOutput
from stead.capabilities import AbstractCapability, Capability
from stead.journal import Entry, Journal, MemoryStore, RunFilter, SqliteStore, StoreError
from stead.journal._digest import agent_digest, changes
from stead.messages import ModelRequest, TextPart, ToolReturnPart, UserPromptPart
from stead.tools import ToolApproved
from stead.toolsets import FunctionToolset
from tests.journal.agents import call, scripted


class CutOff(MemoryStore):
    """A store that the process of a run is cut off from, before the first record of a kind that fits."""

    def __init__(self, kind: str, where: Callable[[bytes], bool] = lambda body: True) -> None:
        super().__init__()
        self.kind, self.where = kind, where
        self.is_cut = False

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        refused: set[str] = set()
        for entry in entries:
            for record in entry.records:
                self.is_cut = self.is_cut or (record.kind == self.kind and self.where(record.body))
                if self.is_cut:
                    raise StoreError('cut off')
                refused |= super().append([entry._replace(records=[record])], durable=durable)
        return refused

    def mend(self) -> None:
        """Let the next process in, and give the leases of the dead one back."""
        self.is_cut = False
        self.where = lambda body: False
        for run in self.find_all():
            self.release(run.run_id, run.token)

    def find_all(self) -> Any:
        return self.find(RunFilter(limit=10_000))


async def cut(agent: Agent[Any, Any], store: CutOff, prompt: str = 'go') -> str:
    """Run an agent until it is cut off, and return the id of its run."""
    with pytest.raises(StoreError, match='cut off'):
        await agent.run(prompt, capabilities=[Journal(store)])
    await asyncio.sleep(0)
    store.mend()
    return next(run.run_id for run in store.find_all() if run.parent_id is None)


def answers(result: Any) -> list[Any]:
    return [
        part.content for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)
    ]


def test_ids_of_calls_that_the_model_did_not_set_stay_the_same() -> None:
    keys: list[str] = []

    def agent() -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(scripted([call('pay'), call('pay')]), name='ids')

        @one.tool(effect='idempotent')
        async def pay(ctx: RunContext) -> str:
            keys.append(str(ctx.idempotency_key))
            return str(ctx.tool_call_id)

        return one

    async def main() -> None:
        store = CutOff('answered')
        run_id = await cut(agent(), store)
        before = set(keys)
        assert len(before) == 2
        result = await Journal(store).resume(agent(), run_id)
        assert set(keys) == before
        first, second = answers(result)
        assert first != second
        calls = [part.tool_call_id for part in result.all_messages()[1].parts]
        assert calls == [first, second]

    asyncio.run(main())


def test_what_a_tool_has_enqueued_is_delivered() -> None:
    def agent() -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(scripted([call('note', 'c1'), call('slow', 'c2')]), name='notes')

        begun = asyncio.Event()

        @one.tool
        async def note(ctx: RunContext) -> str:
            ctx.enqueue('A note.')
            await begun.wait()
            return 'noted'

        @one.tool(effect='idempotent')
        async def slow(ctx: RunContext) -> str:
            ctx.enqueue('From the slow one.')
            begun.set()
            await asyncio.sleep(0.05)
            return 'slow'

        return one

    async def main() -> None:
        store = CutOff('answered', lambda body: b'"id":"c2"' in body)
        run_id = await cut(agent(), store)
        result = await Journal(store).resume(agent(), run_id)
        prompts = [
            part.content
            for message in result.all_messages()
            for part in message.parts
            if isinstance(part, UserPromptPart)
        ]
        assert sorted(map(str, prompts)) == ['A note.', 'From the slow one.', 'go']  # each of them once

    asyncio.run(main())


def test_retries_and_output_retries_go_on_counting() -> None:
    def agent() -> Agent[None, Any]:
        steps = [call('shy', 'c1')], [call('shy', 'c2')], [TextPart('no')], [TextPart('no')]
        one: Agent[None, Any] = Agent(scripted(*steps), name='retries', retries=2)

        @one.tool(effect='read')
        async def shy(ctx: RunContext) -> str:
            if ctx.retry < 1:
                raise ModelRetry('once more')
            return f'retry {ctx.retry} of {ctx.max_retries}'

        @one.output_validator
        def not_no(ctx: RunContext, text: str) -> str:
            if text == 'no':
                raise ModelRetry('say yes')
            return f'{text} at {ctx.retry}'

        return one

    async def main() -> None:
        whole = await agent().run('go')
        for kind, step in (('response', b''), ('calling', b'c2'), ('request', b'"step":5')):
            store = CutOff(kind, lambda body, step=step: step in body)
            run_id = await cut(agent(), store)
            result = await Journal(store).resume(agent(), run_id)
            assert (result.output, answers(result)) == (whole.output, answers(whole)) == ('done at 2', ['retry 1 of 2'])

    asyncio.run(main())


def test_calls_that_count_towards_a_limit_are_not_forgotten() -> None:
    def agent() -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(
            scripted([call('rare', 'c1'), call('other', 'c2')], [call('rare', 'c3')]), name='limits'
        )

        @one.tool_plain(max_calls=1)
        async def rare() -> str:
            return 'rare'

        @one.tool_plain(effect='read')
        async def other() -> str:
            return 'other'

        return one

    async def main() -> None:
        store = CutOff('request', lambda body: b'"step":2' in body)
        run_id = await cut(agent(), store)
        result = await Journal(store).resume(agent(), run_id)
        assert answers(result)[-1] == "Tool 'rare' was called once, which is its limit. Do without it."

    asyncio.run(main())


def test_a_call_in_doubt_counts_towards_its_limit() -> None:
    def agent() -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(
            scripted([call('rare', 'c1')], [call('rare', 'c2')]), name='limits', output_type=[str, DeferredToolRequests]
        )

        @one.tool_plain(max_calls=1)
        async def rare() -> str:
            return 'rare'

        return one

    async def main() -> None:
        store = CutOff('answered')
        run_id = await cut(agent(), store)
        journal: Journal[Any] = Journal(store)
        waiting = await journal.resume(agent(), run_id)
        assert waiting.output.metadata['c1']['arguments'] == {}
        await journal.answer(run_id, DeferredToolResults(calls={'c1': 'it was done'}))
        result = await journal.resume(agent(), run_id)
        assert answers(result) == ['it was done', "Tool 'rare' was called once, which is its limit. Do without it."]
        assert result.usage.tool_calls == 1

    asyncio.run(main())


def test_another_call_does_not_take_the_place_of_one_in_doubt() -> None:
    def agent() -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(
            scripted([call('rare', 'c1'), call('rare', 'c2')]), name='limits', output_type=[str, DeferredToolRequests]
        )

        @one.tool_plain(max_calls=1, sequential=True)
        async def rare() -> str:
            return 'rare'

        return one

    async def main() -> None:
        store = CutOff('answered')
        run_id = await cut(agent(), store)
        journal: Journal[Any] = Journal(store)
        await journal.resume(agent(), run_id)
        await journal.answer(run_id, DeferredToolResults(approvals={'c1': True}))
        result = await journal.resume(agent(), run_id)
        assert answers(result) == ['rare', "Tool 'rare' was called once, which is its limit. Do without it."]

    asyncio.run(main())


def test_capabilities_and_tools_that_were_loaded_stay_loaded() -> None:
    def agent() -> Agent[None, Any]:
        refunds = Capability[None](id='refunds', description='Refunds.', instructions='Be brief.', defer_loading=True)

        @refunds.tool_plain(effect='read')
        def refund() -> str:
            return 'refunded'

        hidden: FunctionToolset[None] = FunctionToolset()

        @hidden.tool_plain(defer_loading=True, effect='read')
        def weather(city: str) -> str:
            """Tell the weather of a city."""
            return f'{city} is sunny'

        steps = (
            [call('load_capability', id='refunds'), call('search_tools', queries=['weather'])],
            [call('refund'), call('weather', city='Ankara')],
        )
        return Agent(scripted(*steps), name='on-demand', toolsets=[hidden], capabilities=[refunds])

    async def main() -> None:
        whole = await agent().run('go')
        for kind, body in (
            ('answered', b'"id"'),
            ('request', b'"step":2'),
            ('response', b'Ankara'),
            ('calling', b'refund'),
        ):
            store = CutOff(kind, lambda one, body=body: body in one)
            run_id = await cut(agent(), store)
            result = await Journal(store).resume(agent(), run_id)
            assert answers(result)[-2:] == answers(whole)[-2:] == ['refunded', 'Ankara is sunny']
            requests = [message for message in result.all_messages() if isinstance(message, ModelRequest)]
            expected = [message for message in whole.all_messages() if isinstance(message, ModelRequest)]
            assert [one.instructions for one in requests] == [one.instructions for one in expected]

    asyncio.run(main())


def test_usage_that_agents_share_is_counted_once() -> None:
    def family(journal: Journal[Any]) -> Agent[None, Any]:
        child: Agent[None, Any] = Agent(scripted([call('look')], text='seen'), name='child', capabilities=[journal])

        @child.tool_plain(effect='read')
        async def look() -> str:
            return 'fine'

        root: Agent[None, Any] = Agent(scripted([call('ask', 'r1'), call('ask', 'r2')]), name='root')

        @root.tool(effect='idempotent')
        async def ask(ctx: RunContext) -> str:
            return (await child.run('go', usage=ctx.usage)).output

        return root

    async def main() -> None:
        for number, kind in itertools.product(range(1, 8), ('response', 'answered')):
            seen: list[bytes] = []

            def nth(body: bytes, number: int = number, seen: list[bytes] = seen) -> bool:
                seen.append(body)
                return len(seen) == number

            store = CutOff(kind, nth)
            try:
                await family(Journal(store)).run('go', capabilities=[journal := Journal(store)])
            except StoreError:
                store.mend()
            else:
                continue
            run_id = next(run.run_id for run in store.find_all() if run.parent_id is None)
            journal = Journal(store)
            result = await journal.resume(family(journal), run_id)
            assert (result.usage.requests, result.usage.tool_calls) == (6, 4), (kind, number)

    asyncio.run(main())


def test_responses_that_hooks_refused_were_paid_for() -> None:
    class Refuses(AbstractCapability[Any]):
        async def after_model_request(self, ctx: RunContext[Any], *, request_context: Any, response: Any) -> Any:
            if response.text == 'no':
                raise ModelRetry('say yes')
            return response

    def agent() -> Agent[None, Any]:
        return Agent(scripted([TextPart('no')], text='yes'), name='refused', capabilities=[Refuses()])

    async def main() -> None:
        store = CutOff('response')
        run_id = await cut(agent(), store)
        result = await Journal(store).resume(agent(), run_id)
        assert (result.output, result.usage) == ('yes', (await agent().run('go')).usage)

    asyncio.run(main())


# Calls in doubt


def paying(payments: list[str], **options: Any) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(
        scripted([call('final_result', 'o1', response=1), call('pay', 'c1', amount=1)]),
        name='paying',
        output_type=[int, DeferredToolRequests],
        end_strategy='exhaustive',
    )

    @agent.tool_plain(**options)
    async def pay(amount: int) -> str:
        payments.append(f'pay {amount}')
        return f'paid {amount}'

    return agent


def test_calls_beside_the_output_of_a_run_that_is_over_are_not_made_again() -> None:
    async def main() -> None:
        payments: list[str] = []
        journal: Journal[Any] = Journal()
        first = await paying(payments).run('go', capabilities=[journal])
        again = await Journal(journal.store).resume(paying(payments), first.run_id)
        assert payments == ['pay 1']
        assert (again.output, again.usage, answers(again)) == (1, first.usage, answers(first))

    asyncio.run(main())


def test_a_call_in_doubt_beside_an_output_is_asked_about_before_the_run_ends() -> None:
    async def main() -> None:
        payments: list[str] = []
        store = CutOff('answered')
        run_id = await cut(paying(payments), store)
        journal: Journal[Any] = Journal(store)
        result = await journal.resume(paying(payments), run_id)
        assert [waiting.tool_call_id for waiting in result.output.approvals] == ['c1']
        await journal.answer(run_id, DeferredToolResults(calls={'c1': 'paid, says the bank'}))
        result = await journal.resume(paying(payments), run_id)
        assert (result.output, payments) == (1, ['pay 1'])
        assert answers(result) == ['Final result processed.', 'paid, says the bank']

    asyncio.run(main())


def test_a_call_that_is_made_again_has_the_arguments_that_were_approved() -> None:
    def agent() -> Agent[None, Any]:
        one: Agent[None, Any] = Agent(
            scripted([call('wipe', 'c1', disk='a')]), name='wipes', output_type=[str, DeferredToolRequests]
        )

        @one.tool_plain(requires_approval=True)
        async def wipe(disk: str) -> str:
            return f'wiped {disk}'

        return one

    async def main() -> None:
        store = CutOff('answered')
        journal: Journal[Any] = Journal(store)
        run_id = (await agent().run('go', capabilities=[journal])).run_id
        changed = ToolApproved(override_args={'disk': 'b'})
        await journal.answer(run_id, DeferredToolResults(approvals={'c1': changed}))
        with pytest.raises(StoreError):
            await journal.resume(agent(), run_id)
        store.mend()
        later: Journal[Any] = Journal(store)
        requests = (await later.resume(agent(), run_id)).output
        assert requests.metadata['c1']['arguments'] == {'disk': 'b'}
        await later.answer(run_id, DeferredToolResults(approvals={'c1': True}))
        assert answers(await later.resume(agent(), run_id)) == ['wiped b']

    asyncio.run(main())


# Streams, names and stores


def test_a_stream_whose_calls_wait_is_recorded_as_waiting() -> None:
    async def main() -> None:
        agent: Agent[None, Any] = Agent(
            scripted([call('wipe', 'c1')]), name='wipes', output_type=[str, DeferredToolRequests]
        )

        @agent.tool_plain(requires_approval=True)
        def wipe() -> str:
            return 'wiped'

        journal: Journal[Any] = Journal()
        async with agent.run_stream('go', capabilities=[journal]) as stream:
            assert isinstance(await stream.get_output(), DeferredToolRequests)
        (waiting,) = await journal.waiting()
        await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'c1': True}))
        assert (await journal.resume(agent, waiting.run.run_id)).output == 'done'

    asyncio.run(main())


def test_a_response_that_was_streamed_is_recorded_before_its_calls_run() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        async with paying([]).run_stream('go', capabilities=[journal]) as stream:
            await stream.get_output()
        (run,) = await journal.runs()
        kinds = [record.kind for record in journal.store.read(run.run_id)]
        assert kinds == ['begun', 'request', 'response', 'calling', 'answered', 'ended']

    asyncio.run(main())


def test_the_name_that_an_agent_gets_from_a_variable_is_no_change() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(on_change='refuse')
        some_agent = Agent(scripted(text='x'))
        with pytest.raises(ValueError, match='stop'):
            async with some_agent.iter('go', capabilities=[journal]):
                raise ValueError('stop')
        (run,) = await journal.runs()
        other_name = Agent(scripted(text='x'))
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            assert (await journal.resume(other_name, run.run_id)).output == 'x'

    asyncio.run(main())


def test_output_functions_of_another_process_are_no_change() -> None:
    def agent() -> Agent[None, Any]:
        def count(text: str) -> int:
            return len(text)

        return Agent(scripted(), name='counts', output_type=TextOutput(count))

    before, now = agent_digest(agent()), agent_digest(agent())
    assert changes(before, now) == ''
    assert 'count' in before['output']
    assert changes(before, agent_digest(Agent(scripted(), name='counts'))) != ''


def test_two_journals_may_share_a_store_object(tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(tmp_path / 'runs.db')
        first: Journal[Any] = Journal(store)
        second: Journal[Any] = Journal(store)
        await Agent(scripted()).run('go', capabilities=[first])
        await second.runs()
        async with Agent(scripted()).iter('go', capabilities=[second]) as run:
            while any(thread is first._recorder.writer._thread for thread in threading.enumerate()):  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # until the first journal has nothing more to do, and leaves the store
            async for _ in run:
                pass
        assert [run.status for run in await second.runs()] == ['done', 'done']

    asyncio.run(main())


def test_a_history_that_a_program_edits_is_recorded_as_it_is() -> None:
    async def main() -> None:
        journal = Journal(MemoryStore())
        agent = Agent(scripted([call('look', 'c')]), capabilities=[journal])

        @agent.tool_plain
        def look() -> str:
            return 'seen'

        async with agent.iter('secret') as run:
            node: Any = run.next_node
            for _ in range(3):
                node = await run.next(node)
            run.ctx.state.message_history[0] = ModelRequest(parts=[UserPromptPart('edited')])
            async for _ in run:
                pass
        assert run.result is not None
        state = await journal.state(run.result.run_id)
        assert [part.content for part in state.messages[0].parts if isinstance(part, UserPromptPart)] == ['edited']
        assert len(state.messages) == len(run.result.all_messages()) == 4

    asyncio.run(main())


def test_dynamic_system_prompts_are_recorded_as_they_were_sent() -> None:
    async def main() -> None:
        journal, prompt = Journal(MemoryStore()), 'first'
        agent = Agent(scripted(), capabilities=[journal])

        @agent.system_prompt(dynamic=True)
        def system_prompt() -> str:
            return prompt

        first = await agent.run('hi')
        prompt = 'second'
        second = await agent.run('again', message_history=first.all_messages())
        state = await journal.state(second.run_id)
        assert state.messages == second.all_messages()
        assert state.messages[0].parts[0] == second.all_messages()[0].parts[0]

    asyncio.run(main())
