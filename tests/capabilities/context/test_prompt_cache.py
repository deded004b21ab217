"""`PromptCache`: each thing that keeps a provider from reading its cache is named, and nothing else is."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from stead import Agent, ModelMessage, ModelRequest, ModelResponse, RunContext, ToolDefinition
from stead._show.cached_steps import cached_steps
from stead.capabilities import (
    AbstractCapability,
    CacheBust,
    CacheBustError,
    CacheBustWarning,
    KeepLast,
    OffloadToolResults,
    ProcessHistory,
    PromptCache,
    Summarise,
    TruncateToolResults,
)
from stead.exceptions import UserError
from stead.journal import Journal
from stead.journal.traces import trace_of
from stead.messages import TextPart, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, FunctionModel
from stead.native_tools import WebSearchTool
from stead.toolsets import FunctionToolset

from .conversations import Conversation

counter = itertools.count(10)


def looking(*capabilities: Any, steps: int = 4, **options: Any) -> Agent:
    """Return an agent that looks a few times, with a cache in front of its model."""

    asked = itertools.count(1)

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart('done') if next(asked) % steps == 0 else ToolCallPart('look', {})])

    model_name = options.pop('model_name', 'm')
    agent: Agent = Agent(FunctionModel(model, model_name=model_name), capabilities=capabilities, **options)
    agent.tool_plain(lambda: 'nothing', name='look')
    return agent


def clock(agent: Agent) -> None:
    @agent.instructions
    def now() -> str:
        return f'It is 13:{next(counter)}:00.'


def date(agent: Agent) -> None:
    @agent.instructions
    def today() -> str:
        return f'Today is 2026-11-{next(counter)}.'


def identifier(agent: Agent) -> None:
    @agent.instructions
    def request_id() -> str:
        return f'Request {random.Random(next(counter)).getrandbits(128):032x}.'


def unsorted(agent: Agent) -> None:
    names = ['ada', 'bob', 'cyd', 'dan']

    @agent.instructions
    def people() -> str:
        names.append(names.pop(0))
        return f'People: {", ".join(names)}.'


def growing(agent: Agent) -> None:
    found: list[str] = []

    @agent.instructions
    def notes() -> str:
        found.append('a note')
        return f'Notes: {len(found)} so far.'


class Tools(AbstractCapability[Any]):
    """Changes the tools of every second step."""

    def __init__(self, change: Callable[[list[ToolDefinition]], list[ToolDefinition]]) -> None:
        super().__init__()
        self.change = change

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return self.change(tool_defs) if ctx.run_step % 2 == 0 else tool_defs


class Requests(AbstractCapability[Any]):
    """Changes the request of every second step."""

    def __init__(self, change: Callable[[Any], None]) -> None:
        super().__init__()
        self.change = change

    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        if ctx.run_step % 2 == 0:
            self.change(request_context)
        return request_context


def drop_earlier(messages: list[ModelMessage]) -> list[ModelMessage]:
    return [messages[0], *messages[3:]] if len(messages) > 3 else messages


def rewrite(messages: list[ModelMessage]) -> list[ModelMessage]:
    return [ModelRequest([UserPromptPart(f'go, {len(messages)} messages')]), *messages[1:]]


def put_first(messages: list[ModelMessage]) -> list[ModelMessage]:
    return [ModelRequest([UserPromptPart(f'note {len(messages)}')]), ModelResponse([TextPart('ok')]), *messages]


def set_model(request: Any) -> None:
    request.model = FunctionModel(lambda messages, info: ModelResponse([ToolCallPart('look', {})]), model_name='other')


def set_setting(request: Any) -> None:
    request.model_settings = {**(request.model_settings or {}), 'tool_choice': 'auto'}


def described(definitions: list[ToolDefinition]) -> list[ToolDefinition]:
    return [replace(one, description=f'Looks. It is 12:{next(counter)}.') for one in definitions]


def other_schema(definitions: list[ToolDefinition]) -> list[ToolDefinition]:
    schema = {'type': 'object', 'properties': {'deep': {'type': 'boolean'}}}
    return [replace(one, parameters_json_schema=schema) if one.name == 'look' else one for one in definitions]


def more_tools(agent: Agent) -> None:
    for name in ('first', 'second', 'third'):
        agent.tool_plain(lambda: 1, name=name)


def by_step(*texts: str | None) -> Callable[[Agent], None]:
    """Return what gives an agent instructions that are these, step by step."""

    def set_up(agent: Agent) -> None:
        @agent.instructions
        def state(ctx: RunContext[Any]) -> str | None:
            return texts[min(ctx.run_step, len(texts)) - 1]

    return set_up


def prepared(change: Callable[[RunContext[Any], ToolDefinition], ToolDefinition | None]) -> Callable[[Agent], None]:
    def set_up(agent: Agent) -> None:
        async def prepare(ctx: RunContext[Any], definition: ToolDefinition) -> ToolDefinition | None:
            return change(ctx, definition)

        agent.tool_plain(lambda: 1, name='other', prepare=prepare)

    return set_up


def filtered(agent: Agent) -> None:
    toolset: FunctionToolset[Any] = FunctionToolset()
    toolset.add_function(lambda: 1, name='odd')
    agent.toolset(per_run_step=True)(lambda ctx: toolset if ctx.run_step % 2 else FunctionToolset())


def shuffled(agent: Agent) -> None:
    names = ['ada', 'bob', 'cyd']

    @agent.toolset(per_run_step=True)
    def people(ctx: RunContext[Any]) -> FunctionToolset[Any]:
        names.append(names.pop(0))
        toolset: FunctionToolset[Any] = FunctionToolset()
        for name in names:
            toolset.add_function(lambda: 1, name=name)
        return toolset


class Reminder(AbstractCapability[Any]):
    """Adds to what is sent, and not to the history."""

    async def wrap_model_request(self, ctx: RunContext[Any], *, request_context: Any, handler: Any) -> ModelResponse:
        last = request_context.messages[-1]
        last = replace(last, parts=[*last.parts, UserPromptPart(f'It is 12:{next(counter)}.')])
        return await handler(replace(request_context, messages=[*request_context.messages[:-1], last]))


def in_place(request: Any) -> None:
    request.messages[0].parts[0].content = f'go {next(counter)}'


def think(request: Any) -> None:
    request.model_settings = {**(request.model_settings or {}), 'thinking': True}


def search(request: Any) -> None:
    parameters = request.model_request_parameters
    request.model_request_parameters = replace(parameters, native_tools=[WebSearchTool()])


def serial(ctx: RunContext[Any]) -> Any:
    return {'parallel_tool_calls': ctx.run_step % 2 == 0}


ORDERS = [json.dumps(dict.fromkeys(order, 1)) for order in (['red', 'blue'], ['blue', 'red'])]
BUSTS: list[tuple[str, Any, Callable[[Agent], None] | None, str, str, str]] = [
    # What users write.
    ('clock', None, clock, 'instructions', 'agent: now', 'a clock'),
    ('date', None, date, 'instructions', 'agent: today', 'a clock'),
    ('seconds', None, by_step('At 1764354000.1.', 'At 1764354001.9.'), 'instructions', 'agent: state', 'a clock'),
    ('iso', None, by_step('2026-11-28T18:00:01', '2026-11-28T18:00:02'), 'instructions', 'agent: state', 'a clock'),
    ('id', None, identifier, 'instructions', 'agent: request_id', 'an id that is new each time'),
    ('uuid', None, by_step(f'Id {UUID(int=7)}', f'Id {UUID(int=8)}'), 'instructions', 'agent: state', 'an id that'),
    (
        'token',
        None,
        by_step('Id Zk3-a_Qwert98yuiopLK', 'Id b7_XcvBnm-asdf62ghjk'),
        'instructions',
        'agent',
        'an id that',
    ),
    ('set', None, unsorted, 'instructions', 'agent: people', 'the same words in another order'),
    ('json', None, by_step(*ORDERS), 'instructions', 'agent: state', 'the same words in another order'),
    ('notes', None, growing, 'instructions', 'agent: notes', "from '1 so far.' to '2 so far.'"),
    ('balance', None, by_step('You have 12 EUR.', 'You have 9 EUR.'), 'instructions', 'agent: state', "from '12 EUR"),
    ('added', None, by_step(None, 'Hurry.'), 'instructions', 'agent: state', 'was not sent before'),
    ('ended', None, by_step('Hurry.', None), 'instructions', 'agent: state', 'is no longer sent'),
    ('hidden', None, prepared(lambda c, d: d if c.run_step % 2 else None), 'tool', 'other', 'was removed'),
    (
        'prepared',
        None,
        prepared(lambda c, d: replace(d, description=f'Step {c.run_step}.')),
        'tool',
        'other',
        'has another definition',
    ),
    ('toolset', None, filtered, 'tool', 'odd', 'was removed'),
    ('unsorted tools', None, shuffled, 'tool', 'order', 'of the list is another'),
    # What capabilities do.
    ('order', Tools(lambda d: d[::-1]), more_tools, 'tool', 'order', 'of the list is another'),
    ('gone', Tools(lambda d: [x for x in d if x.name != 'third']), more_tools, 'tool', 'third', 'was removed'),
    ('described', Tools(described), None, 'tool', 'look', 'has another definition'),
    ('schema', Tools(other_schema), None, 'tool', 'look', 'has another definition'),
    ('dropped', ProcessHistory(drop_earlier), None, 'message', 'message 1', 'is not what it was'),
    ('rewritten', ProcessHistory(rewrite), None, 'message', 'message 0', 'is not what it was'),
    ('inserted', ProcessHistory(put_first), None, 'message', 'message 0', 'is not what it was'),
    ('reminder', Reminder(), None, 'message', 'message 1', 'is not what it was'),
    ('in place', Requests(in_place), None, 'message', 'message 0', 'is not what it was'),
    ('model', Requests(set_model), None, 'model', 'the model', 'changed from'),
    ('setting', Requests(set_setting), None, 'setting', 'tool_choice', ''),
    ('thinking', Requests(think), None, 'setting', 'thinking', 'was not sent before'),
    ('native tool', Requests(search), None, 'native tool', 'web_search', 'was not sent before'),
]


@pytest.mark.parametrize(
    ('capability', 'set_up', 'kind', 'name', 'change'), [b[1:] for b in BUSTS], ids=[b[0] for b in BUSTS]
)
def test_what_changed_is_named(
    capability: Any, set_up: Callable[[Agent], None] | None, kind: str, name: str, change: str
) -> None:
    busts: list[CacheBust] = []
    cache = PromptCache(busts.append, least_tokens=0)
    journal = Journal(changes=True)
    agent = looking(journal, cache, *([capability] if capability else []), instructions='Be good.')
    if set_up is not None:
        set_up(agent)
    run = agent.run_sync('go')
    assert busts, 'nothing was reported'
    texts: list[tuple[int, Any, str]] = [(busts[0].step, busts[0], busts[0].by)]
    if not (isinstance(capability, Requests) and capability.change is in_place):  # records are written once
        steps = cached_steps(asyncio.run(trace_of(journal, run.run_id)))
        step = next(step for step in steps if step.found is not None)
        texts.append((step.step, step.found, step.by))
    # What is said before a request is sent, and what a journal says of it afterwards.
    for number, found, by in texts:
        assert (found.kind, number) == (kind, busts[0].step)
        assert found.name.startswith(name)
        assert change in found.change
        assert 0 <= found.byte <= found.bytes and found.advice
        if capability is not None:
            assert type(capability).__name__ in by
    assert len({(bust.kind, bust.name, bust.by) for bust in busts}) == len(busts), 'a cause was reported twice'


def test_a_warning_says_it_all() -> None:
    agent = looking(PromptCache(least_tokens=0), instructions='Be good.')
    clock(agent)
    with pytest.warns(CacheBustWarning) as caught:
        agent.run_sync('go')
    assert len(caught) == 1
    text = str(caught[0].message)
    assert text.startswith(
        "The request of step 2 does not continue the one before: instructions 'agent: now' changed from '13:"
    )
    assert text.endswith('Leave the time out, round it to the day, or put it into the prompt of the user.')


def test_an_error_comes_before_the_request() -> None:
    agent = looking(PromptCache('raise', least_tokens=0))
    clock(agent)
    with pytest.raises(CacheBustError, match='a clock') as caught:
        agent.run_sync('go')
    assert caught.value.bust.kind == 'instructions'
    assert sum(isinstance(message, ModelResponse) for message in caught.value.messages) == 1


def test_the_next_run_of_a_conversation_is_compared_too() -> None:
    busts: list[CacheBust] = []
    agent = looking(PromptCache(busts.append, least_tokens=0), steps=1)
    clock(agent)
    agent.run_sync('go', conversation_id='a')
    agent.run_sync('go', conversation_id='b')
    assert not busts
    agent.run_sync('go', conversation_id='a')
    assert [bust.name for bust in busts] == ['agent: now']


def test_short_prompts_are_not_cached_and_not_reported() -> None:
    agent = looking(PromptCache('raise'))
    clock(agent)
    assert agent.run_sync('go').output == 'done'


@pytest.mark.parametrize('seed', range(50 if os.environ.get('STEAD_TRUST_FULL') == '1' else 4))
def test_what_folds_and_what_only_grows_is_not_reported(seed: int) -> None:
    for shorter in ([], [KeepLast(messages=6)], [TruncateToolResults(over=20), OffloadToolResults(over=40, preview=5)]):
        conversation = Conversation(seed, [PromptCache('raise', least_tokens=0), *shorter], runs=3)
        conversation.run()
    summary = FunctionModel(lambda messages, info: ModelResponse([TextPart('A summary.')]))
    conversation = Conversation(
        seed, [PromptCache('raise', least_tokens=0), Summarise(at=900, into=200, model=summary)]
    )
    conversation.run()


def test_tools_that_come_later_follow_the_others() -> None:
    toolset: FunctionToolset[Any] = FunctionToolset()
    busts: list[CacheBust] = []
    agent = looking(PromptCache(busts.append, least_tokens=0), toolsets=[toolset])

    @agent.tool_plain
    def look_more() -> str:
        return 'x'

    with warnings.catch_warnings():
        agent.run_sync('go')
    assert not busts


def test_what_is_refused() -> None:
    with pytest.raises(UserError, match="'warn', 'raise', a function"):
        PromptCache('sometimes')  # type: ignore[arg-type]
    with pytest.raises(UserError, match="`least_tokens` of `PromptCache` is a whole number, 0 or more, not '9'"):
        PromptCache(least_tokens='9')  # type: ignore[arg-type]
    with pytest.raises(UserError, match="`retention` of `PromptCache` is one of '5m', .* or `None`, not '2h'"):
        PromptCache(retention='2h')  # type: ignore[arg-type]
