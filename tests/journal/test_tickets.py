"""Tickets give the right to decide about one call, once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, UserError
from stead.journal import InvalidTicket, Journal, JournalError, MemoryStore, WaitingRun
from stead.messages import ModelResponse, ToolCallPart
from stead.models.function import FunctionModel
from stead.tools import ToolApproved
from tests.journal.test_crashes import approving

SECRET = b'0123456789abcdef'


def with_waiting(test: Callable[[Journal[Any], WaitingRun], Awaitable[None]]) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), secret=SECRET)
        await approving().run('go', capabilities=[journal])
        (waiting,) = await journal.waiting()
        await test(journal, waiting)

    asyncio.run(main())


def test_a_ticket_approves_a_call_in_another_process() -> None:
    async def test(journal: Journal[Any], waiting: WaitingRun) -> None:
        other: Journal[Any] = Journal(journal.store, secret=SECRET)
        run_id = await other.redeem(journal.ticket(waiting, 'c1'), True)
        result = await other.resume(approving(), run_id)
        assert result.output == 'done'
        assert {part.content for part in result.all_messages()[2].parts} == {'wiped', 'paid 1'}

    with_waiting(test)


def test_a_ticket_is_used_once() -> None:
    async def test(journal: Journal[Any], waiting: WaitingRun) -> None:
        ticket = journal.ticket(waiting, 'c1')
        await journal.redeem(ticket, False)
        with pytest.raises(InvalidTicket, match='was used'):
            await journal.redeem(ticket, True)

    with_waiting(test)


def test_forged_altered_and_expired_tickets_are_refused() -> None:
    async def test(journal: Journal[Any], waiting: WaitingRun) -> None:
        ticket = journal.ticket(waiting, 'c1')
        body, _, signature = ticket.partition('.')
        for wrong in (
            '',
            '.',
            'x',
            f'{body}.',
            f'{body[:-2]}AA.{signature}',
            f'{body}.{signature[::-1]}',
            ticket + 'é',
        ):
            with pytest.raises(InvalidTicket, match='not issued by this journal, or was altered'):
                await journal.redeem(wrong, True)
        stranger: Journal[Any] = Journal(journal.store, secret=SECRET[::-1])
        with pytest.raises(InvalidTicket, match='not issued by this journal'):
            await stranger.redeem(ticket, True)
        with pytest.raises(InvalidTicket, match='expired'):
            await journal.redeem(journal.ticket(waiting, 'c1', seconds=-1), True)
        with pytest.raises(JournalError, match="'c1' is None"):
            await journal.redeem(ticket, None)  # type: ignore[arg-type]
        with pytest.raises(JournalError, match="a decision on 'c2'"):
            journal.ticket(waiting, 'c2')
        assert len(await journal.waiting()) == 1

    with_waiting(test)


def test_the_holder_of_a_ticket_cannot_choose_the_arguments() -> None:
    async def test(journal: Journal[Any], waiting: WaitingRun) -> None:
        ticket = journal.ticket(waiting, 'c1')
        for chosen in ({}, {'path': '/'}, dict[str, Any](waiting.requests.approvals[0].args_as_dict())):
            with pytest.raises(InvalidTicket, match="is for the arguments that call 'c1' has"):
                await journal.redeem(ticket, ToolApproved(override_args=chosen))
        assert len(await journal.waiting()) == 1
        await journal.redeem(ticket, ToolApproved())
        assert (await journal.resume(approving(), waiting.run.run_id)).output == 'done'

    with_waiting(test)


def test_a_journal_without_a_secret_has_no_tickets() -> None:
    async def test(journal: Journal[Any], waiting: WaitingRun) -> None:
        with pytest.raises(UserError, match='Tickets are signed'):
            Journal(journal.store).ticket(waiting, 'c1')

    with_waiting(test)
    with pytest.raises(UserError, match='16 bytes or more'):
        Journal(secret=b'short')


def test_the_text_beside_a_ticket_says_all_that_would_run() -> None:
    written = '{"path": "/tmp", "note": "a\u202eb", "path": "/"}'
    model = FunctionModel(lambda messages, info: ModelResponse([ToolCallPart('wipe', written, 'c1')]))

    async def main() -> None:
        journal: Journal[Any] = Journal(MemoryStore(), secret=SECRET)
        agent = Agent(model, output_type=[str, DeferredToolRequests], capabilities=[journal])

        @agent.tool_plain(requires_approval=True)
        def wipe(path: str, note: str) -> str:
            return 'wiped'

        await agent.run('go')
        (waiting,) = await journal.waiting()
        text = waiting.question('c1')
        assert text.startswith('Approve the call of `wipe` with {"path":"/","note":"a\\u202eb"}')
        assert "more than once, and the last value counts: 'path'" in text and text.isprintable()
        with pytest.raises(JournalError, match='does not wait for an approval'):
            waiting.question('c2')

    asyncio.run(main())
