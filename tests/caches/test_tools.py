"""Tools whose results are kept: which may, what a key is made of, and that a hit passes all checks of a call."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field, PrivateAttr, SecretStr

from stead import Agent, BinaryContent, ModelRetry, RunContext, ToolReturn, UserError
from stead.caches import CacheLookup, MemoryCache, SqliteCache, ToolCache
from stead.journal import Journal, MemoryStore
from stead.messages import ToolReturnPart
from stead.testing import ScriptedModel, call, say
from stead.toolsets import FunctionToolset

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


def script(*args: dict[str, Any], tool: str = 'find') -> ScriptedModel:
    return ScriptedModel([*(call(tool, **each) for each in args), say('Done.')])


def returned(result: Any) -> list[Any]:
    return [
        part.content for message in result.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)
    ]


@pytest.mark.parametrize('kind', ['memory', 'sqlite'])
def test_the_same_call_runs_once(kind: str, tmp_path: Path) -> None:
    ran: list[str] = []
    store = MemoryCache() if kind == 'memory' else SqliteCache(tmp_path / 'c.db')
    agent: Agent[None, str] = Agent()

    @agent.tool_plain(effect='read', cache=ToolCache(store))
    def find(order: str, full: bool = False) -> str:
        ran.append(order)
        return f'{order} {len(ran)}'

    calls = [
        {'order': 'A'},
        {'order': 'A', 'full': False},
        {'order': 'B'},
        {'full': True, 'order': 'A'},
        {'order': 'A'},
    ]
    result = agent.run_sync('Go', model=script(*calls))
    assert returned(result) == ['A 1', 'A 1', 'B 2', 'A 3', 'A 1'], 'defaults are arguments, too'
    assert result.usage.details == {'tool_cache_hits': 2}
    assert result.usage.tool_calls == 5
    assert agent.run_sync('Go', model=script({'order': 'B'})).usage.details == {'tool_cache_hits': 1}


@pytest.mark.parametrize('effect', [None, 'write', 'idempotent'])
def test_only_tools_that_read_have_a_cache(effect: Any) -> None:
    def pay(order: str) -> str:
        return 'paid'

    with pytest.raises(UserError, match=r"`cache=` of tool 'pay' needs `effect='read'`"):
        FunctionToolset[None]().add_function(pay, effect=effect, cache=ToolCache())


def test_a_tool_that_takes_the_context_says_what_it_depends_on() -> None:
    agent: Agent[str, str] = Agent(deps_type=str)

    def mine(ctx: RunContext[str]) -> str:
        return f'of {ctx.deps}'

    with pytest.raises(UserError, match='may depend on who asks'):
        agent.tool(mine, effect='read', cache=ToolCache())  # type: ignore[call-overload]
    agent.tool(effect='read', cache=ToolCache(vary=lambda ctx: ctx.deps))(mine)
    results = [agent.run_sync('Go', deps=user, model=script({}, tool='mine')) for user in ('ann', 'bob', 'ann')]
    assert [returned(result) for result in results] == [['of ann'], ['of bob'], ['of ann']]
    assert [result.usage.details for result in results] == [{}, {}, {'tool_cache_hits': 1}]


def test_a_toolset_has_one_for_its_tools() -> None:
    ran: list[str] = []

    def find(order: str) -> str:
        ran.append(order)
        return order

    cache = ToolCache()
    for toolset_id in ('one', 'two', 'one'):
        tools = FunctionToolset[None]([find], id=toolset_id, effect='read', cache=cache)
        Agent(script({'order': 'A'}, tool='x_find'), toolsets=[tools.prefixed('x')]).run_sync('Go')
    assert ran == ['A', 'A']


class Order(BaseModel):
    name: str


@dataclass
class Row:
    number: int


RESULTS: dict[str, Any] = {
    'model': Order(name='lamp'),
    'records': [Row(1), Row(2)],
    'number': 1.5,
    'nothing': None,
    'image': BinaryContent(b'\x89PNG\xff', media_type='image/png'),
    'more': ToolReturn('two', content=['See', BinaryContent(b'\xff', media_type='image/png')], metadata={'a': 1}),
}


@pytest.mark.parametrize('kind', RESULTS)
def test_the_model_reads_the_same_from_the_cache(kind: str) -> None:
    ran: list[str] = []
    agent: Agent[None, str] = Agent()

    @agent.tool_plain(effect='read', cache=ToolCache())
    def find() -> Any:
        ran.append('x')
        return RESULTS[kind]

    plain: Agent[None, str] = Agent()

    @plain.tool_plain(name='find')
    def find_plain() -> Any:
        return RESULTS[kind]

    def seen(which: Any) -> list[Any]:
        parts = [part for message in which.run_sync('Go', model=script({})).all_messages() for part in message.parts]
        return [
            part.model_response_str() if isinstance(part, ToolReturnPart) else getattr(part, 'content', None)
            for part in parts
        ]

    assert seen(agent) == seen(agent) == seen(plain)
    assert ran == ['x']


def test_what_failed_runs_again() -> None:
    ran: list[str] = []
    agent: Agent[None, str] = Agent()

    @agent.tool_plain(effect='read', cache=ToolCache(), retries=3)
    def find() -> Any:
        ran.append('x')
        if len(ran) == 1:
            raise ModelRetry('again')
        if len(ran) == 2:
            return ModelRetry('and again')
        return iter(['read', 'once']) if len(ran) == 3 else 'found'

    result = agent.run_sync('Go', model=script({}, {}, {}, {}, {}))
    assert returned(result)[-2:] == ['found', 'found']
    assert len(ran) == 4


def test_approval_is_asked_for_each_call() -> None:
    from stead import DeferredToolRequests

    agent = Agent(output_type=[str, DeferredToolRequests])

    @agent.tool_plain(effect='read', cache=ToolCache(), requires_approval=True)
    def find() -> str:
        return 'secret'

    first = agent.run_sync('Go', model=ScriptedModel([call('find')]))
    assert isinstance(first.output, DeferredToolRequests)
    approved = first.output.build_results(approve_all=True)
    agent.run_sync(
        message_history=first.all_messages(), deferred_tool_results=approved, model=ScriptedModel([say('x')])
    )
    again = agent.run_sync('Go', model=ScriptedModel([call('find')]))
    assert isinstance(again.output, DeferredToolRequests)


def test_limits_count_hits() -> None:
    agent: Agent[None, str] = Agent()

    @agent.tool_plain(effect='read', cache=ToolCache(), max_calls=1)
    def find() -> str:
        return 'found'

    result = agent.run_sync('Go', model=script({}, {}))
    assert returned(result) == ['found', "Tool 'find' was called once, which is its limit. Do without it."]


async def test_a_journal_records_a_hit_as_a_call() -> None:
    journal: Journal[None] = Journal(MemoryStore())
    agent: Agent[None, str] = Agent(capabilities=[journal])

    @agent.tool_plain(effect='read', cache=ToolCache())
    def find() -> str:
        return 'found'

    await agent.run('Go', model=script({}))
    result = await agent.run('Go', model=script({}, {}))
    state = await journal.state(result.run_id)
    assert state.usage == result.usage
    assert (state.usage.tool_calls, state.usage.details) == (2, {'tool_cache_hits': 2})


def test_lookups_and_spans_show_hits() -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from stead.capabilities import Instrumentation
    from stead.models.instrumented import InstrumentationSettings

    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    lookups: list[CacheLookup] = []
    agent: Agent[None, str] = Agent(
        capabilities=[Instrumentation(settings=InstrumentationSettings(tracer_provider=provider))]
    )

    @agent.tool_plain(effect='read', cache=ToolCache(on_lookup=lookups.append))
    async def find(order: str) -> str:
        return 'found'

    agent.run_sync('Go', model=script({'order': 'A'}, {'order': 'A'}))
    spans = [
        span.attributes or {}
        for span in exporter.get_finished_spans()
        if 'gen_ai.tool.call.id' in (span.attributes or {})
    ]
    assert [span.get('stead.tool.cache') for span in spans] == [None, 'hit']
    assert [lookup.is_hit for lookup in lookups] == [False, True]
    known = {'toolset': '<agent>', 'tool': 'find', 'function': find.__module__ + '.' + find.__qualname__}
    assert lookups[0].key_parts == {**known, 'args': {'order': 'A'}}


def test_what_was_looked_up_shows_no_secrets_and_all_counts() -> None:
    lookups: list[CacheLookup] = []
    agent = Agent()

    @agent.tool_plain(effect='read', cache=ToolCache(on_lookup=lookups.append))
    async def find(password: int, api_key: str, max_tokens: int, note: str) -> str:
        return 'found'

    args = {'password': 7310428, 'api_key': 'swordfish', 'max_tokens': 16, 'note': '{"pin_token": 42}'}
    agent.run_sync('Go', model=script(args))
    assert lookups[0].key_parts['args'] == {
        'password': '••••••',
        'api_key': '••••••',
        'max_tokens': 16,
        'note': '{"pin_token": "••••••"}',
    }


def test_cache_is_a_tool_cache() -> None:
    with pytest.raises(UserError, match='must be a `stead.caches.ToolCache`, not 60'):
        FunctionToolset[None](cache=60)  # type: ignore[arg-type]


class Account(BaseModel):
    name: str
    tenant: str = Field(exclude=True)
    _region: str = PrivateAttr('eu')


@dataclass
class Tenant:
    account: Account
    parents: tuple[str, ...] = ()


def tenant(name: str) -> Tenant:
    return Tenant(Account(name='main', tenant=name))


def test_what_json_leaves_out_tells_calls_apart() -> None:
    """Users of one cache get no results of each other."""
    agent: Agent[Tenant, str] = Agent(deps_type=Tenant)
    cache = ToolCache(vary=lambda ctx: ctx.deps)

    @agent.tool_plain(effect='read', cache=ToolCache())
    def of_argument(account: Account) -> str:
        return account.tenant

    @agent.tool(effect='read', cache=cache)
    def of_deps(ctx: RunContext[Tenant]) -> str:
        return ctx.deps.account.tenant

    for name in ('ann', 'bob', 'ann'):
        account = {'account': {'name': 'main', 'tenant': name}}
        assert returned(agent.run_sync('Go', deps=tenant(name), model=script(account, tool='of_argument'))) == [name]
        result = agent.run_sync('Go', deps=tenant(name), model=script({}, tool='of_deps'))
        assert returned(result) == [name]
    assert result.usage.details == {'tool_cache_hits': 1}
    other = tenant('ann')
    other.account._region = 'us'
    assert agent.run_sync('Go', deps=other, model=script({}, tool='of_deps')).usage.details == {}


def test_a_secret_is_no_part_of_a_key() -> None:
    agent: Agent[Any, str] = Agent()
    ran: list[str] = []

    @agent.tool_plain(effect='read', cache=ToolCache())
    def balance(token: SecretStr) -> str:
        ran.append(token.get_secret_value())
        return f'of {ran[-1]}'

    for token in ('ann', 'bob', 'ann'):
        assert returned(agent.run_sync('Go', model=script({'token': token}, tool='balance'))) == [f'of {token}']
    assert ran == ['ann', 'bob', 'ann']

    @agent.tool(effect='read', cache=ToolCache(vary=lambda ctx: ctx.deps))
    def mine(ctx: RunContext[Any]) -> str:
        return 'of someone'

    with_itself: list[Any] = []
    with_itself.append(with_itself)
    for deps, why in (
        (SecretStr('ann'), 'a part of it is a secret'),
        (with_itself, 'contains itself'),
        (object(), 'object'),
    ):
        with pytest.raises(
            UserError, match=f"`vary` of the cache of tool 'mine' returned cannot be a part of a key: .*{why}"
        ):
            agent.run_sync('Go', deps=deps, model=script({}, tool='mine'))


def test_agents_that_share_a_store_share_no_results_of_tools_of_one_name() -> None:
    store = MemoryCache()
    outputs = []
    for user in ('ann', 'bob'):
        agent = Agent(script({}, tool='mine'))
        if user == 'ann':

            @agent.tool_plain(effect='read', cache=ToolCache(store))
            def mine() -> str:
                return 'of ann'
        else:

            @agent.tool_plain(name='mine', effect='read', cache=ToolCache(store))
            def of_bob() -> str:
                return 'of bob'

        outputs += returned(agent.run_sync('Go'))
    assert outputs == ['of ann', 'of bob']
