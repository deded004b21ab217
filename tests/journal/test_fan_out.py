"""What a tool does itself is known by what it is, and not by the order in which it happens to begin."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, RunContext
from stead.journal import Journal, MemoryStore, SqliteStore, redact_texts
from stead.journal._call import CallUnderWay
from stead.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import FunctionModel
from tests.journal.test_crashes import calls, scripted


class Dead(BaseException):
    """The process ends."""


def echo(messages: Any, info: Any) -> ModelResponse:
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        return ModelResponse(parts=[TextPart(str(last.content))])
    return ModelResponse(parts=[ToolCallPart('batch', {}, 'b1')])


async def killed_and_resumed(make: Any) -> Any:
    """Run an agent whose process dies, and let another process go on with it."""
    store = MemoryStore()
    with pytest.raises(Dead):
        await make(store, True).run('go')
    journal: Journal[Any] = Journal(store)
    while any(run.holder is not None for run in await journal.runs()):  # noqa: ASYNC110 - a thread gives it back
        await asyncio.sleep(0.001)
    outer = next(run for run in await journal.runs() if run.parent_id is None)
    agent = make(store, False)
    own = next(one for one in agent.root_capability.capabilities if isinstance(one, Journal))
    return (await own.resume(agent, outer.run_id)).output


def test_calls_of_a_fan_out_get_their_own_results_after_a_crash() -> None:
    paid: list[int] = []

    def make(store: Any, first: bool) -> Any:
        agent: Agent[None, Any] = Agent(FunctionModel(echo), name='x', capabilities=[Journal(store)])

        @agent.tool_plain(effect='write')
        async def pay(n: int) -> str:
            paid.append(n)
            return f'paid {n}'

        @agent.tool(effect='idempotent')
        async def batch(ctx: RunContext[None]) -> str:
            async def one(n: int) -> object:
                return await ctx.tool_manager.handle_call(ToolCallPart('pay', {'n': n}))  # type: ignore[union-attr]

            if first:
                await one(2)
                await one(2)
                raise Dead
            return str(await asyncio.gather(one(1), one(2), one(2), one(2)))

        return agent

    assert asyncio.run(killed_and_resumed(make)) == "['paid 1', 'paid 2', 'paid 2', 'paid 2']"
    assert paid == [2, 2, 1, 2]


def test_agents_of_a_fan_out_get_their_own_results_after_a_crash() -> None:
    sent: list[str] = []

    def make(store: Any, first: bool) -> Any:
        journal: Journal[Any] = Journal(store)

        def mailer(name: str) -> Agent[None, Any]:
            agent: Agent[None, Any] = Agent(FunctionModel(echo), name=name, capabilities=[journal])

            @agent.tool_plain(effect='write')
            def batch() -> str:
                sent.append(name)
                return f'mailed {name}'

            return agent

        boss: Agent[None, Any] = Agent(FunctionModel(echo), name='boss', capabilities=[journal])

        @boss.tool_plain(effect='idempotent')
        async def batch() -> str:
            bob = mailer('bob')
            if first:
                await bob.run('mail')
                await bob.run('mail again')
                raise Dead
            runs = mailer('alice').run('mail'), bob.run('mail again'), bob.run('mail')
            return str([result.output for result in await asyncio.gather(*runs)])

        return boss

    assert asyncio.run(killed_and_resumed(make)) == "['mailed alice', 'mailed bob', 'mailed bob']"
    assert sent == ['bob', 'bob', 'alice']


@pytest.mark.parametrize('redacts', [False, True])
def test_places_tell_nothing_of_arguments_that_must_not_be_stored(redacts: bool) -> None:
    store = MemoryStore()
    redact = redact_texts(lambda text: text.replace('4000', '[card]')) if redacts else None
    agent: Agent[None, Any] = Agent(
        scripted(calls(('batch', {}, 'b1'))), name='x', capabilities=[Journal(store, redact=redact)]
    )

    @agent.tool_plain
    def pay(card: str) -> str:
        return 'paid'

    @agent.tool
    async def batch(ctx: RunContext[None]) -> object:
        return await ctx.tool_manager.handle_call(ToolCallPart('pay', {'card': '4000'}))  # type: ignore[union-attr]

    run_id = agent.run_sync('go').run_id
    places = [data['within'] for record in store._records[run_id] if 'within' in (data := record.data())]
    assert len(places) == 2
    assert all((place == ['b1', 1]) == redacts for place in places)


def hidden(text: str) -> str:
    return text.replace('4000', '[card]')


def teller(outer: Journal[Any], inner: Journal[Any], read: list[str], *, first: bool = False) -> Agent[None, Any]:
    """Return an agent with a tool that runs another agent twice; the process dies after that at first."""

    def script(messages: Any, info: Any) -> ModelResponse:
        read.append(messages[0].parts[0].content)
        return ModelResponse(parts=[TextPart(f'read {len(read)}')])

    clerk: Agent[None, Any] = Agent(FunctionModel(script), name='clerk', capabilities=[inner])
    boss: Agent[None, Any] = Agent(FunctionModel(echo), name='boss', capabilities=[outer])

    @boss.tool_plain(effect='idempotent')
    async def batch() -> str:
        outputs = [(await clerk.run(prompt)).output for prompt in ('card 4000', 'card 4000, please')]
        if first:
            raise Dead
        return str(outputs)

    return boss


@pytest.mark.parametrize('redacts', ['both', 'inner', 'neither'])
def test_keys_of_runs_inside_tell_nothing_of_prompts_that_must_not_be_stored(redacts: str, tmp_path: Path) -> None:
    redact = redact_texts(hidden)
    store = SqliteStore(tmp_path / 'runs.db')
    outer: Journal[Any] = Journal(store, redact=redact if redacts == 'both' else None)
    inner: Journal[Any] = outer if redacts == 'both' else Journal(store, redact=redact if redacts == 'inner' else None)
    teller(outer, inner, []).run_sync('go')
    stored = b''.join(path.read_bytes() for path in tmp_path.iterdir())
    # The digest is of the name and the prompt alone, so someone who guesses the prompt can check that.
    digest = sha256(b'clerk\n"card 4000"').hexdigest()[:12].encode()
    assert (digest in stored) == (b'card 4000' in stored) == (redacts == 'neither')


@pytest.mark.parametrize('before', [True, False])
@pytest.mark.parametrize('same', [True, False])
def test_runs_inside_are_found_whether_or_not_their_prompts_were_redacted(before: bool, same: bool) -> None:
    read: list[str] = []

    def make(store: Any, first: bool) -> Any:
        outer: Journal[Any] = Journal(store)
        redact = redact_texts(hidden) if before == first else None
        own: Journal[Any] = Journal(store, redact=redact)
        return teller(own if same else outer, own, read, first=first)

    assert asyncio.run(killed_and_resumed(make)) == "['read 1', 'read 2']"
    assert read == ['card 4000', 'card 4000, please']


@pytest.mark.parametrize('before', [True, False])
def test_calls_inside_are_found_when_redact_was_added_or_removed(before: bool) -> None:
    paid: list[int] = []

    def make(store: Any, first: bool) -> Any:
        redact = redact_texts(hidden) if before == first else None
        agent: Agent[None, Any] = Agent(FunctionModel(echo), name='x', capabilities=[Journal(store, redact=redact)])

        @agent.tool_plain
        async def pay(n: int) -> str:
            paid.append(n)
            return f'paid {n}'

        @agent.tool(effect='idempotent')
        async def batch(ctx: RunContext[None]) -> str:
            handle = ctx.tool_manager.handle_call  # type: ignore[union-attr]
            results = [await handle(ToolCallPart('pay', {'n': n})) for n in (1, 2)]
            if first:
                raise Dead
            return str([*results, await handle(ToolCallPart('pay', {'n': 3}))])

        return agent

    assert asyncio.run(killed_and_resumed(make)) == "['paid 1', 'paid 2', 'paid 3']"
    assert paid == [1, 2, 3]


@pytest.mark.parametrize('effect', ['write', 'idempotent'])
def test_a_call_inside_that_is_in_doubt_is_asked_about_whatever_the_outer_tool_says(effect: Any) -> None:
    paid: list[int] = []

    def make(store: Any, first: bool) -> Any:
        agent: Agent[None, Any] = Agent(
            FunctionModel(echo), name='x', capabilities=[Journal(store)], output_type=[str, DeferredToolRequests]
        )

        @agent.tool_plain
        async def pay(n: int) -> str:
            paid.append(n)
            if first:
                raise Dead
            return f'paid {n}'

        @agent.tool(effect=effect)
        async def batch(ctx: RunContext[None]) -> str:
            handle = ctx.tool_manager.handle_call  # type: ignore[union-attr]
            return str([await handle(ToolCallPart('pay', {'n': n})) for n in (1, 2)])

        return agent

    async def main() -> None:
        store = MemoryStore()
        with pytest.raises(Dead):
            await make(store, True).run('go')
        journal: Journal[Any] = Journal(store)
        while (await journal.runs())[0].holder is not None:  # noqa: ASYNC110 - a thread gives it back
            await asyncio.sleep(0.001)
        (run,) = await journal.runs()
        asked: list[str] = []
        agent = make(store, False)
        own = next(one for one in agent.root_capability.capabilities if isinstance(one, Journal))
        while isinstance((result := await own.resume(agent, run.run_id)).output, DeferredToolRequests):
            (waiting,) = await own.waiting(inside=run.run_id)
            (call,) = waiting.requests.approvals
            asked.append(call.tool_name)
            answer: Any = {'approvals': {call.tool_call_id: True}}  # `batch` may run again
            if call.tool_name == 'pay':  # and this was paid, says the bank
                answer = {'calls': {call.tool_call_id: 'paid, says the bank'}}
            await own.answer(run.run_id, DeferredToolResults(**answer))
        assert asked == (['batch', 'pay'] if effect == 'write' else ['pay'])
        assert result.output == "['paid, says the bank', 'paid 2']"
        assert paid == [1, 2]

    asyncio.run(main())


def test_calls_that_an_older_version_has_recorded_by_their_order_are_found() -> None:
    recorded = ToolCallPart('pay', {'n': 1}, 'x')
    for known in ([{('c1', 1)}], [set[Any](), {('c1', 1)}]):
        under_way = CallUnderWay(None, 'run', 'c1', 'c1')
        assert under_way.next(recorded, *known) == ('c1', 1)
        assert under_way.next(recorded, *known) != ('c1', 2), (
            'of those that are not recorded, it is what they are that counts'
        )
