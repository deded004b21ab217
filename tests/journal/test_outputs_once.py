"""Output functions are effects: called once in a run, recorded, in doubt when their process dies, and never called for a key."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext, TextOutput, UserError
from stead.journal import Journal, MemoryStore
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel
from stead.output import output_function
from stead.testing import crash_everywhere


class Dead(BaseException):
    """The process ends."""


@dataclass
class Refund:
    order: int


def desk(
    refunded: list[Any], *, dies: bool = False, text: bool = False, asks: bool = True, effect: Any = 'write'
) -> Any:
    """Return an agent whose output function refunds an order."""

    def refund(ctx: RunContext[None], order: int) -> Refund:
        """Refund the order, and end."""
        refunded.append(ctx.idempotency_key)
        if dies:
            raise Dead
        return Refund(order)

    def send(ctx: RunContext[None], words: str) -> Refund:
        return refund(ctx, len(words))

    refund = output_function(effect=effect)(refund)

    def model(messages: Any, info: Any) -> ModelResponse:
        number = len(messages) // 2
        part = TextPart('all of it') if text else ToolCallPart('final_result', {'order': 17}, f'f{number}')
        return ModelResponse(parts=[part])

    output: Any = TextOutput(send) if text else refund
    outputs = [output, DeferredToolRequests] if asks else output
    return Agent(FunctionModel(model), name='desk', output_type=outputs)


async def killed(store: MemoryStore, refunded: list[Any], **options: Any) -> tuple[Journal[Any], str]:
    """Run an agent whose process dies in its output function, and return a journal and the run."""
    with pytest.raises(Dead):
        await desk(refunded, dies=True, **options).run('go', capabilities=[Journal(store)])
    journal: Journal[Any] = Journal(store)
    while (await journal.runs())[0].holder is not None:  # noqa: ASYNC110 - the other journal gives it back
        await asyncio.sleep(0.001)
    return journal, (await journal.runs())[0].run_id


@pytest.mark.parametrize('text', [False, True])
def test_an_output_function_is_called_once_for_a_key(text: bool) -> None:
    async def main() -> None:
        refunded: list[Any] = []
        journal: Journal[Any] = Journal()
        for _ in range(3):
            result = await journal.run(desk(refunded, text=text), 'Refund order 17.', key='order-17')
            assert result.output == Refund(9 if text else 17)
        assert len(refunded) == 1
        assert refunded[0].startswith(result.run_id)

    asyncio.run(main())


def test_a_result_that_was_recorded_is_used_when_the_process_dies_before_the_end() -> None:
    async def main() -> None:
        refunded: list[Any] = []
        checked: list[Any] = []

        class Dies(MemoryStore):
            def append(self, entries: Any, *, durable: bool) -> set[str]:
                kept = [
                    e._replace(records=[r for r in e.records if r.kind != 'ended'], status='running') for e in entries
                ]
                return super().append(kept, durable=durable)

        def agent() -> Any:
            agent = desk(refunded)

            @agent.output_validator
            def check(output: Any) -> Any:
                checked.append(output)
                return output

            return agent

        store = Dies()
        run_id = (await agent().run('go', capabilities=[Journal(store)])).run_id
        journal: Journal[Any] = Journal(store)
        result = await journal.resume(agent(), run_id)
        assert result.output == Refund(17)
        assert (len(refunded), len(checked)) == (1, 1)

    asyncio.run(main())


@pytest.mark.parametrize(('decision', 'calls'), [('done', 1), ('again', 2), ('denied', 2)])
def test_an_output_function_whose_process_died_is_asked_about(decision: str, calls: int) -> None:
    async def main() -> None:
        refunded: list[Any] = []
        store = MemoryStore()
        journal, run_id = await killed(store, refunded)
        for _ in range(2):
            result = await journal.resume(desk(refunded), run_id)
            assert result.output.metadata['f0']['kind'] == 'reconcile'
            assert len(refunded) == 1
        answer = {
            'done': DeferredToolResults(calls={'f0': {'order': 99}}),
            'again': DeferredToolResults(approvals={'f0': True}),
            'denied': DeferredToolResults(approvals={'f0': False}),
        }[decision]
        await journal.answer(run_id, answer)
        result = await journal.resume(desk(refunded), run_id)
        assert result.output == Refund(99 if decision == 'done' else 17)
        assert len(refunded) == calls
        assert (refunded[-1] == refunded[0]) == (decision != 'denied')

    asyncio.run(main())


def test_a_function_of_text_whose_process_died_is_an_error_that_says_what_to_do() -> None:
    async def main() -> None:
        refunded: list[Any] = []
        journal, run_id = await killed(MemoryStore(), refunded, text=True)
        with pytest.raises(
            UserError, match="'send' was started, and its process died, was stopped or is paused.*fork the run"
        ):
            await journal.resume(desk(refunded, text=True), run_id)
        assert len(refunded) == 1

    asyncio.run(main())


def test_an_output_function_that_may_be_called_twice_is() -> None:
    async def main() -> None:
        refunded: list[Any] = []
        journal, run_id = await killed(MemoryStore(), refunded, effect='idempotent')
        assert (await journal.resume(desk(refunded, effect='idempotent'), run_id)).output == Refund(17)
        assert len(set(refunded)) == 1

    asyncio.run(main())


@pytest.mark.parametrize('asks', [False, True])
def test_crash_everywhere_sees_output_functions(asks: bool) -> None:
    refunded: list[Any] = []
    report = asyncio.run(crash_everywhere(lambda: desk(refunded, asks=asks), 'go'))
    assert not report.violations
    assert report.asked

    def forgetful() -> Any:
        agent = desk(refunded)

        @agent.output_validator
        def once_more(ctx: RunContext[None], output: Any) -> Any:
            if ctx.retry == 0 and isinstance(output, Refund):
                raise ModelRetry('once more')
            return output

        return agent

    assert not asyncio.run(crash_everywhere(forgetful, 'go')).violations
