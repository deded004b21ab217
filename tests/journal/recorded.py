"""Writes a journal with runs of all kinds, which later versions have to read: `python -m tests.journal.recorded`.

`recorded/format-N.db` is the file, and `recorded/format-N.json` says what is in it. Both belong to the format of the version that
wrote them: a change of the format adds a pair, and leaves the others as they are.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from stead import Agent, BinaryContent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext
from stead.capabilities import Capability
from stead.journal import Entry, Journal, SqliteStore, StoreError, redact_texts
from stead.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel

FOLDER = Path(__file__).parent / 'recorded'


def scripted(*responses: Sequence[Any]) -> FunctionModel:
    """Return a model that gives these responses in turn, by the number of responses in the history, and then `done`."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=[*responses[turn]] if turn < len(responses) else [TextPart('done')])

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        for part in answer(messages, info).parts:
            if isinstance(part, ToolCallPart):
                yield {0: DeltaToolCall(part.tool_name, part.args_as_json_str(), tool_call_id=part.tool_call_id)}
            elif isinstance(part, TextPart):
                yield part.content

    return FunctionModel(answer, stream_function=stream)


def call(name: str, call_id: str, **args: Any) -> ToolCallPart:
    return ToolCallPart(name, args, tool_call_id=call_id)


def shop(*responses: Sequence[Any], name: str = 'shop', **options: Any) -> Agent[None, Any]:
    """Return an agent with tools of every effect; `pay` fails when it is called for nothing."""
    agent: Agent[None, Any] = Agent(
        scripted(*responses), name=name, output_type=[str, DeferredToolRequests], retries=2, **options
    )

    @agent.tool_plain
    def pay(amount: int) -> str:
        if amount == 0:
            raise ModelRetry('pay more than nothing')
        return f'paid {amount}'

    @agent.tool_plain(effect='read')
    def look(what: str) -> BinaryContent | str:
        return BinaryContent(b'\x89PNG', media_type='image/png') if what == 'picture' else f'{what} is fine'

    @agent.tool_plain(requires_approval=True)
    def wipe(disk: str) -> str:
        return f'{disk} is empty'

    @agent.tool(effect='idempotent')
    async def pay_twice(ctx: RunContext) -> str:
        assert ctx.tool_manager is not None
        first = await ctx.tool_manager.handle_call(call('pay', '', amount=1))
        second = await ctx.tool_manager.handle_call(call('pay', '', amount=2))
        return f'{first}, {second}'

    return agent


def family(journal: Journal[Any]) -> Agent[None, Any]:
    """Return an agent whose tool runs an agent that must ask."""
    inner = shop([call('wipe', 'i1', disk='A')], name='inner', capabilities=[journal])
    outer: Agent[None, Any] = Agent(
        scripted([call('ask', 'o1')]),
        name='outer',
        output_type=[str, DeferredToolRequests],
        capabilities=[journal],
    )

    @outer.tool_plain(effect='idempotent')
    async def ask() -> str:
        return (await inner.run('wipe it')).output

    return outer


def checked() -> Agent[None, Any]:
    """Return an agent whose output is checked, and is right the second time."""
    agent = Agent(
        scripted([call('final_result', 'f1', response=7)], [call('final_result', 'f2', response=3)]),
        name='checked',
        output_type=int,
    )

    @agent.output_validator
    def small(value: int) -> int:
        if value > 5:
            raise ModelRetry('too large')
        return value

    return agent


def on_demand() -> Agent[None, Any]:
    weather: Capability[Any] = Capability(id='weather', description='About the weather.', defer_loading=True)

    @weather.tool_plain
    def rain() -> str:
        return 'no rain'

    loading = call('load_capability', 'l1', id='weather')
    return Agent(scripted([loading], [call('rain', 'w1')]), name='on demand', capabilities=[weather])


AGENTS = {
    'done': lambda: shop([call('pay', 'c1', amount=1)], [call('look', 'c2', what='it')]),
    'parallel': lambda: shop(
        [call('pay', 'c1', amount=1), call('look', 'c2', what='picture'), call('pay', 'c3', amount=2)]
    ),
    'retried': lambda: shop(
        [call('pay', 'c1', amount=0)], [call('pay', 'c2', amount='x')], [call('pay', 'c3', amount=3)]
    ),
    'waiting': lambda: shop([call('wipe', 'c1', disk='A'), call('pay', 'c2', amount=1)]),
    'answered': lambda: shop([call('wipe', 'c1', disk='B'), call('wipe', 'c2', disk='C')]),
    'in doubt': lambda: shop([call('look', 'c1', what='it')], [call('pay', 'c2', amount=9)]),
    'left': lambda: shop([call('look', 'c1', what='it'), call('look', 'c2', what='more')]),
    'inner calls': lambda: shop([call('pay_twice', 'c1')]),
    'checked': checked,
    'on demand': on_demand,
    'redacted': lambda: shop([call('look', 'c1', what='4000123412341234')]),
    'streamed': lambda: shop([call('pay', 'c1', amount=1)]),
}
"""The agents of the runs, by the names of the runs."""

RESUMED = {
    'waiting': 'done',
    'answered': 'done',
    'in doubt': 'done',
    'left': 'done',
    'inner calls': 'done',
    'fork': 'done',
}
"""What becomes of the runs that are not over."""


