"""An answer to a question counts once, however often and wherever it is sent, and the run that asked continues with it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stead import Agent, DeferredToolRequests, DeferredToolResults, UserError
from stead.capabilities import Journal
from stead.journal import Entry, JournalError, MemoryStore, StoreError
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.ui import _approvals
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter
from stead.ui.web import create_server

from ..ui import ag_ui_requests as ag_ui, test_vercel_ai as ai_sdk

pytestmark = pytest.mark.anyio
PROTOCOLS = ['ai-sdk', 'ag-ui']
PAY = ('pay', {'amount': 5})


class Shop:
    """An agent that makes the calls in its prompt, with a ledger, and the applications that serve it."""

    def __init__(self, journal: Journal[Any] | None, paid: list[Any] | None = None) -> None:
        self.journal = journal
        self.paid: list[Any] = [] if paid is None else paid
        model = FunctionModel(self.respond, stream_function=self.answer)
        capabilities = [] if journal is None else [journal]
        self.agent = Agent(model, name='shop', output_type=[str, DeferredToolRequests], capabilities=capabilities)
        self.agent.tool_plain(self.pay, requires_approval=True, effect='write')

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        last = messages[-1].parts[-1]
        if isinstance(last, UserPromptPart) and str(last.content).startswith('call'):
            for number, name in enumerate(str(last.content).split()[1:], start=1):
                args = json.dumps(PAY[1]) if name == 'pay' else '{}'
                yield {number: DeltaToolCall(name=name, json_args=args, tool_call_id=f'c{number}')}
        else:
            contents = [
                part.content for part in messages[-1].parts if isinstance(part, (ToolReturnPart, UserPromptPart))
            ]
            yield f'said: {contents}'

    async def respond(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        response = ModelResponse([])
        async for item in self.answer(messages, info):
            if isinstance(item, str):
                response.parts = [*response.parts, TextPart(item)]
            else:
                calls = [ToolCallPart(one.name, one.json_args, one.tool_call_id) for one in item.values()]
                response.parts = [*response.parts, *calls]
        return response

    async def pay(self, amount: int) -> str:
        await asyncio.sleep(0)
        self.paid.append(amount)
        return f'paid {len(self.paid)}'

    def mounted(self) -> Starlette:
        async def of_ai_sdk(request: Request) -> Response:
            return await VercelAIAdapter[Any, Any].dispatch_request(request, agent=self.agent, sdk_version=6)

        async def of_ag_ui(request: Request) -> Response:
            return await AGUIAdapter[Any, Any].dispatch_request(request, agent=self.agent, ag_ui_version='1.0')

        return Starlette(
            routes=[Route('/ai-sdk', of_ai_sdk, methods=['POST']), Route('/ag-ui', of_ag_ui, methods=['POST'])]
        )

    def served(self) -> Starlette:
        return create_server(self.agent).app


class Browser:
    """A front end: it keeps the conversation, and sends all of it."""

    def __init__(self, client: httpx.AsyncClient, protocol: str) -> None:
        self.client, self.protocol = client, protocol
        self.questions: dict[str, str] = {}

    async def post(self, body: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
        response = await self.client.post(f'/{self.protocol}', json=body)
        lines = [line[6:] for line in response.text.split('\n') if line.startswith('data: {')]
        return response.status_code, [json.loads(line) for line in lines]

    async def ask(self, prompt: str = 'call pay', **more: Any) -> dict[str, str]:
        """Send a prompt, and return the questions that come, by call id."""
        body = ai_sdk.ask(ai_sdk.user(prompt)) if self.protocol == 'ai-sdk' else self._ag_ui(ag_ui.user(prompt), **more)
        _, events = await self.post(body)
        return self.questions_in(events)

    def questions_in(self, events: list[dict[str, Any]]) -> dict[str, str]:
        if self.protocol == 'ai-sdk':
            asked = [event for event in events if event['type'] == 'tool-approval-request']
            return {event['toolCallId']: event['approvalId'] for event in asked}
        interrupts = (events[-1].get('outcome') or {}).get('interrupts', [])
        return {one['toolCallId']: one['id'] for one in interrupts}

    def _ag_ui(self, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
        return ag_ui.request(*messages, forwardedProps={'protocolVersion': '1.0'}, protocolVersion='1.0', **more)

    def answered(
        self, questions: dict[str, str], decisions: dict[str, bool], *after: str, prompt: str = 'call pay', **more: Any
    ) -> dict[str, Any]:
        """Return the request that answers questions, perhaps with prompts after that."""
        if self.protocol == 'ai-sdk':
            parts: list[dict[str, Any]] = []
            for call_id, id in questions.items():
                part = ai_sdk.tool(PAY[0], 'approval-requested', PAY[1], call_id, approval={'id': id})
                if call_id in decisions:
                    part = ai_sdk.approved(part, id, approval={'id': id, 'approved': decisions[call_id]})
                parts.append(part)
            return ai_sdk.ask(ai_sdk.user(prompt), ai_sdk.assistant(*parts), *map(ai_sdk.user, after))
        called = ag_ui.calls(*((call_id, PAY[0], json.dumps(PAY[1])) for call_id in questions))
        resume = [
            {'interruptId': questions[call_id], 'status': 'resolved', 'payload': {'approved': decision}}
            for call_id, decision in decisions.items()
        ]
        return self._ag_ui(ag_ui.user(prompt), called, *map(ag_ui.user, after), resume=resume, **more)

    def text(self, events: list[dict[str, Any]]) -> str:
        kinds = ('text-delta', 'TEXT_MESSAGE_CONTENT')
        return ''.join(event['delta'] for event in events if event['type'] in kinds)

    def results(self, events: list[dict[str, Any]]) -> list[Any]:
        found = {'tool-output-available': 'output', 'TOOL_CALL_RESULT': 'content'}
        return [event[found[event['type']]] for event in events if event['type'] in found]


@asynccontextmanager
async def browser(app: Any, protocol: str) -> AsyncIterator[Browser]:
    transport = httpx.ASGITransport(app=app)
    async with app.router.lifespan_context(app):
        async with httpx.AsyncClient(transport=transport, base_url='http://localhost') as client:
            yield Browser(client, protocol)


JOURNALS: dict[str, Any] = {
    'in memory': lambda path: Journal(),
    'file': lambda path: Journal(path / 'runs.db'),
    'conversations': lambda path: Journal(path / 'runs.db', conversations=True),
}


@pytest.mark.parametrize('app', ['mounted', 'served'])
@pytest.mark.parametrize('kind', JOURNALS)
@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_an_answer_that_comes_again_gets_the_first_one(
    protocol: str, kind: str, app: str, tmp_path: Path
) -> None:
    journal = JOURNALS[kind](tmp_path)
    shop = Shop(journal)
    async with browser(getattr(shop, app)(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True})
        answers = [await front.post(body) for _ in range(3)]
        answers += await asyncio.gather(front.post(body), front.post(body))
    assert shop.paid == [5]
    assert [status for status, _ in answers] == [200] * 5
    assert {front.text(events) for _, events in answers} == {"said: ['paid 1']"}
    assert [front.results(events) for _, events in answers] == [['paid 1']] * 5
    assert await journal.waiting() == []
    assert [run.status for run in await journal.runs()] == ['done']


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_answers_that_come_at_once_pay_once(protocol: str, tmp_path: Path) -> None:
    journal = Journal[Any](tmp_path / 'runs.db', conversations=True)
    shop = Shop(journal)
    async with browser(shop.mounted(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True})
        answers = await asyncio.gather(*(front.post(body) for _ in range(3)))
    assert shop.paid == [5]
    assert [(status, front.text(events)) for status, events in answers] == [(200, "said: ['paid 1']")] * 3
    assert [run.status for run in await journal.runs()] == ['done']


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_an_answer_finds_its_run_after_a_restart_and_pays_once(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('STEAD_APPROVAL_KEY', 'a key of all processes')
    paid: list[Any] = []
    first = Shop(Journal(tmp_path / 'runs.db'), paid)
    async with browser(first.mounted(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True})
    second, third = (Shop(Journal(tmp_path / 'runs.db'), paid) for _ in range(2))
    for shop in (second, third):
        async with browser(shop.mounted(), protocol) as front:
            status, events = await front.post(body)
            assert (status, front.text(events)) == (200, "said: ['paid 1']")
    assert paid == [5]


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_a_question_is_answered_once_on_all_channels(protocol: str, tmp_path: Path) -> None:
    journal = Journal[Any](tmp_path / 'runs.db', secret=b'a secret of sixteen bytes')
    shop = Shop(journal)
    async with browser(shop.mounted(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True})
        [waiting] = await journal.waiting()
        ticket = journal.ticket(waiting, 'c1')
        await journal.redeem(ticket, False)
        _, events = await front.post(body)
        assert shop.paid == [] and 'denied' in front.text(events)

        body = front.answered(await front.ask(), {'c1': True})
        [waiting] = await journal.waiting()
        ticket = journal.ticket(waiting, 'c1')
        await front.post(body)
        assert shop.paid == [5]
        with pytest.raises(JournalError):
            await journal.redeem(ticket, True)
        with pytest.raises(JournalError):
            await journal.answer(waiting.run.run_id, DeferredToolResults(approvals={'c1': True}))
        result = await journal.resume(shop.agent, waiting.run.run_id)
        assert (result.output, shop.paid) == ("said: ['paid 1']", [5])


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_the_first_of_two_answers_counts(protocol: str) -> None:
    for decision, paid in ((False, []), (True, [5])):
        journal = Journal[Any]()
        shop = Shop(journal)
        async with browser(shop.mounted(), protocol) as front:
            questions = await front.ask()
            _, first = await front.post(front.answered(questions, {'c1': decision}))
            _, second = await front.post(front.answered(questions, {'c1': not decision}))
        assert shop.paid == paid
        assert front.text(first) == front.text(second)


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_questions_of_a_response_are_answered_one_by_one(protocol: str) -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    async with browser(shop.mounted(), protocol) as front:
        questions = await front.ask('call pay pay')
        assert list(questions) == ['c1', 'c2']
        _, events = await front.post(front.answered(questions, {'c1': True}, prompt='call pay pay'))
        left = front.questions_in(events)
        assert list(left) == ['c2']
        await front.post(front.answered(questions, {'c1': True}, prompt='call pay pay'))
        assert len(shop.paid) <= 1 and [one.run.status for one in await journal.waiting()] == ['waiting']
        body = front.answered({**questions, **left}, {'c1': True, 'c2': True}, prompt='call pay pay')
        _, events = await front.post(body)
        _, again = await front.post(body)
    assert shop.paid == [5, 5] and front.text(events) == front.text(again)
    assert [run.status for run in await journal.runs()] == ['done']


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_a_prompt_after_an_answer_is_answered_too(protocol: str) -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    async with browser(shop.mounted(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True}, 'thanks')
        for _ in range(2):
            _, events = await front.post(body)
            assert "said: ['thanks']" in front.text(events)
            assert not any(event['type'] in ('error', 'RUN_ERROR') for event in events)
    assert shop.paid == [5]
    assert await journal.waiting() == []


async def test_results_of_the_interface_come_with_an_answer() -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    paint = {'name': 'paint', 'description': '', 'parameters': {'type': 'object', 'properties': {}}}
    async with browser(shop.mounted(), 'ag-ui') as front:
        questions = await front.ask('call paint pay', tools=[paint])
        called = ag_ui.calls(('c1', 'paint', '{}'), ('c2', *(PAY[0], json.dumps(PAY[1]))))
        yes = {'interruptId': questions['c2'], 'status': 'resolved', 'payload': {'approved': True}}
        messages = [ag_ui.user('call paint pay'), called, ag_ui.result('c1', 'painted')]
        body = front._ag_ui(*messages, tools=[paint], resume=[yes])
        for _ in range(2):
            _, events = await front.post(body)
            assert front.text(events) == "said: ['painted', 'paid 1']"
    assert shop.paid == [5]
    assert [run.status for run in await journal.runs()] == ['done']


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_a_run_that_failed_after_the_answer_goes_on_without_paying_again(protocol: str) -> None:
    journal = Journal[Any](on_change='accept')
    shop = Shop(journal)
    async with browser(shop.mounted(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True})

        async def broken(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
            raise ConnectionError('the model is away')
            yield

        with shop.agent.override(model=FunctionModel(stream_function=broken)):
            _, events = await front.post(body)
        assert shop.paid == [5] and 'away' in json.dumps(events)
        _, events = await front.post(body)
    assert shop.paid == [5] and front.text(events) == "said: ['paid 1']"


class FailsOnce(MemoryStore):
    """A store that fails when it is to say that a run was decided about, as if the process died there."""

    fails = True

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        if self.fails and any(record.kind == 'decided' for entry in entries for record in entry.records):
            self.fails = False
            raise StoreError('the disk is full')
        return super().append(entries, durable=durable)


@pytest.mark.parametrize('fails', [False, True])
@pytest.mark.parametrize('with_digests', [True, False])
async def test_a_run_that_begins_with_decisions_takes_them_from_the_run_that_asked(
    with_digests: bool, fails: bool
) -> None:
    store = FailsOnce()
    store.fails = fails
    journal = Journal[Any](store)
    shop = Shop(journal)
    first = await shop.agent.run('call pay')
    assert isinstance(first.output, DeferredToolRequests)
    results = DeferredToolResults(approvals={'c1': True})
    if with_digests:
        results = first.output.build_results(approve_all=True)
    options: Any = {'message_history': first.all_messages(), 'deferred_tool_results': results}
    if fails:
        with pytest.raises(StoreError):
            await shop.agent.run(**options)
        assert shop.paid == [] and len(await journal.waiting()) == 1
        other = next(run for run in await journal.runs() if run.run_id != first.run_id)
        assert (await journal.resume(shop.agent, other.run_id)).output == "said: ['paid 1']"
    else:
        runs = await asyncio.gather(*(shop.agent.run(**options) for _ in range(3)), return_exceptions=True)
        assert sum(isinstance(one, JournalError) for one in runs) == 2
    assert shop.paid == [5]
    with pytest.raises(JournalError, match='continued with it'):
        await shop.agent.run(**options)
    assert await journal.waiting() == []
    with pytest.raises(JournalError):
        await journal.answer(first.run_id, results)
    denied: Any = {**options, 'deferred_tool_results': DeferredToolResults(approvals={'c1': False})}
    with pytest.raises(JournalError, match='continued with it'):  # the task would continue beside the first run
        await shop.agent.run(**denied)
    assert shop.paid == [5]


@pytest.mark.parametrize('first', [True, False])
async def test_an_answer_that_comes_second_does_not_go_on_with_the_task_whatever_it_says(first: bool) -> None:
    """Also as long as the run waits for another answer, over another channel, and with another journal of the same store."""
    secret = b'a secret of sixteen bytes'
    journal = Journal[Any](store := MemoryStore(), secret=secret)
    others = [{'approvals': {'c1': True}}, {'approvals': {'c1': False}}, {'calls': {'c1': 'paid elsewhere'}}]
    shop, second = Shop(journal), Shop(Journal(store, secret=secret))
    asked = await shop.agent.run('call pay pay')
    [waiting] = await journal.waiting()
    await journal.redeem(journal.ticket(waiting, 'c1'), first)

    async def is_refused(match: str) -> None:
        for one, other in product((shop, second), others):
            results = DeferredToolResults(**cast(Any, other))
            results.approvals['c2'] = True
            with pytest.raises(JournalError, match=match):
                await one.agent.run(message_history=asked.all_messages(), deferred_tool_results=results)
            with pytest.raises(JournalError):
                await one.journal.answer(asked.run_id, results)

    await is_refused(
        f"'c1' of run '{asked.run_id}' was decided about before.* waits for others about .'c2'.: pass those"
    )
    assert [one.requests.approvals[0].tool_call_id for one in await journal.waiting()] == ['c2']
    await journal.answer(asked.run_id, DeferredToolResults(approvals={'c2': True}))
    await journal.resume(shop.agent, asked.run_id)
    await is_refused(f"Run '{asked.run_id}' continued with it")
    assert (shop.paid, second.paid) == ([5] * (1 + first), [])
    assert [run.run_id for run in await journal.runs()] == [asked.run_id]


@pytest.mark.parametrize('needs', [True, False], ids=['asks', 'needs no approval now'])
async def test_a_history_without_decisions_does_not_go_round_the_person_who_was_asked(needs: bool) -> None:
    """Neither are they asked a second time about one call, nor is it made without them, nor again after it was made."""
    journal = Journal[Any]()
    shop = Shop(journal)
    first = await shop.agent.run('call pay')
    other = Shop(journal)
    if not needs:
        other.agent = Agent(
            other.agent.model, name='shop', output_type=[str, DeferredToolRequests], capabilities=[journal]
        )
        other.agent.tool_plain(other.pay)

    async def is_refused(match: str) -> None:
        for options in ({}, {'conversation_id': 'other'}):
            with pytest.raises(JournalError, match=match):
                await other.agent.run(message_history=first.all_messages(), **cast(Any, options))
        assert (other.paid, [run.run_id for run in await journal.runs()]) == ([], [first.run_id])

    await is_refused(f"Nothing was done. Run '{first.run_id}' waits for decisions about .'c1'.: pass them to")
    assert [one.run.run_id for one in await journal.waiting()] == [first.run_id]
    await journal.answer(first.run_id, DeferredToolResults(approvals={'c1': True}))
    await is_refused(f"Run '{first.run_id}' has the decisions: resume it")
    await journal.resume(shop.agent, first.run_id)
    await is_refused('read what happened with')
    assert shop.paid == [5]


async def test_an_answer_to_a_run_that_another_one_continues_is_refused() -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    first = await shop.agent.run('call pay pay')
    both = DeferredToolResults(approvals={'c1': True, 'c2': True})
    result = await shop.agent.run(message_history=first.all_messages(), deferred_tool_results=both)
    assert shop.paid == [5, 5]
    others: list[Any] = [{'approvals': {'c1': False}}, {'calls': {'c1': 'paid elsewhere'}}]
    for other in others:
        results = DeferredToolResults(**other)
        results.approvals['c2'] = False
        with pytest.raises(JournalError, match=f'{result.run_id}.* continued with it'):
            await shop.agent.run(message_history=first.all_messages(), deferred_tool_results=results)
    assert {run.run_id for run in await journal.runs(status='done')} == {first.run_id, result.run_id}


@pytest.mark.parametrize('call_ids', [['c1'], ['c1', 'c2', 'c3']], ids=['for some calls', 'for another call'])
async def test_a_question_stays_open_if_the_answer_cannot_be_gone_on_with(call_ids: list[str]) -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    first = await shop.agent.run('call pay pay')
    options: Any = {'message_history': first.all_messages()}
    options['deferred_tool_results'] = DeferredToolResults(approvals=dict.fromkeys(call_ids, True))
    with pytest.raises(UserError, match='Tool call results'):
        await shop.agent.run(**options)
    with pytest.raises(UserError, match='Tool call results'):
        await journal.run(shop.agent, key='k', **options)
    assert [one.run.run_id for one in await journal.waiting()] == [first.run_id] and shop.paid == []
    options['deferred_tool_results'] = DeferredToolResults(approvals={'c1': True, 'c2': True})
    assert (await shop.agent.run(**options)).output == "said: ['paid 1', 'paid 2']"
    assert await journal.waiting() == [] and shop.paid == [5, 5]


class TakenMeanwhile(MemoryStore):
    """A store in which another channel has answered when the run that asked is about to be taken."""

    answer: Any = None

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        if (answer := self.answer) is not None:
            self.answer = None
            answer(run_id)
        return super().acquire(run_id, holder, now, seconds)


async def test_an_answer_that_comes_at_the_same_moment_as_another_one_counts_once() -> None:
    store = TakenMeanwhile()
    journal = Journal[Any](store)
    shop = Shop(journal)
    first = await shop.agent.run('call pay')
    yes = DeferredToolResults(approvals={'c1': True})

    def answer(run_id: str) -> None:
        other = Journal[Any](copied(store))
        asyncio.run(other.answer(run_id, yes))

    store.answer = answer
    with pytest.raises(JournalError, match='decided about before'):
        await shop.agent.run(message_history=first.all_messages(), deferred_tool_results=yes)
    await journal.resume(shop.agent, first.run_id)
    assert shop.paid == [5]


def copied(store: MemoryStore) -> MemoryStore:
    """Return another store with the same runs, as another process has it."""
    other = MemoryStore()
    other.__dict__.update({name: value for name, value in store.__dict__.items() if name != 'answer'})
    return other


async def test_a_run_whose_process_died_before_its_answer_counted_ends_if_another_one_came_first() -> None:
    store = FailsOnce()
    store.fails = True
    journal = Journal[Any](store)
    shop = Shop(journal)
    first = await shop.agent.run('call pay')
    yes = DeferredToolResults(approvals={'c1': True})
    with pytest.raises(StoreError):
        await shop.agent.run(message_history=first.all_messages(), deferred_tool_results=yes)
    await journal.answer(first.run_id, yes)
    for _ in range(2):
        async with journal.worker(shop.agent) as worker:
            await worker.idle()
    assert shop.paid == [5]
    assert sorted(run.status for run in await journal.runs()) == ['done', 'failed']  # none is tried again and again


async def test_an_answer_elsewhere_lets_no_run_begin_with_the_same_decision() -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    first = await shop.agent.run('call pay')
    results = DeferredToolResults(approvals={'c1': True})
    await journal.answer(first.run_id, results)
    for _ in range(2):
        with pytest.raises(JournalError, match='decided about before'):
            await shop.agent.run(message_history=first.all_messages(), deferred_tool_results=results)
        await journal.resume(shop.agent, first.run_id)
    assert shop.paid == [5]


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_a_decision_that_the_server_passes_counts_once(protocol: str) -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    first = await shop.agent.run('call pay')
    adapter: Any
    for _ in range(2):
        if protocol == 'ag-ui':
            adapter = AGUIAdapter[Any, Any](agent=shop.agent, run_input=ag_ui.run_input(ag_ui.user('x')))
        else:
            body = json.dumps(ai_sdk.ask(ai_sdk.user('x'))).encode()
            adapter = VercelAIAdapter[Any, Any](agent=shop.agent, run_input=VercelAIAdapter.build_run_input(body))
        decided: Any = {'deferred_tool_results': DeferredToolResults(approvals={'c1': True})}
        async for _ in adapter.run_stream(message_history=first.all_messages(), **decided):
            pass
    assert shop.paid == [5] and await journal.waiting() == []


@pytest.mark.filterwarnings('ignore:(An approval in the request|Tool calls at the end):UserWarning')
@pytest.mark.parametrize('app', ['mounted', 'served'])
@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_without_a_journal_an_answer_counts_once_in_its_process(protocol: str, app: str) -> None:
    shop = Shop(None)
    async with browser(getattr(shop, app)(), protocol) as front:
        questions = await front.ask()
        body = front.answered(questions, {'c1': True})
        answers = await asyncio.gather(*(front.post(body) for _ in range(3)), front.post(body))
        assert sorted(status for status, _ in answers) == [200, 409, 409, 409]
        assert shop.paid == [5]
        status, events = await front.post(front.answered(questions, {'c1': True}, 'and now?'))
        assert (status, shop.paid) == (200, [5]) and 'and now?' in front.text(events)
        assert (await front.post(front.answered(await front.ask(), {'c1': True})))[0] == 200  # another question
    assert shop.paid == [5, 5]


async def test_an_answer_does_not_count_a_day_later(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(None)
    async with browser(shop.mounted(), 'ai-sdk') as front:
        now = _approvals.time.time()
        monkeypatch.setattr(_approvals.time, 'time', lambda: now - _approvals.SECONDS - 60)
        body = front.answered(await front.ask(), {'c1': True})
        monkeypatch.undo()
        assert (await front.post(body))[0] == 409
    assert shop.paid == []


def test_the_memory_of_answers_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_approvals, '_decided', {})
    monkeypatch.setattr(_approvals, '_MOST_REMEMBERED', 10)
    for number in range(50):
        asker = _approvals.Asker()
        call = ToolCallPart('pay', {}, f'c{number}')
        assert asker.was_asked(asker.question(call), call)
        _approvals.once(asker, DeferredToolResults(approvals={call.tool_call_id: True}), [ModelResponse([call])])
    assert len(_approvals._decided) == 10
