"""Responses that are kept: what is the same request, what a hit says, and what is not kept."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from stead import Agent, ModelSettings, RunContext, RunUsage, UserError
from stead._kit import ids
from stead.caches import CacheError, CacheLookup, MemoryCache, ResponseCache, SqliteCache
from stead.capabilities import AbstractCapability
from stead.journal import Journal, MemoryStore
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models import ModelRequestParameters
from stead.models.function import AgentInfo, FunctionModel
from stead.testing import ScriptedModel, assert_run, call, say
from tests.counting import Calls

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


@pytest.fixture(params=['memory', 'sqlite'])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return MemoryCache() if request.param == 'memory' else SqliteCache(tmp_path / 'cache.db')


class Clock:
    """A source of times that tests move, and of ids."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=timezone.utc)
        self.getrandbits = ids._random.getrandbits
        monkeypatch.setattr(ids, '_finders', (lambda: self,))

    def now(self) -> datetime:
        return self.time

    def move(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def counting(answers: list[int], name: str = 'counting') -> FunctionModel:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        answers.append(len(messages))
        return ModelResponse([TextPart(f'answer {len(answers)}')])

    return FunctionModel(answer, model_name=name)


def test_the_same_request_is_sent_once(store: Any) -> None:
    asked: list[int] = []
    agent = Agent(counting(asked), capabilities=[ResponseCache(store)])
    first, second = agent.run_sync('Hi'), agent.run_sync('Hi')
    assert (first.output, second.output, len(asked)) == ('answer 1', 'answer 1', 1)
    assert first.usage.details == {}
    tokens = first.usage.total_tokens
    assert tokens > 0
    assert second.usage == RunUsage(requests=1, details={'response_cache_hits': 1, 'response_cache_tokens': tokens})
    assert second.all_messages()[-1].timestamp > first.all_messages()[-1].timestamp
    assert second.all_messages()[-1].run_id == second.run_id
    assert agent.run_sync('Hi!').output == 'answer 2'


CHANGES: dict[str, Callable[[Any], Any]] = {
    'prompt': lambda o: o.update(prompt='Hello'),
    'instructions': lambda o: o.update(instructions='Be brief.'),
    'settings of the run': lambda o: o.update(model_settings=ModelSettings(temperature=0)),
    'a header': lambda o: o.update(model_settings=ModelSettings(extra_headers={'x-api-key': 'sk-other-1234567890'})),
    'model': lambda o: o.update(name='other'),
    'tool': lambda o: o.update(tools=[len]),
    'output': lambda o: o.update(output_type=[str, int]),
    'a secret in the prompt': lambda o: o.update(prompt='api_key=sk-proj-1234567890abcdef1234567890'),
}


@pytest.mark.parametrize('change', CHANGES)
def test_whatever_the_model_would_see_is_part_of_the_key(change: str) -> None:
    asked: list[int] = []
    cache: ResponseCache[Any] = ResponseCache()
    base = {'prompt': 'api_key=sk-proj-0000000000abcdef1234567890', 'name': 'one'}
    base['model_settings'] = ModelSettings(extra_headers={'x-api-key': 'sk-mine-1234567890'})  # type: ignore[assignment]

    def size(text: str) -> int:
        return len(text)

    def run(options: dict[str, Any]) -> None:
        prompt, name = options.pop('prompt'), options.pop('name')
        if options.get('tools'):
            options['tools'] = [size]
        Agent(counting(asked, name), capabilities=[cache], **options).run_sync(prompt)

    run({**base})
    run({**base})
    assert len(asked) == 1
    changed = {**base}
    CHANGES[change](changed)
    run(changed)
    assert len(asked) == 2


def test_settings_of_the_model_are_part_of_the_key() -> None:
    asked: list[int] = []
    cache: ResponseCache[None] = ResponseCache()
    for temperature in (0, 1, 0):
        model = counting(asked)
        model._settings = ModelSettings(temperature=temperature)
        Agent(model, capabilities=[cache]).run_sync('Hi')
    assert len(asked) == 2


def test_a_key_is_shown_without_secrets() -> None:
    lookups: list[CacheLookup] = []
    agent = Agent(counting([]), capabilities=[ResponseCache(on_lookup=lookups.append)])
    settings = ModelSettings(extra_headers={'authorization': 'Bearer abc'})
    for _ in range(2):
        agent.run_sync('Hi', model_settings=settings)
    assert [lookup.is_hit for lookup in lookups] == [False, True]
    assert lookups[0].key == lookups[1].key
    assert [*lookups[0].key_parts] == ['model', 'settings', 'parameters', 'instructions', 'messages']
    assert lookups[0].key_parts['messages'][0]['parts'] == [{'content': 'Hi', 'part_kind': 'user-prompt'}]
    assert 'Bearer abc' not in repr(lookups[0])
    assert str(lookups[1]).startswith(f'hit response counting {lookups[0].key[:8]} (model ')


def test_entries_have_a_time(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = Clock(monkeypatch), list[int]()
    agent = Agent(counting(asked), capabilities=[ResponseCache(store, ttl=60)])
    for seconds, times in ((0, 1), (59, 1), (2, 2), (59, 2)):
        clock.move(seconds)
        agent.run_sync('Hi')
        assert len(asked) == times


def test_a_run_with_tools_is_answered_at_each_step(store: Any) -> None:
    found: list[str] = []

    def run(model: Any) -> Any:
        agent = Agent(model, capabilities=[ResponseCache(store)])

        @agent.tool_plain
        def find(order: str) -> str:
            found.append(order)
            return 'two lamps'

        return agent.run_sync('Where is A-17?')

    run(ScriptedModel([call('find', order='A-17'), say('Here.')]))
    result = run(ScriptedModel([]))
    assert_run(result).called('find', order='A-17').wrote('Here.')
    assert (found, result.usage.details['response_cache_hits']) == (['A-17', 'A-17'], 2)


async def test_streams_are_kept_if_they_are_read_to_their_end(store: Any) -> None:
    streamed: list[str] = []

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for word in ('one ', 'two ', 'three'):
            streamed.append(word)
            yield word

    agent = Agent(FunctionModel(stream_function=stream), capabilities=[ResponseCache(store)])

    async def read(words: int) -> list[str]:
        found: list[str] = []
        async with agent.run_stream('Hi') as result:
            async for piece in result.stream_text(delta=True, debounce_by=None):
                found.append(piece)
                if len(found) == words:
                    await result.cancel()
                    break
        return found

    assert await read(1) == ['one ']
    streamed.clear()
    assert await read(9) == ['one ', 'two ', 'three']
    assert await read(9) == ['one ', 'two ', 'three']
    assert streamed == ['one ', 'two ', 'three']
    assert (await agent.run('Hi')).output == 'one two three'


@pytest.mark.parametrize(
    'options',
    [{'state': 'interrupted'}, {'finish_reason': 'length'}, {'finish_reason': 'content_filter'}, {'parts': []}],
)
async def test_what_is_cut_is_not_kept(options: Any) -> None:
    asked: list[int] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(1)
        return ModelResponse(**{'parts': [TextPart('half')], **options})

    model = ResponseCache[None]().model(FunctionModel(answer))
    request: list[ModelMessage] = [ModelRequest.user_text_prompt('Hi')]
    for _ in range(2):
        await model.request(request, None, ModelRequestParameters())
    assert len(asked) == 2


def test_errors_are_not_kept() -> None:
    asked: list[int] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(1)
        if len(asked) == 1:
            raise RuntimeError('down')
        return ModelResponse([TextPart('up')])

    agent = Agent(FunctionModel(answer), capabilities=[ResponseCache()])
    with pytest.raises(RuntimeError):
        agent.run_sync('Hi')
    assert agent.run_sync('Hi').output == 'up'


def test_a_call_gets_another_id_if_the_history_has_one_like_it() -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([ToolCallPart('find', {}, 'c1')]) if len(messages) == 1 else ModelResponse([TextPart('x')])

    class LastOnly(AbstractCapability[None]):
        async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
            request_context.messages = request_context.messages[-1:]
            return request_context

    agent = Agent(FunctionModel(answer), capabilities=[ResponseCache()])

    @agent.tool_plain
    def find() -> str:
        return 'found'

    agent.run_sync('Hi')
    history: list[ModelMessage] = [
        ModelRequest.user_text_prompt('Hi'),
        ModelResponse([ToolCallPart('find', {}, 'c1')]),
        ModelRequest([ToolReturnPart('find', 'found', 'c1')]),
        ModelResponse([TextPart('x')]),
    ]
    cached = Agent(FunctionModel(answer), capabilities=[ResponseCache()])
    assert cached.run_sync('Hi', message_history=history).output == 'x'


def test_runs_inside_of_tools_share_the_cache_and_its_usage() -> None:
    asked: list[int] = []
    cache: ResponseCache[None] = ResponseCache()
    inner = Agent(counting(asked), capabilities=[cache])

    def outer() -> Any:
        agent = Agent(ScriptedModel([call('ask'), say('Done.')]))

        @agent.tool
        async def ask(ctx: RunContext[Any]) -> str:
            return (await inner.run('Hi', usage=ctx.usage)).output

        return agent.run_sync('Go')

    assert outer().usage.details == {}
    assert outer().usage.details['response_cache_hits'] == 1
    assert len(asked) == 1


async def test_a_journal_records_a_hit_as_a_response() -> None:
    journal: Journal[None] = Journal(MemoryStore())
    agent = Agent(counting([]), capabilities=[ResponseCache(), journal])
    await agent.run('Hi')
    result = await agent.run('Hi')
    state = await journal.state(result.run_id)
    assert state.usage == result.usage
    assert state.usage.details['response_cache_hits'] == 1
    assert [*state.messages] == result.all_messages()


def test_a_span_shows_a_hit() -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from stead.capabilities import Instrumentation
    from stead.models.instrumented import InstrumentationSettings

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    traced = Instrumentation[Any](settings=InstrumentationSettings(tracer_provider=provider))
    agent = Agent(counting([]), capabilities=[ResponseCache(), traced])
    for _ in range(2):
        agent.run_sync('Hi')
    spans = [span.attributes or {} for span in exporter.get_finished_spans() if span.name.startswith('chat')]
    assert [span.get('gen_ai.usage.details.response_cache_hits') for span in spans] == [None, 1]


def test_a_damaged_entry_is_asked_for_again(store: Any) -> None:
    asked: list[int] = []
    keys: list[str] = []
    agent = Agent(counting(asked), capabilities=[ResponseCache(store, on_lookup=lambda one: keys.append(one.key))])
    agent.run_sync('Hi')
    asyncio.run(store.put(keys[0], b'{'))
    assert agent.run_sync('Hi').output == 'answer 2'
    assert agent.run_sync('Hi').output == 'answer 2'


@pytest.mark.parametrize('wrong', [0, -1, True, 'day'])
def test_a_time_is_a_number_of_seconds(wrong: Any) -> None:
    with pytest.raises(UserError, match='`ttl` of a cache is a number of seconds'):
        ResponseCache(ttl=wrong)


# Stores


@pytest.mark.parametrize('kind', ['memory', 'sqlite'])
async def test_a_store_has_a_bound_of_bytes(kind: str, tmp_path: Path) -> None:
    stores: dict[str, Any] = {'memory': MemoryCache, 'sqlite': lambda **o: SqliteCache(tmp_path / 'c.db', **o)}
    store = stores[kind](max_bytes=1000)
    for number in range(300):
        await store.put(f'k{number:03}', b'x' * 96)
        await store.get('k000')  # what is used stays
    kept = [number for number in range(300) if await store.get(f'k{number:03}') is not None]
    assert kept == [0, *range(291, 300)]
    await store.put('large', b'x' * 2000)
    assert await store.get('large') is None
    assert len([number for number in kept if await store.get(f'k{number:03}') is not None]) == 10
    await store.clear()
    assert await store.get('k000') is None


def test_a_new_file_can_be_opened_by_several_at_once(tmp_path: Path) -> None:
    for number in range(25):
        together = Barrier(8)
        stores = [SqliteCache(tmp_path / f'{number}.db') for _ in range(8)]

        def keep(store: SqliteCache, together: Barrier = together) -> None:
            together.wait()
            asyncio.run(store.put('key', b'value'))

        with ThreadPoolExecutor(8) as pool:
            try:
                list(pool.map(keep, stores))
            finally:
                for store in stores:
                    store.close()


def test_processes_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / 'c.db'
    code = (
        'import asyncio, sys\nfrom stead.caches import SqliteCache\n'
        'async def main():\n    store = SqliteCache(sys.argv[1])\n'
        '    for number in range(100): await store.put(f"{sys.argv[2]}{number}", sys.argv[2].encode())\n'
        'asyncio.run(main())'
    )
    children = [subprocess.Popen([sys.executable, '-c', code, str(path), name]) for name in 'ab']
    assert [child.wait(60) for child in children] == [0, 0]
    store = SqliteCache(path)
    assert [asyncio.run(store.get(key)) for key in ('a99', 'b99', 'c1')] == [b'a', b'b', None]
    store.close()
    assert asyncio.run(store.get('a0')) == b'a'


async def test_a_file_that_is_no_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / 'c.db').write_text('no database' * 100)
    with pytest.raises(CacheError, match=r'c\.db. cannot be used: file is not a database'):
        await SqliteCache(tmp_path / 'c.db').get('x')


def test_a_bound_is_a_number_of_bytes() -> None:
    with pytest.raises(UserError, match='`max_bytes` of a cache'):
        MemoryCache(max_bytes=0)


async def test_a_long_run_is_looked_up_without_a_look_at_all_before() -> None:
    """A run that is twice as long is answered with twice as many calls of functions, not four times as many."""

    async def answered(steps: int) -> int:
        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            at = len(messages) // 2
            return ModelResponse([ToolCallPart('find', {'order': at}) if at < steps else TextPart('Done.')])

        agent = Agent(FunctionModel(answer, model_name='finder'), capabilities=[ResponseCache()])

        @agent.tool_plain
        async def find(order: int) -> str:
            return f'lamp {order}'

        await agent.run('Find all')
        with Calls() as calls:
            result = await agent.run('Find all')
        assert result.usage.details['response_cache_hits'] == steps + 1
        return sum(count for code, count in calls.of_each.items() if 'compared' in code.co_filename)

    short, long = await answered(10), await answered(20)
    assert long < 2.5 * short, (short, long)
