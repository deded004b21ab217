"""`Journal(changes=True)`: what each capability changed in a run, and what each request had apart from its messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from stead import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext
from stead.capabilities import AbstractCapability, Hooks, SetToolMetadata
from stead.exceptions import SkipModelRequest, SkipToolExecution
from stead.journal import Journal, RunFilter, redact_texts
from stead.journal.traces import summaries, trace_of
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.settings import ModelSettings
from stead.toolsets import WrapperToolset

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


async def trace(
    *capabilities: AbstractCapability[Any],
    model: Any = None,
    stream: bool = False,
    prompt: str = 'hello',
    **options: Any,
) -> dict[str, Any]:
    """Run an agent with a tool, and return what a page would show of it."""
    journal: Journal[Any] = Journal(changes=True)
    agent: Agent[None, Any] = Agent(
        model or TestModel(), name='a', instructions='Be kind.', capabilities=[*capabilities, journal], **options
    )

    @agent.tool_plain
    def look_up(order: str) -> str:
        """Look up an order."""
        return f'{order} is on its way'

    if stream:
        async with agent.run_stream(prompt) as result:
            await result.get_output()
            run_id = result.run_id
    else:
        run_id = (await agent.run(prompt)).run_id
    return await trace_of(journal, run_id)


def acts(traced: dict[str, Any], step: int) -> list[dict[str, Any]]:
    return [traced['acts'][number] for number in traced['steps'][step - 1]['acts']]


def brief(act: dict[str, Any]) -> tuple[Any, ...]:
    return (act['hook'], act['did'], *((one['what'], one['before'], one['after']) for one in act.get('changes', ())))


def with_hook(name: str, function: Callable[..., Any]) -> AbstractCapability[Any]:
    """Return a capability with one hook."""
    return type('Anything', (AbstractCapability,), {name: function})()  # type: ignore[return-value]


async def settings(self: Any, ctx: Any, request_context: Any) -> Any:
    return replace(request_context, model_settings={**(request_context.model_settings or {}), 'seed': 7})


async def no_tools(self: Any, ctx: Any, tool_defs: list[Any]) -> list[Any]:
    return []


async def args_before(self: Any, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
    args['order'] = 'B-2'  # in place
    return args


async def result_around(self: Any, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
    return (await handler(args)).upper()


async def skip_call(self: Any, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
    raise SkipToolExecution('not today')


async def response_after(self: Any, ctx: Any, *, request_context: Any, response: Any) -> Any:
    return replace(response, parts=[TextPart('other')])


async def skip_request(self: Any, ctx: Any, request_context: Any) -> Any:
    raise SkipModelRequest(ModelResponse([TextPart('from memory')]))


async def output_after(self: Any, ctx: Any, *, output_context: Any, output: Any) -> Any:
    return f'<{len(output)}>'


async def end_after(self: Any, ctx: Any, *, result: Any) -> Any:
    return replace(result, output='the end')


async def around_nothing(self: Any, ctx: Any, *, request_context: Any, handler: Any) -> Any:
    return ModelResponse([TextPart('from a cache')])


CASES: list[tuple[str, Any, int, tuple[Any, ...]]] = [
    ('before_model_request', settings, 1, ('changed', ('settings', {}, {'seed': 7}))),
    ('before_tool_execute', args_before, 1, ('changed', ('args', {'order': 'a'}, {'order': 'B-2'}))),
    ('before_tool_validate', args_before, 1, ('changed', ('args', {'order': 'a'}, {'order': 'B-2'}))),
    ('wrap_tool_execute', result_around, 1, ('changed', ('result', 'a is on its way', 'A IS ON ITS WAY'))),
    ('before_tool_execute', skip_call, 1, ('answered', ('result', None, 'not today'))),
    ('after_output_process', output_after, 2, ('changed', ('output', '{"look_up":"a is on its way"}', '<29>'))),
    ('after_run', end_after, 2, ('changed', ('output', '{"look_up":"a is on its way"}', 'the end'))),
]


@pytest.mark.parametrize(('hook', 'function', 'step', 'expected'), CASES)
@pytest.mark.parametrize('stream', [False, True])
async def test_what_a_hook_did_is_shown_at_its_step(
    hook: str, function: Any, step: int, expected: tuple[Any, ...], stream: bool
) -> None:
    if stream and hook == 'after_output_process':
        expected = ('changed', *((what, before, after) for what, before, after in expected[1:]))
    traced = await trace(with_hook(hook, function), stream=stream)
    assert (hook, *expected) in [brief(act) for act in acts(traced, step)]
    assert all(act['by'] == 'Anything' for act in traced['acts'])


async def test_tools_that_are_hidden_are_named() -> None:
    traced = await trace(with_hook('prepare_tools', no_tools))
    (act,) = acts(traced, 1)
    (change,) = act['changes']
    assert change['what'] == 'tools'
    assert change['before']['look_up']['description'] == 'Look up an order.'
    assert change['after'] == {}
    assert traced['sent'][0]['tools'] == {}


@pytest.mark.parametrize(
    ('hook', 'function', 'did', 'text'),
    [
        ('after_model_request', response_after, 'changed', 'other'),
        ('before_model_request', skip_request, 'answered', 'from memory'),
        ('wrap_model_request', around_nothing, 'answered', 'from a cache'),
    ],
)
async def test_a_response_that_a_hook_made_is_shown(hook: str, function: Any, did: str, text: str) -> None:
    traced = await trace(with_hook(hook, function))
    (act,) = acts(traced, 1)
    (change,) = act['changes']
    assert (act['hook'], act['did'], change['what']) == (hook, did, 'response')
    assert change['after']['parts'][0]['content'] == text
    sent = traced['steps'][0]['sent']
    assert (sent is None) == (did == 'answered'), 'nothing was sent'


async def test_errors_that_hooks_raise_and_recover_from() -> None:
    async def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ValueError('the line is busy')

    async def recover(self: Any, ctx: Any, *, request_context: Any, error: Exception) -> Any:
        return ModelResponse([TextPart('call later')])

    async def object_once(self: Any, ctx: Any, *, request_context: Any, response: Any) -> Any:
        if ctx.run_step == 1:
            raise ModelRetry('say it in Dutch')
        return response

    traced = await trace(
        with_hook('on_model_request_error', recover),
        with_hook('after_model_request', object_once),
        model=FunctionModel(fails),
    )
    recovered, raised = acts(traced, 1)
    assert (recovered['did'], recovered['error']) == ('recovered', 'ValueError: the line is busy')
    assert recovered['changes'][0]['after']['parts'][0]['content'] == 'call later'
    assert (raised['hook'], raised['did'], raised['error']) == (
        'after_model_request',
        'raised',
        'ModelRetry: say it in Dutch',
    )


async def test_an_error_that_only_passes_through_is_not_that_of_the_hook() -> None:
    async def around(self: Any, ctx: Any, *, request_context: Any, handler: Any) -> Any:
        return await handler(request_context)

    async def fails(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ValueError('the line is busy')

    journal: Journal[Any] = Journal(changes=True)
    agent = Agent(FunctionModel(fails), capabilities=[with_hook('wrap_model_request', around), journal])
    with pytest.raises(ValueError, match='the line is busy'):
        await agent.run('hello')
    (run,) = await journal.runs()
    traced = await trace_of(journal, run.run_id)
    assert traced['acts'] == []
    assert traced['steps'][0]['sent'] == 0


async def test_messages_that_are_changed_in_place_or_replaced() -> None:
    async def in_place(self: Any, ctx: Any, request_context: Any) -> Any:
        for message in request_context.messages:
            for part in message.parts:
                if isinstance(part, UserPromptPart):
                    part.content = str(part.content).replace('Bob', '[name]')
        return request_context

    async def last_two(self: Any, ctx: Any, request_context: Any) -> Any:
        return replace(request_context, messages=request_context.messages[-2:])

    traced = await trace(with_hook('before_model_request', in_place), prompt='I am Bob')
    (change,) = acts(traced, 1)[0]['changes']
    assert change['at'] == 0
    assert [one['parts'][0]['content'] for one in (change['before'][0], change['after'][0])] == [
        'I am Bob',
        'I am [name]',
    ]

    async def twice(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        is_answer = messages[-1].parts[0].part_kind == 'tool-return'
        return ModelResponse([TextPart('done')] if is_answer else [ToolCallPart('look_up', {'order': 'x'})])

    traced = await trace(with_hook('before_model_request', last_two), model=FunctionModel(twice))
    (change,) = acts(traced, 2)[0]['changes']
    assert (len(change['before']), change['after'], change['at']) == (1, [], 0)
    step = traced['steps'][1]
    assert step['request'][1] == 3, 'a fork begins with what the run had'
    number, count = step['after_hooks']
    assert count == 2
    assert traced['messages'][traced['lists'][number][0]]['parts'][0]['part_kind'] == 'tool-call'


async def test_functions_of_hooks_have_names_and_wrappers_are_shown() -> None:
    hooks: Hooks[Any] = Hooks()

    @hooks.on.after_tool_execute
    async def shout(ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        return f'{result}!'

    class Renamed(WrapperToolset[Any]):
        async def get_tools(self, ctx: RunContext[Any]) -> Any:
            tools = await super().get_tools(ctx)
            return {
                name: replace(tool, tool_def=replace(tool.tool_def, description='x')) for name, tool in tools.items()
            }

    class Describes(AbstractCapability[Any]):
        def get_wrapper_toolset(self, toolset: Any) -> Any:
            return Renamed(toolset)

    traced = await trace(hooks, Describes(), SetToolMetadata(x=1))
    named = {act['by']: act for act in traced['acts']}
    assert set(named) == {'Hooks, shout()', 'Describes', 'SetToolMetadata'}
    assert named['Hooks, shout()']['call']['tool'] == 'look_up'
    (change,) = named['Describes']['changes']
    assert [one['look_up']['description'] for one in (change['before'], change['after'])] == ['Look up an order.', 'x']
    assert named['SetToolMetadata']['hook'] == 'get_wrapper_toolset'


async def test_what_is_sent_says_where_it_comes_from() -> None:
    class Brief(AbstractCapability[Any]):
        def get_instructions(self) -> Any:
            def now() -> str:
                return 'It is noon.'

            return ['One sentence.', now]

        def get_model_settings(self) -> ModelSettings:
            return {'max_tokens': 200, 'extra_headers': {'authorization': 'Bearer secret'}}

    traced = await trace(Brief(), model_settings={'temperature': 0.5, 'max_tokens': 9})
    (sent,) = traced['sent']
    assert [step['sent'] for step in traced['steps']] == [0, 0]
    assert sent['model'] == 'test:test'
    assert sent['settings'] == {'temperature': 0.5, 'max_tokens': 200}
    assert {name: sent['settings_from'][name] for name in sent['settings']} == {
        'temperature': 'agent',
        'max_tokens': 'Brief',
    }
    assert sent['instructions_from'] == [
        {'by': 'agent', 'text': 'Be kind.'},
        {'by': 'Brief', 'text': 'One sentence.'},
        {'by': 'Brief: now', 'text': 'It is noon.'},
    ]
    assert set(sent['tools']) == {'look_up'}
    assert 'secret' not in json.dumps(traced)


async def test_messages_that_stead_repairs_for_the_model_are_shown() -> None:
    journal: Journal[Any] = Journal(changes=True)
    agent = Agent(TestModel(), capabilities=[journal])
    history: list[ModelMessage] = [
        ModelRequest([UserPromptPart('one')]),
        ModelResponse([ToolCallPart('gone', {}, 'c1')]),  # has no answer
        ModelRequest([UserPromptPart('two')]),
        ModelResponse([TextPart('and a half')]),
    ]
    result = await agent.run('three', message_history=history)
    traced = await trace_of(journal, result.run_id)
    (change,) = traced['sent'][0]['fitted']
    assert change['what'] == 'messages'


async def test_who_decided_about_calls() -> None:
    async def decide(self: Any, ctx: Any, *, requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={call.tool_call_id: True for call in requests.approvals})

    journal: Journal[Any] = Journal(changes=True)
    policy = with_hook('handle_deferred_tool_calls', decide)
    agent: Agent[None, Any] = Agent(TestModel(), name='a', output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def pay() -> str:
        return 'paid'

    run_id = (await agent.run('pay', capabilities=[policy, journal])).run_id
    traced = await trace_of(journal, run_id)
    (act,) = acts(traced, 1)
    assert (act['did'], act['changes'][0]['after']) == ('decided', {traced['steps'][0]['calls'][0]['id']: True})

    run_id = (await agent.run('pay', capabilities=[journal])).run_id
    (waiting,) = await journal.waiting()
    await journal.answer(run_id, waiting.requests.build_results(approve_all=True))
    (wait,) = (await trace_of(journal, run_id))['steps'][0]['waits']
    assert wait['by'] == 'person'


async def test_what_hooks_do_at_each_step_is_written_once() -> None:
    async def many(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([TextPart('done')] if len(messages) > 20 else [ToolCallPart('look_up', {'order': 'x'})])

    journal: Journal[Any] = Journal(changes=True)
    agent = Agent(FunctionModel(many), capabilities=[with_hook('before_model_request', settings), journal])
    agent.tool_plain(lambda order: order, name='look_up')
    run_id = (await agent.run('hello')).run_id
    records = [record for record in await journal.records(run_id) if record.kind in ('changed', 'sent')]
    assert len(records) == 22
    assert max(len(record.body) for record in records[2:]) < 120
    traced = await trace_of(journal, run_id)
    assert (len(traced['acts']), len(traced['sent'])) == (1, 1)
    assert all(step['acts'] == [0] for step in traced['steps'])


async def test_what_is_kept_of_a_change_has_a_bound() -> None:
    async def grow(self: Any, ctx: Any, request_context: Any) -> Any:
        long = [ModelRequest([UserPromptPart('x' * 1_000_000)]) for _ in range(100)]
        return replace(request_context, messages=[*long, *request_context.messages])

    journal: Journal[Any] = Journal(changes=True)
    result = await Agent(TestModel(), capabilities=[with_hook('before_model_request', grow), journal]).run('hello')
    (record,) = [one for one in await journal.records(result.run_id) if one.kind == 'changed']
    assert len(record.body) < 250_000
    assert record.data()['changes'][0]['left_out'] == [0, 80]


async def test_without_it_nothing_is_looked_for() -> None:
    journal: Journal[Any] = Journal()
    hook = with_hook('before_model_request', settings)
    agent = Agent(TestModel(), capabilities=[hook, journal])
    result = await agent.run('hello')
    assert {record.kind for record in await journal.records(result.run_id)} == {'begun', 'request', 'response', 'ended'}
    chain = agent.root_capability.chain  # type: ignore[attr-defined]
    assert chain.steps['before_model_request'] == ((hook.before_model_request, None),), 'the hook itself is called'
    assert 'acts' not in await trace_of(journal, result.run_id)
    assert '"acts"' not in result.to_html()


async def test_a_page_of_a_result_has_the_changes_and_nothing_stays_behind() -> None:
    journal: Journal[Any] = Journal(changes=True)
    agent = Agent(TestModel(), capabilities=[with_hook('before_model_request', settings), journal])
    result = await agent.run('hello')
    assert '"did":"changed"' in result.to_html()
    assert '"settings_from"' in result.to_html()
    assert agent.root_capability.chain.noted == {}  # type: ignore[attr-defined]


async def test_a_run_that_goes_on_and_a_fork_show_their_changes() -> None:
    journal: Journal[Any] = Journal(changes=True)
    broken = True

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1 and broken:
            raise ValueError('the line is busy')
        return ModelResponse([TextPart('done')] if len(messages) > 1 else [ToolCallPart('look_up', {'order': 'x'})])

    agent = Agent(FunctionModel(answer), name='a', capabilities=[with_hook('before_model_request', settings), journal])
    agent.tool_plain(lambda order: order, name='look_up')
    with pytest.raises(ValueError, match='busy'):
        await agent.run('hello')
    (run,) = await journal.runs()
    broken = False
    fork = await journal.fork(run.run_id, at=2)
    for run_id in (run.run_id, fork):
        await journal.resume(agent, run_id)
        traced = await trace_of(journal, run_id)
        assert [len(step['acts']) for step in traced['steps']] == [1, 1], run_id
        assert [step['sent'] for step in traced['steps']] == [0, 0]


async def test_redact_sees_changes_too() -> None:
    async def add(self: Any, ctx: Any, request_context: Any) -> Any:
        request_context.messages[-1].parts.append(UserPromptPart('the code is 1234'))
        return request_context

    journal: Journal[Any] = Journal(changes=True, redact=redact_texts(lambda text: text.replace('1234', '****')))
    agent = Agent(TestModel(), capabilities=[with_hook('before_model_request', add), journal])
    run_id = (await agent.run('hello')).run_id
    assert all(b'1234' not in record.body for record in await journal.records(run_id))


async def test_a_search_finds_what_was_changed_and_not_the_tools_of_every_run() -> None:
    async def add(self: Any, ctx: Any, request_context: Any) -> Any:
        request_context.messages[-1].parts.append(UserPromptPart('zebra'))
        return request_context

    journal: Journal[Any] = Journal(changes=True)
    hooks = [with_hook('before_model_request', add), with_hook('prepare_tools', no_tools)]
    agent = Agent(TestModel(), capabilities=[*hooks, journal])
    agent.tool_plain(lambda: 1, name='look_up')
    await agent.run('hello')
    assert len((await summaries(journal, RunFilter(), 'zebra'))[0]) == 1
    assert (await summaries(journal, RunFilter(), 'look_up'))[0] == []
