"""What may not be stored is not stored, and a run that needed it says so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults
from stead.journal import (
    ContentRedacted,
    Journal,
    JournalError,
    MemoryStore,
    RecordUnreadable,
    RedactionError,
    RunFilter,
    redact_texts,
)
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import ToolApproved
from tests.journal.test_crashes import calls, parallel, scripted

IBAN = 'DE02120300000000202051'


def without_iban(text: str) -> str:
    return text.replace(IBAN, '[iban]')


def payer(paid: list[Any], **options: Any) -> Agent[None, Any]:
    responses = calls(('look', {}, 'c0')), calls(('pay', {'iban': IBAN, 'amount': 3}, 'c1'))
    agent: Agent[None, Any] = Agent(scripted(*responses), name='payer', **options)

    @agent.tool_plain(effect='read')
    def look() -> str:
        return f'to {IBAN}'

    @agent.tool_plain
    def pay(iban: str, amount: int) -> str:
        paid.append((iban, amount))
        return f'paid {amount} to {iban}'

    return agent


class Cut(MemoryStore):
    """A store that takes no more than so many records of a run, as if the process had died then."""

    most: int | None = None

    def append(self, entries: Any, *, durable: bool) -> set[str]:
        for entry in entries:
            for record in entry.records:
                if self.most is not None and record.seq > self.most:
                    raise OSError('dead')
                super().append([entry._replace(records=[record])], durable=durable)
        return set()


def left_after(seq: int, agent: Agent[None, Any], **options: Any) -> tuple[MemoryStore, str]:
    """Return a store with a run whose process died after a record, and the id of the run."""
    store = Cut()
    store.most = seq
    with pytest.raises(JournalError):
        asyncio.run(agent.run(f'pay {IBAN}', capabilities=[Journal(store, **options)]))
    store.most = None
    (run,) = store.find(RunFilter())
    store.release(run.run_id, run.token)
    return store, run.run_id


def test_redacted_texts_are_nowhere_in_the_file(tmp_path: Path) -> None:
    async def main() -> None:
        paid: list[Any] = []
        journal: Journal[Any] = Journal(tmp_path / 'runs.db', redact=redact_texts(without_iban))
        result = await payer(paid).run(f'pay {IBAN}', capabilities=[journal], metadata={'to': IBAN})
        assert paid == [(IBAN, 3)]
        fork = await journal.fork(result.run_id, at=2, edit=lambda messages: [*result.all_messages()[:2], messages[2]])
        await journal.resume(payer(paid), fork)
        lines = [line async for line in journal.export()]
        assert len(lines) == 2
        # A run that was exported without redaction loses it when it is imported here.
        other: Journal[Any] = Journal()
        await payer(paid).run(f'pay {IBAN}', capabilities=[other])
        await journal.import_([line async for line in other.export()])
        messages = [
            part
            for run in await journal.runs()
            for message in await journal.messages(run.run_id)
            for part in message.parts
        ]
        assert len(messages) == 18
        assert IBAN not in repr(messages)
        # What the run itself has is as it was.
        assert IBAN in repr(result.all_messages())
        await journal._recorder.call(journal.store.close)

    asyncio.run(main())
    for file in tmp_path.iterdir():
        assert IBAN.encode() not in file.read_bytes()
    assert b'[iban]' in (tmp_path / 'runs.db').read_bytes()


def test_a_run_goes_on_with_what_is_left() -> None:
    redact = redact_texts(without_iban)
    # The last record is the answer of the call that has the redacted arguments.
    store, run_id = left_after(9, payer([]), redact=redact)

    async def main() -> None:
        read: list[Any] = []

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            read.append(messages)
            return ModelResponse(parts=[TextPart('done')])

        result = await Journal(store, redact=redact, on_change='accept').resume(
            Agent(FunctionModel(answer), name='payer'), run_id
        )
        assert result.output == 'done'
        assert [part.content for message in read[0] for part in message.parts if hasattr(part, 'content')] == [
            'pay [iban]',
            'to [iban]',
            'paid 3 to [iban]',
        ]
        assert result.usage.requests == 3

    asyncio.run(main())


@pytest.mark.parametrize(('seq', 'started'), [(7, False), (8, True)])
def test_a_call_is_not_made_with_redacted_arguments(seq: int, started: bool) -> None:
    redact = redact_texts(without_iban)
    store, run_id = left_after(seq, payer([]), redact=redact)

    async def main() -> None:
        paid: list[Any] = []
        journal: Journal[Any] = Journal(store, redact=redact)
        with pytest.raises(ContentRedacted, match=r"arguments of its calls \['c1'\] were redacted"):
            await journal.resume(payer(paid), run_id)
        (waiting,) = await journal.waiting()
        assert waiting.requests.metadata['c1']['kind'] == 'redacted'
        assert ('started_at' in waiting.requests.metadata['c1']) == started
        with pytest.raises(ContentRedacted, match="call 'c1' were redacted, so it can only be approved with others"):
            await journal.answer(run_id, DeferredToolResults(approvals={'c1': True}))
        # Arguments that are redacted themselves do not help: `redact` would have to leave decisions alone.
        decisions = DeferredToolResults(approvals={'c1': ToolApproved(override_args={'iban': IBAN, 'amount': 3})})
        await journal.answer(run_id, decisions)
        with pytest.raises(ContentRedacted):
            await journal.resume(payer(paid), run_id)
        assert paid == []

        def but_decisions(kind: str, body: dict[str, Any]) -> dict[str, Any]:
            return body if kind == 'decided' else redact(kind, body)

        other: Journal[Any] = Journal(store, redact=but_decisions)
        await other.answer(run_id, decisions)
        async with other.worker(payer(paid)) as worker:
            await worker.idle()
        assert worker.results[run_id].output == 'done'
        assert paid == [(IBAN, 3)]
        assert IBAN not in repr(await journal.messages(run_id))

    asyncio.run(main())


def test_a_worker_goes_on_after_it_was_told_the_result() -> None:
    redact = redact_texts(without_iban)
    store, run_id = left_after(8, payer([]), redact=redact)

    async def main() -> None:
        paid: list[Any] = []
        journal: Journal[Any] = Journal(store, redact=redact)
        async with journal.worker(payer(paid)) as worker:
            await worker.idle()
            assert worker.results == worker.failures == {}
            await journal.answer(run_id, DeferredToolResults(calls={'c1': 'paid already'}))
            await worker.idle()
        assert worker.results[run_id].output == 'done'
        assert paid == []

    asyncio.run(main())


def test_an_approval_does_not_run_what_was_redacted() -> None:
    async def main() -> None:
        paid: list[Any] = []
        agent: Agent[None, Any] = Agent(
            scripted(calls(('pay', {'iban': IBAN}, 'c1'))), name='payer', output_type=[str, DeferredToolRequests]
        )

        @agent.tool_plain(requires_approval=True)
        def pay(iban: str) -> str:
            paid.append(iban)
            return 'paid'

        journal: Journal[Any] = Journal(redact=redact_texts(without_iban))
        waits = await agent.run('go', capabilities=[journal])
        assert waits.output.approvals[0].args == {'iban': IBAN}
        (waiting,) = await journal.waiting()
        assert waiting.requests.approvals[0].args == {'iban': '[iban]'}
        with pytest.raises(ContentRedacted, match='can only be approved with others'):
            await journal.answer(waits.run_id, DeferredToolResults(approvals={'c1': True}))
        await journal.answer(waits.run_id, DeferredToolResults(approvals={'c1': False}))
        assert (await journal.resume(agent, waits.run_id)).output == 'done'
        assert paid == []

    asyncio.run(main())


def test_an_inner_run_whose_arguments_were_redacted_waits_at_the_root() -> None:
    store = MemoryStore()
    redact = redact_texts(without_iban)

    def outer(journal: Journal[Any], paid: list[Any]) -> Agent[None, Any]:
        inner = payer(paid, capabilities=[journal])
        agent: Agent[None, Any] = Agent(scripted(calls(('ask', {}, 'o1'))), name='outer', capabilities=[journal])

        @agent.tool_plain(effect='idempotent')
        async def ask() -> str:
            return (await inner.run('go')).output

        return agent

    class Dead(BaseException):
        pass

    class Died(list[Any]):
        def append(self, item: Any) -> None:
            raise Dead

    async def dies() -> None:
        with pytest.raises(Dead):
            await outer(Journal(store, redact=redact), Died()).run('go')

    async def goes_on() -> None:
        paid: list[Any] = []
        journal: Journal[Any] = Journal(store, redact=redact)
        root = next(run for run in await journal.runs() if run.parent_id is None)
        for run in await journal.runs():
            store.release(run.run_id, run.token)
        with pytest.raises(Exception, match='deferred|wait'):
            await journal.resume(outer(journal, paid), root.run_id)
        (waiting,) = await journal.waiting()
        assert waiting.path == ((root.run_id, 'o1'),)
        assert waiting.requests.metadata['c1']['kind'] == 'redacted'
        await journal.answer(waiting.run.run_id, DeferredToolResults(calls={'c1': 'paid by hand'}))
        assert (await journal.resume(outer(journal, paid), root.run_id)).output == 'done'
        assert paid == []

    asyncio.run(dies())
    asyncio.run(goes_on())


@pytest.mark.parametrize('durability', ['sync', 'async', 'exit'])
@pytest.mark.parametrize('place', ['begun', 'calling'])
def test_an_error_in_it_fails_the_run(durability: Any, place: str) -> None:
    def fails(kind: str, body: dict[str, Any]) -> dict[str, Any]:
        if kind == place:
            raise ValueError(f'about {IBAN}')
        return body

    async def main() -> None:
        paid: list[Any] = []
        store = MemoryStore()
        journal: Journal[Any] = Journal(store, redact=fails, durability=durability)
        with pytest.raises(RedactionError, match=rf"record \d \('{place}'\) of run '.*' with ValueError") as caught:
            await payer(paid).run('go', capabilities=[journal])
        assert isinstance(caught.value.__cause__, ValueError)
        assert IBAN not in str(caught.value)
        assert place not in [record.kind for records in store._records.values() for record in records]
        if durability == 'sync':
            assert paid == []
        # Other runs of the journal are not affected.
        quiet: Agent[None, Any] = Agent(scripted())
        if place == 'calling':
            assert (await quiet.run('go', capabilities=[journal])).output == 'done'

    asyncio.run(main())


@pytest.mark.parametrize('wrong', [None, 'text', [1]])
def test_what_is_not_data_is_an_error(wrong: Any) -> None:
    async def main() -> None:
        with pytest.raises(RedactionError, match='with TypeError') as caught:
            await payer([]).run('go', capabilities=[Journal(redact=lambda kind, body: wrong)])
        assert f'it returned {type(wrong).__name__}, not the data to store' in str(caught.value.__cause__)

    asyncio.run(main())


def test_a_record_without_what_it_needs_says_that_it_was_redacted() -> None:
    def empty(kind: str, body: dict[str, Any]) -> dict[str, Any]:
        return {} if kind == 'response' else body

    store, run_id = left_after(5, payer([]), redact=empty)

    async def main() -> None:
        with pytest.raises(
            RecordUnreadable, match=r"Record 3 \('response'\) cannot be read.* It was redacted, and what"
        ):
            await Journal(store).resume(payer([]), run_id)

    asyncio.run(main())


def test_texts_inside_of_json_and_keys_are_replaced() -> None:
    secret = 'a"b'
    redact = redact_texts(lambda text: text.replace(secret, '?'))
    data = {
        'args': '{"x": ["a\\"b", 1], "a\\"b": null}',
        'plain': ['{a"b', 1.5, None, True],
        secret: 'x',
        'same': '{ "y": 1 }',
    }
    assert redact('response', data) == {
        'args': '{"x":["?",1],"?":null}',
        'plain': ['{?', 1.5, None, True],
        '?': 'x',
        'same': '{ "y": 1 }',
    }


def test_redaction_that_changes_nothing_loses_nothing() -> None:
    async def main() -> None:
        seen: list[str] = []

        def look(kind: str, body: dict[str, Any]) -> dict[str, Any]:
            seen.append(kind)
            return body

        journal: Journal[Any] = Journal(redact=look)
        result = await parallel().run('go', capabilities=[journal])
        assert await journal.messages(result.run_id) == result.all_messages()
        stored = [record.kind for record in journal.store.read(result.run_id)]
        assert seen == stored
        assert all(b'redacted' not in record.body for record in journal.store.read(result.run_id))

    asyncio.run(main())


def strict(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    """Redact as a function does that knows the records."""
    if kind == 'begun':
        body['agent']['instructions'] = [without_iban(text) for text in body['agent']['instructions']]
        body['prompt'] = without_iban(body['prompt'])
    return body


@pytest.mark.parametrize('redact', [redact_texts(without_iban), strict])
def test_a_text_of_an_agent_is_redacted_before_it_is_shortened_and_compared_as_it_was_stored(redact: Any) -> None:
    def teller(more: str = '') -> Agent[None, str]:
        instructions = f'{"x" * 50}{IBAN} {"y" * 50}', f'Pay {IBAN}.{more}'
        return Agent(scripted(), name='payer', instructions=instructions)

    async def main() -> None:
        journal: Journal[Any] = Journal(redact=redact, on_change='refuse')
        agent = teller()
        task = asyncio.ensure_future(agent.run(f'pay {IBAN}', capabilities=[journal]))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        (run,) = await journal.runs()
        texts = (await journal.state(run.run_id)).agent['instructions']
        assert IBAN[:8] not in repr(texts)
        assert len(texts[0]) < 100
        if redact is not strict:
            with pytest.raises(JournalError, match='has changed since'):
                await journal.resume(teller(' Be kind.'), run.run_id)
        assert (await journal.resume(teller(), run.run_id)).output == 'done'

    asyncio.run(main())


def test_an_answer_with_a_history_counts_once_also_where_the_journal_does_not_have_the_arguments() -> None:
    async def main() -> None:
        paid: list[Any] = []
        journal: Journal[Any] = Journal(redact=redact_texts(without_iban))
        outputs: Any = [str, DeferredToolRequests]
        agent: Agent[None, Any] = Agent(
            scripted(calls(('pay', {'iban': IBAN}, 'c1'))), output_type=outputs, capabilities=[journal]
        )

        @agent.tool_plain(requires_approval=True)
        def pay(iban: str) -> str:
            paid.append(iban)
            return 'paid'

        first = await agent.run('go')
        history, yes = first.all_messages(), DeferredToolResults(approvals={'c1': True})
        assert (await agent.run(message_history=history, deferred_tool_results=yes)).output == 'done'
        for results in (yes, DeferredToolResults(approvals={'c1': False}), None):
            with pytest.raises(JournalError, match=first.run_id):
                await agent.run(message_history=history, deferred_tool_results=results)
        with pytest.raises(JournalError, match='does not wait'):
            await journal.answer(first.run_id, yes)
        assert (paid, await journal.waiting()) == ([IBAN], [])

    asyncio.run(main())
