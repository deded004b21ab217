"""An answer to a run that has ended in another way, or is paused, does nothing and says so."""

from __future__ import annotations

from typing import Any

import pytest

from stead import DeferredToolResults
from stead.journal import Journal, JournalError

from .test_answers_once import PROTOCOLS, Shop, browser

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_an_answer_to_a_run_that_was_deleted_does_nothing(protocol: str) -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    async with browser(shop.mounted(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True})
        await front.post(body)
        assert await journal.prune(older_than=0) == 1
        _, events = await front.post(body)
    assert shop.paid == [5] and any(event['type'] in ('error', 'RUN_ERROR') for event in events)


@pytest.mark.parametrize('is_answered', [False, True])
@pytest.mark.parametrize('protocol', PROTOCOLS)
async def test_an_answer_does_not_resume_a_run_that_was_cancelled(protocol: str, is_answered: bool) -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    async with browser(shop.mounted(), protocol) as front:
        body = front.answered(await front.ask(), {'c1': True})
        (run,) = await journal.runs()
        if is_answered:
            await journal.answer(run.run_id, DeferredToolResults(approvals={'c1': True}))
        await journal.cancel(run.run_id, 'The customer hung up.')
        for _ in range(2):
            _, events = await front.post(body)
            assert any(event['type'] in ('error', 'RUN_ERROR') for event in events)
        assert [run.status for run in await journal.runs()] == ['failed'] and shop.paid == []


async def test_a_decision_about_a_run_that_was_cancelled_or_is_paused_is_refused() -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    asked = await shop.agent.run('call pay')
    options: Any = {
        'message_history': asked.all_messages(),
        'deferred_tool_results': DeferredToolResults(approvals={'c1': True}),
    }
    await journal.pause(asked.run_id)
    with pytest.raises(JournalError, match="'c1', is paused. Nothing was done"):
        await shop.agent.run(**options)
    await journal.cancel(asked.run_id, 'The customer hung up.')
    with pytest.raises(JournalError, match="'c1', was ended before.*The customer hung up.*Nothing was done"):
        await shop.agent.run(**options)
    assert shop.paid == []
    await journal.resume(shop.agent, asked.run_id)  # it asks again
    assert (await shop.agent.run(**options)).output == "said: ['paid 1']"


async def test_a_paused_run_takes_an_answer_when_it_continues() -> None:
    journal = Journal[Any]()
    shop = Shop(journal)
    asked = await shop.agent.run('call pay')
    options: Any = {
        'message_history': asked.all_messages(),
        'deferred_tool_results': DeferredToolResults(approvals={'c1': True}),
    }
    await journal.pause(asked.run_id)
    with pytest.raises(JournalError, match='is paused'):
        await shop.agent.run(**options)
    await journal.unpause(asked.run_id)
    assert (await shop.agent.run(**options)).output == "said: ['paid 1']"
