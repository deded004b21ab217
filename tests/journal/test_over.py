"""A run that has ended is never run again: who asks for its result gets what is stored, and nothing is done again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from stead import Agent, ModelRetry, PromptedOutput, RunContext, TextOutput, ToolOutput, UserError
from stead.capabilities import Hooks
from stead.journal import Journal, JournalError, MemoryStore, redact_texts
from stead.messages import ModelMessage, ModelResponse, OutputToolCallEvent, TextPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from tests.journal.test_crashes import calls, scripted


class Receipt(BaseModel):
    text: str


@dataclass
class Parcel:
    weight: float


def shop(paid: list[int], output_type: Any = str, *, refuse: bool = False) -> Agent[None, Any]:
    """Return an agent that pays whatever is asked of it, and whose validator may have another opinion by now."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if messages[-1].parts[-1].part_kind == 'tool-return':
            return ModelResponse(
                [ToolCallPart('final_result', {'text': 'paid'})] if info.output_tools else [TextPart('paid')]
            )
        return ModelResponse([ToolCallPart('pay', {'order': 17})])

    agent: Agent[None, Any] = Agent(FunctionModel(model), name='shop', output_type=output_type)

    @agent.tool_plain(effect='write')
    def pay(order: int) -> str:
        paid.append(order)
        return 'paid'

    @agent.output_validator
    def check(output: Any) -> Any:
        if refuse:
            raise ModelRetry('once more')
        return output

    return agent


@pytest.mark.parametrize('change', ['validator', 'type'])
@pytest.mark.parametrize('ask', ['key', 'resume', 'events'])
def test_a_finished_run_is_not_carried_out_again_whatever_changed(change: str, ask: str) -> None:
    async def main() -> None:
        paid: list[int] = []
        store = MemoryStore()
        first = await Journal(store).run(shop(paid), 'Pay order 17', key='order-17')
        journal: Journal[Any] = Journal(store, on_change='refuse')
        agent = shop(paid, refuse=True) if change == 'validator' else shop(paid, Receipt)

        async def again() -> Any:
            if ask == 'key':
                return await journal.run(agent, 'Pay order 17', key='order-17')
            if ask == 'resume':
                return await journal.resume(agent, first.run_id)
            async with journal.resume_stream_events(agent, first.run_id) as events:
                return [event async for event in events][-1].result

        for _ in range(2):
            if change == 'type':
                with pytest.raises(
                    UserError, match="recorded as 'paid', and cannot be made into.*Receipt.*Nothing was"
                ):
                    await again()
            else:
                result = await again()
                assert (result.output, result.usage) == ('paid', first.usage)
                assert result.all_messages() == first.all_messages()
        (run,) = await journal.runs()
        assert (paid, run.status, run.holder) == ([17], 'done', None)

    asyncio.run(main())


def weigh(weight: float) -> Parcel:
    return Parcel(weight)


def shout(text: str) -> int:
    return len(text)


@pytest.mark.parametrize(
    ('output_type', 'value'),
    [
        (Receipt, Receipt(text='a')),
        ([str, Receipt], Receipt(text='a')),
        ([Receipt, Parcel], Receipt(text='a')),
        (int, 0),
        (list[int], [0]),
        (Literal['x', 'y'], 'x'),
        (weigh, Parcel(0.0)),
        (TextOutput(shout), 24),
        (ToolOutput(Receipt, name='give'), Receipt(text='a')),
        (PromptedOutput([Receipt, Parcel]), None),
    ],
)
def test_the_output_of_a_finished_run_has_its_type(output_type: Any, value: Any) -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        model = TestModel(custom_output_args={'text': 'a'}) if isinstance(value, Receipt) else TestModel()
        agent: Agent[None, Any] = Agent(model, name='typed', output_type=output_type)
        if isinstance(output_type, TextOutput):
            model.custom_output_text = 'success (no tool calls).'
        if isinstance(output_type, PromptedOutput):
            model.custom_output_text = '{"result": {"kind": "Parcel", "data": {"weight": 2.5}}}'
        first = await journal.run(agent, 'go', key='k')
        again = await journal.run(agent, 'go', key='k')
        assert again.output == first.output == (value if value is not None else Parcel(2.5))
        assert type(again.output) is type(first.output)
        assert again.all_messages() == first.all_messages()
        if isinstance(value, Receipt):
            assert again.all_messages(output_tool_return_content='x') == first.all_messages(
                output_tool_return_content='x'
            )

    asyncio.run(main())