class Cut(SqliteStore):
    """A store that takes no more than so many records of a run, as if the process had died then."""

    most: int | None = None

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.steps: dict[str, int] = {}

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        for entry in entries:
            for record in entry.records:
                if self.most is not None and record.seq > self.most:
                    raise StoreError('the process is dead')
                # The steps are those after the record: how many records come at once is a matter of time.
                if record.kind == 'request':
                    self.steps[entry.run_id] = record.data()['step']
                steps = self.steps.get(entry.run_id, 0)
                super().append([entry._replace(records=[record], steps=steps)], durable=durable)
        return set()


async def write(path: Path) -> dict[str, str]:
    """Write a journal, and return the ids of its runs by name."""
    store = Cut(path)
    journal: Journal[Any] = Journal(store)
    ids: dict[str, str] = {}

    async def run(name: str, *, die_after: int | None = None, prompt: Any = 'go', **options: Any) -> Any:
        store.most = die_after
        result = None
        before = {item.run_id for item in await journal.runs()}
        with suppress(StoreError, RuntimeError):
            result = await AGENTS[name]().run(prompt, **{'capabilities': [journal], **options})
        store.most = None
        (ids[name],) = {item.run_id for item in await journal.runs() if item.parent_id is None} - before
        return result

    finished = await run('done', metadata={'order': 17})
    await run('parallel', prompt=['look at this', BinaryContent(b'\x89PNG', media_type='image/png')])
    await run('retried')
    await run('waiting')
    await run('answered')
    await journal.answer(
        ids['answered'], DeferredToolResults(approvals={'c1': True, 'c2': False}, metadata={'c1': {'by': 'me'}})
    )
    await run('in doubt', die_after=8)
    await run('left', die_after=4)
    await run('inner calls', die_after=6)
    await run('checked')
    await run('on demand')
    redacting: Journal[Any] = Journal(
        store, redact=redact_texts(lambda text: text.replace('4000123412341234', '[card]'))
    )
    await run('redacted', capabilities=[redacting])

    async with AGENTS['streamed']().run_stream('go', capabilities=[journal]) as stream:
        await stream.get_output()
    ids['streamed'] = stream.run_id
    ids['key'] = (await journal.run(AGENTS['done'](), 'go', key='order-17')).run_id
    talking: Journal[Any] = Journal(store, conversations=True)
    ids['said first'] = (await AGENTS['done']().run('hello', conversation_id='talk', capabilities=[talking])).run_id
    ids['said next'] = (await AGENTS['done']().run('and now?', conversation_id='talk', capabilities=[talking])).run_id
    await talking.conversation('talk').trim(lambda messages: messages[-2:])
    ids['trimmed'] = (await talking.conversation('talk').runs())[0].run_id

    def changed(messages: list[ModelMessage]) -> list[ModelMessage]:
        request = messages[0]
        assert isinstance(request, ModelRequest)
        return [replace(request, parts=[UserPromptPart('go elsewhere')]), *messages[1:]]

    ids['fork'] = await journal.fork(finished.run_id, at=2, edit=changed)

    def breaks(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise RuntimeError('the model is away')

    with suppress(RuntimeError):
        await Agent(FunctionModel(breaks), name='failing').run('go', capabilities=[journal])
    ids['failed'] = (await journal.runs(status='failed'))[0].run_id
    ids['outer'] = (await family(journal).run('go')).run_id
    ids['inner'] = next(item.run_id for item in await journal.runs(status='waiting') if item.parent_id == ids['outer'])
    for item in await journal.runs():
        store.release(item.run_id, item.token)
    await journal._recorder.call(store.close)
    return ids


async def contents(journal: Journal[Any], ids: dict[str, str]) -> dict[str, Any]:
    """Return what a journal says about its runs, by name."""
    runs = {run.run_id: run for run in await journal.runs()}
    assert runs.keys() == set(ids.values())
    found: dict[str, Any] = {}
    for name, run_id in ids.items():
        run, state = runs[run_id], await journal.state(run_id)
        found[name] = {
            'run_id': run_id,
            'info': [
                run.agent,
                run.status,
                run.key,
                run.parent_id,
                run.conversation_id,
                run.steps,
                run.last_seq,
                run.base_id,
            ],
            'kinds': [
                record.kind for record in await journal._recorder.call(lambda run_id=run_id: journal.store.read(run_id))
            ],
            'messages': ModelMessagesTypeAdapter.dump_python(state.messages, mode='json'),
            'usage': [
                state.usage.requests,
                state.usage.tool_calls,
                state.usage.input_tokens,
                state.usage.output_tokens,
            ],
            'how': state.how,
            'output': state.output,
            'error': state.error,
            'metadata': state.metadata,
            'undecided': state.undecided(),
            'in_doubt': [item.tool_call_id for item in state.in_doubt()],
        }
    return found


async def main(number: int) -> None:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f'format-{number}.db'
    path.unlink(missing_ok=True)
    ids = await write(path)
    found = await contents(Journal(path), ids)
    path.with_suffix('.json').write_text(json.dumps(found, indent=1, sort_keys=True) + '\n')
    await asyncio.sleep(1)  # the thread of the journal closes the file
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('PRAGMA journal_mode=DELETE')  # so that it is one file
        connection.execute('VACUUM')


if __name__ == '__main__':
    asyncio.run(main(int(sys.argv[1])))