def test_the_hooks_and_the_validators_of_a_finished_run_are_not_called_again() -> None:
    async def main() -> None:
        seen: list[str] = []
        hooks = Hooks[None]()

        @hooks.on.after_run
        async def after(ctx: RunContext[None], *, result: Any) -> Any:
            seen.append('hook')
            return result

        journal: Journal[Any] = Journal()
        agent: Agent[None, str] = Agent(TestModel(), name='x', capabilities=[hooks])

        @agent.output_validator
        def check(output: str) -> str:
            seen.append('validator')
            return output.upper()

        for _ in range(3):
            assert (await journal.run(agent, 'go', key='k')).output == 'SUCCESS (NO TOOL CALLS)'
        assert seen == ['validator', 'hook']

    asyncio.run(main())


def test_a_finished_run_inside_of_a_tool_is_returned_as_it_was_and_holds_no_lease() -> None:
    async def main() -> None:
        paid: list[int] = []
        store = MemoryStore()
        opinion = [False]

        class Dead(BaseException):
            pass

        shared: Journal[Any] = Journal(store)

        def boss(dies: bool) -> Agent[None, Any]:
            agent: Agent[None, Any] = Agent(scripted(calls(('order', {}, 'c1'))), name='boss')

            @agent.tool_plain(effect='idempotent')
            async def order() -> str:
                output = (await shop(paid, refuse=opinion[0]).run('pay', capabilities=[shared])).output
                if dies:
                    raise Dead
                return output

            return agent

        with pytest.raises(Dead):
            await boss(True).run('go', capabilities=[shared])
        opinion[0] = True
        outer = next(run for run in await shared.runs() if run.agent == 'boss')
        while (await shared.runs())[0].holder is not None:  # noqa: ASYNC110 - a thread gives it back
            await asyncio.sleep(0.001)
        assert (await shared.resume(boss(False), outer.run_id)).output == 'done'
        assert paid == [17]
        assert [run.holder for run in await shared.runs()] == [None, None]

    asyncio.run(main())


def test_a_key_of_another_prompt_or_agent_is_refused() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        agent: Agent[None, str] = Agent(TestModel(), name='one')
        first = await journal.run(agent, 'Pay order 17', key='order-17')
        with pytest.raises(JournalError, match="'order-17' is that of run .* began with another prompt"):
            await journal.run(agent, 'Pay order 18', key='order-17')
        with pytest.raises(JournalError, match="of the agent 'one', not of 'two'"):
            await journal.run(Agent(TestModel(), name='two'), 'Pay order 17', key='order-17')
        assert (await journal.run(agent, key='order-17')).run_id == first.run_id
        assert (await journal.run(agent, 'Pay order 17', key='order-17')).run_id == first.run_id

    asyncio.run(main())


def test_a_key_whose_prompt_was_redacted_is_that_of_any_prompt() -> None:
    async def main() -> None:
        hide: Callable[[str], str] = lambda text: text.replace('Ann', '[name]')  # noqa: E731
        journal: Journal[Any] = Journal(redact=redact_texts(hide))
        agent: Agent[None, str] = Agent(TestModel(), name='one')
        first = await journal.run(agent, 'Pay Ann', key='k')
        assert (await journal.run(agent, 'Pay Bob', key='k')).run_id == first.run_id

    asyncio.run(main())


def test_the_events_of_a_finished_run_show_its_last_response_and_the_answers() -> None:
    async def main() -> None:
        journal: Journal[Any] = Journal()
        paid: list[int] = []
        first = await journal.run(shop(paid, Receipt), 'go', key='k')
        async with journal.resume_stream_events(shop(paid, Receipt), first.run_id) as events:
            shown = [event async for event in events]
        assert [event.part.tool_name for event in shown if isinstance(event, OutputToolCallEvent)] == ['final_result']
        assert shown[-1].result.output == Receipt(text='paid')
        assert paid == [17]

    asyncio.run(main())
