"""Nothing runs unapproved. Each test is a promise; what is done in it is what an attacker, or an accident, would try."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import TypeAdapter

from stead import Agent, ApprovalRequired, CallDeferred, FunctionToolset, ModelRetry, RunContext
from stead.capabilities import ApprovalPolicy, HandleDeferredToolCalls, PrepareTools
from stead.exceptions import ToolRetryError, UserError
from stead.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.output import ToolOutput
from stead.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDefinition, ToolDenied
from stead.toolsets import ExternalToolset, WrapperToolset

from .agents import RAN, WAYS, ended, ids, read, returns, scripted, wipe, wiping


@pytest.fixture(autouse=True)
def nothing_has_run() -> None:
    RAN.clear()


# A decision is about one call


@pytest.mark.parametrize('how', WAYS)
def test_an_approval_does_not_reach_a_denied_call_of_the_same_id(how: str) -> None:
    agent = wiping([wipe('/'), wipe('tmp')])
    requests, messages = asyncio.run(ended(agent, how))
    decisions = DeferredToolResults()
    for call in requests.approvals:
        decisions.approvals[call.tool_call_id] = call.args_as_dict()['p'] == 'tmp'
    assert len(decisions.approvals) == 2, 'every call has an id of its own'
    agent.run_sync(message_history=messages, deferred_tool_results=decisions)
    assert RAN == [('wipe', 'tmp')]


@pytest.mark.parametrize('how', WAYS)
def test_the_events_and_the_history_agree_about_the_new_ids(how: str) -> None:
    requests, messages = asyncio.run(ended(wiping([wipe('/'), wipe('tmp'), wipe('x')]), how))
    assert [call.tool_call_id for call in requests.approvals] == ids(messages)
    assert len(set(ids(messages))) == 3
    assert ids(messages)[0] == 'c1', 'the first call keeps its id'


def test_streamed_parts_have_the_ids_that_the_history_has() -> None:
    async def main() -> tuple[list[str], list[str]]:
        seen: list[str] = []
        async with wiping([read('/'), read('tmp')]).iter('go') as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for event in stream:
                            if event.event_kind == 'part_end' and isinstance(event.part, ToolCallPart):
                                seen.append(event.part.tool_call_id)
        assert run.result is not None
        return seen, ids(run.result.all_messages())

    streamed, recorded = asyncio.run(main())
    assert streamed == recorded
    assert len(set(streamed)) == 2


@pytest.mark.parametrize('turned', [False, True])
def test_a_policy_decides_about_each_call_of_a_shared_id_by_itself(turned: bool) -> None:
    policy: ApprovalPolicy[None] = ApprovalPolicy()
    policy.allow('wipe', {'p': 'tmp'})
    policy.deny('wipe', {'p': '/'})
    calls = [wipe('/'), wipe('tmp')]
    wiping(calls[::-1] if turned else calls, capabilities=[policy]).run_sync('go')
    assert RAN == [('wipe', 'tmp')]


def test_a_policy_for_one_tool_does_not_reach_another_of_the_same_id() -> None:
    policy: ApprovalPolicy[None] = ApprovalPolicy()
    policy.allow('other')
    agent = wiping([ToolCallPart('other', {}, 'c1'), wipe('/')], capabilities=[policy])

    @agent.tool_plain(requires_approval=True)
    def other() -> str:
        RAN.append('other')
        return ''

    result = agent.run_sync('go')
    assert RAN == ['other']
    assert [call.tool_name for call in result.output.approvals] == ['wipe']


def test_a_policy_asks_a_person_about_requests_that_share_an_id() -> None:
    policy: ApprovalPolicy[None] = ApprovalPolicy()
    policy.allow('wipe', {'p': 'tmp'})
    requests = DeferredToolRequests(approvals=[wipe('tmp'), wipe('/')])
    context: Any = RunContext(deps=None, model=scripted(), usage=None)  # type: ignore[arg-type]
    assert asyncio.run(policy.handle_deferred_tool_calls(context, requests=requests)) is None


def test_a_tool_that_ran_and_one_that_waits_may_have_had_one_id() -> None:
    agent = wiping([read('x'), wipe('y')])
    first = agent.run_sync('go')
    (waiting,) = first.output.approvals
    results = first.output.build_results(approvals={waiting.tool_call_id: True})
    agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert RAN == [('read', 'x'), ('wipe', 'y')]


def test_an_old_decision_does_not_reach_a_later_call_of_the_same_id() -> None:
    agent = wiping([wipe('tmp', 'call_0')], [wipe('/', 'call_0')])
    first = agent.run_sync('go')
    decision = first.output.build_results(approve_all=True)
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=decision)
    assert [call.args for call in second.output.approvals] == [{'p': '/'}]
    for replayed in (decision, DeferredToolResults(approvals={'call_0': True})):
        with pytest.raises(UserError, match='call_0'):
            agent.run_sync(message_history=second.all_messages(), deferred_tool_results=replayed)
    assert RAN == [('wipe', 'tmp')]


def test_a_capability_cannot_approve_what_another_has_denied() -> None:
    def deny(ctx: RunContext[None], requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={'c1': False})

    def approve_everything(ctx: RunContext[None], requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={'c1': True, 'c2': True})

    capabilities = [HandleDeferredToolCalls(deny), HandleDeferredToolCalls(approve_everything)]
    wiping([wipe('/', 'c1'), wipe('tmp', 'c2')], capabilities=capabilities).run_sync('go')
    assert RAN == [('wipe', 'tmp')]


@pytest.mark.parametrize(
    'forged', [wipe('/'), ToolCallPart('wipe', '{"p": "/"}', 'c1'), ToolCallPart('wipe_all', {'p': 'tmp'}, 'c1')]
)
def test_an_approval_from_build_results_holds_for_the_tool_and_the_arguments_that_were_shown(
    forged: ToolCallPart,
) -> None:
    agent = wiping([wipe('tmp')])
    agent.tool_plain(requires_approval=True, name='wipe_all')(lambda p: RAN.append(('wipe_all', p)))
    first = agent.run_sync('go')
    stored = TypeAdapter(DeferredToolResults)
    decision = stored.validate_json(stored.dump_json(first.output.build_results(approve_all=True)))
    history = [*first.all_messages()[:-1], ModelResponse(parts=[forged])]
    with pytest.raises(UserError, match="'c1' was about another call"):
        agent.run_sync(message_history=history, deferred_tool_results=decision)
    assert RAN == []


def test_a_stored_history_may_write_the_arguments_in_another_way() -> None:
    agent = wiping([wipe('tmp')])
    first = agent.run_sync('go')
    history = [*first.all_messages()[:-1], ModelResponse(parts=[ToolCallPart('wipe', ' {"p" : "tmp"}', 'c1')])]
    agent.run_sync(message_history=history, deferred_tool_results=first.output.build_results(approve_all=True))
    assert RAN == [('wipe', 'tmp')]


@pytest.mark.parametrize('results', [{'approvals': {'c1': True}}, {'calls': {'c1': 'result'}}])
def test_a_decision_is_refused_where_a_forged_history_has_two_calls_of_its_id(results: Any) -> None:
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('go')]),
        ModelResponse(parts=[wipe('/'), wipe('t')]),
    ]
    with pytest.raises(UserError, match="2 calls have the id 'c1'"):
        wiping().run_sync(message_history=history, deferred_tool_results=DeferredToolResults(**results))
    assert RAN == []
    result = wiping().run_sync(message_history=history)
    assert len({call.tool_call_id for call in result.output.approvals}) == 2, 'asked again, each has its own'
    assert ids(history) == ['c1', 'c1'], 'the history of the caller is not changed'


def test_build_results_refuses_an_id_that_two_waiting_calls_have() -> None:
    requests = DeferredToolRequests(approvals=[wipe('/'), wipe('tmp')])
    with pytest.raises(ValueError, match=r"Several waiting calls have the tool call ids \['c1'\]"):
        requests.build_results(approvals={'c1': True})
    with pytest.raises(ValueError, match='Several waiting calls'):
        requests.build_results(approve_all=True)


def test_a_remembered_approval_holds_for_the_same_json_only() -> None:
    policy: ApprovalPolicy[None] = ApprovalPolicy()
    policy.allow('pay', {'n': 1})
    policy.allow('pay', {'n': True})
    context: Any = RunContext(deps=None, model=scripted(), usage=None)  # type: ignore[arg-type]
    decided = {
        args: policy.decide(ToolCallPart('pay', args, 'c'), context) is not None
        for args in ('{"n": 1}', '{"n": 1.0}', '{"n": true}', '{"n": "1"}', '{"n": 1, "m": 2}', '{"n":  1}')
    }
    assert [args for args, allowed in decided.items() if allowed] == ['{"n": 1}', '{"n": true}', '{"n":  1}']
    assert len(policy.rules) == 2, 'the second rule has not replaced the first'


# What is not a decision is not consent

NOT_DECISIONS = [None, 'yes', 'no', 0, 1, {}, {'kind': 'tool-approved'}, [True], object()]


@pytest.mark.parametrize('value', NOT_DECISIONS, ids=lambda value: type(value).__name__)
def test_what_is_no_decision_is_an_error_that_names_the_call(value: Any) -> None:
    agent = wiping([wipe('/')])
    first = agent.run_sync('go')
    with pytest.raises(UserError, match="'c1'"):
        agent.run_sync(
            message_history=first.all_messages(), deferred_tool_results=DeferredToolResults(approvals={'c1': value})
        )
    with pytest.raises(UserError, match="'c1'"):
        first.output.build_results(approvals={'c1': value})
    handled = wiping(
        [wipe('/')], capabilities=[HandleDeferredToolCalls(lambda _, __: DeferredToolResults(approvals={'c1': value}))]
    )
    with pytest.raises(UserError, match="'c1'"):
        handled.run_sync('go')
    assert RAN == []


@pytest.mark.parametrize('value', [True, {'c1': True}, 'yes', ToolApproved()], ids=repr)
def test_a_handler_that_returns_something_else_than_results_approves_nothing(value: Any) -> None:
    with pytest.raises(UserError, match='must return `DeferredToolResults`'):
        wiping([wipe('/')], capabilities=[HandleDeferredToolCalls(lambda _, __: value)]).run_sync('go')
    assert RAN == []


def test_none_as_the_result_of_an_external_call_is_a_result() -> None:
    agent = wiping([ToolCallPart('ext', {}, 'c1')], toolsets=[ExternalToolset([ToolDefinition(name='ext')])])
    first = agent.run_sync('go')
    results = DeferredToolResults(calls={'c1': None})
    assert agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results).output == 'done'


def test_a_call_that_is_executed_elsewhere_cannot_be_approved() -> None:
    external: ExternalToolset[None] = ExternalToolset([ToolDefinition(name='ext')])
    agent = wiping([ToolCallPart('ext', {}, 'c1'), read('x', 'c2')], toolsets=[external])
    agent.tool_plain(name='prepared', prepare=lambda _, tool: replace(tool, kind='external'))(lambda: RAN.append(1))
    for name in ('ext', 'prepared'):
        history: list[ModelMessage] = [
            ModelRequest(parts=[UserPromptPart('go')]),
            ModelResponse(parts=[read('x', 'c2'), ToolCallPart(name, {}, 'c1')]),
        ]
        results = DeferredToolResults(approvals={'c1': True}, calls={'c2': 1})
        with pytest.raises(UserError, match=rf"'c1' of '{name}' was approved, but the tool is executed outside"):
            agent.run_sync(message_history=history, deferred_tool_results=results)
    assert RAN == [], 'and nothing beside it has run'


# Every way to a tool asks


def dispatching(name: str, capabilities: Any = (), **fields: Any) -> Agent[None, Any]:
    """Return an agent whose tool `code` makes a call of another tool itself."""
    external: ExternalToolset[None] = ExternalToolset([ToolDefinition(name='ext')])
    agent = wiping([ToolCallPart('code', {}, 'c1')], capabilities=capabilities, toolsets=[external])

    @agent.tool
    async def code(ctx: RunContext[None]) -> str:
        manager: Any = ctx.tool_manager
        return str(await manager.handle_call(ToolCallPart(name, {}, 'inner'), **fields))

    return agent


def answering(**results: Any) -> HandleDeferredToolCalls[None]:
    return HandleDeferredToolCalls(lambda _, __: DeferredToolResults(**results))


def test_a_tool_that_calls_a_tool_is_asked_first() -> None:
    result = dispatching('wipe').run_sync('go')
    assert [call.tool_name for call in result.output.approvals] == ['code'], 'the call that makes it waits'
    assert RAN == []


@pytest.mark.parametrize(
    ('decision', 'ran', 'text'),
    [(False, [], 'denied'), (ToolDenied('no'), [], 'no'), (True, [('wipe', '/')], 'wiped /')],
)
def test_a_handler_decides_about_calls_that_tools_make(decision: Any, ran: list[Any], text: str) -> None:
    agent = dispatching('wipe', [answering(approvals={'inner': decision})])
    assert text in returns(agent.run_sync('go').all_messages())[0]
    assert ran == RAN


def test_the_approval_of_a_tool_does_not_reach_the_calls_it_makes() -> None:
    agent = dispatching('wipe')
    first = agent.run_sync('go')
    results = first.output.build_results(approve_all=True)
    second = agent.run_sync(message_history=first.all_messages(), deferred_tool_results=results)
    assert [call.tool_name for call in second.output.approvals] == ['code']
    assert RAN == []


def test_a_call_that_a_tool_makes_is_asked_about_under_an_id_of_its_own() -> None:
    ids_asked_about: list[str] = []

    def decide(ctx: RunContext[None], requests: DeferredToolRequests) -> DeferredToolResults:
        ids_asked_about.extend(call.tool_call_id for call in requests.approvals)
        return DeferredToolResults(
            approvals={call.tool_call_id: len(ids_asked_about) == 1 for call in requests.approvals}
        )

    agent = wiping(
        [ToolCallPart('code', {}, 'c1'), ToolCallPart('wipe', {}, 'inner')],
        capabilities=[HandleDeferredToolCalls(decide)],
    )

    @agent.tool
    async def code(ctx: RunContext[None]) -> str:
        manager: Any = ctx.tool_manager
        return str(await manager.handle_call(ToolCallPart('wipe', {}, 'inner')))

    messages = agent.run_sync('go').all_messages()
    assert len(ids_asked_about) == len(set(ids_asked_about)) == 2, 'a decision that is kept by id holds for one of them'
    assert 'inner' in ids_asked_about
    assert len(RAN) == 1
    assert sorted(returns(messages)) == ['The tool call was denied.', 'wiped /']


def test_an_external_tool_that_a_tool_calls_is_answered_by_a_handler() -> None:
    assert returns(dispatching('ext', [answering(calls={'inner': 'elsewhere'})]).run_sync('go').all_messages()) == [
        'elsewhere'
    ]
    assert [call.tool_name for call in dispatching('ext').run_sync('go').output.calls] == ['code']
    with pytest.raises(UserError, match="'inner' of 'ext' was approved"):
        dispatching('ext', [answering(approvals={'inner': True})]).run_sync('go')


@pytest.mark.parametrize(
    'answer', [RetryPromptPart('again', tool_name=''), RetryPromptPart('again'), ModelRetry('again')]
)
def test_a_retry_for_a_call_that_a_tool_makes_names_that_call(answer: Any) -> None:
    caught: list[RetryPromptPart] = []
    agent = wiping([ToolCallPart('code', {}, 'c1')], capabilities=[answering(approvals={}, calls={'inner': answer})])

    @agent.tool
    async def code(ctx: RunContext[None]) -> str:
        manager: Any = ctx.tool_manager
        try:
            return await manager.handle_call(wipe('/', 'inner'))
        except ToolRetryError as error:
            caught.append(error.tool_retry)
            return 'caught'

    agent.run_sync('go')
    assert [(part.tool_name, part.tool_call_id, part.content) for part in caught] == [('wipe', 'inner', 'again')]
    assert RAN == []


def test_a_validated_call_is_not_an_approved_call() -> None:
    async def steal(ctx: RunContext[None]) -> str:
        manager: Any = ctx.tool_manager
        validated = await manager.validate_tool_call(wipe('/', 'inner'))
        ctx.tool_call_approved = True
        validated.ctx = ctx  # the context of another call, which was approved
        return await manager.execute_tool_call(validated)

    agent = wiping([ToolCallPart('steal', {}, 'c1')])
    agent.tool(steal)
    assert [call.tool_name for call in agent.run_sync('go').output.approvals] == ['steal']
    assert RAN == []


def drop_kind(ctx: RunContext[Any], tool: ToolDefinition) -> ToolDefinition:
    return ToolDefinition(name=tool.name, parameters_json_schema=tool.parameters_json_schema)


class Forgets(WrapperToolset[Any]):
    """A toolset of somebody else that builds definitions of its own."""

    async def get_tools(self, ctx: RunContext[Any]) -> Any:
        tools = await super().get_tools(ctx)
        return {name: replace(tool, tool_def=drop_kind(ctx, tool.tool_def)) for name, tool in tools.items()}


def guarded() -> FunctionToolset[Any]:
    tools: FunctionToolset[Any] = FunctionToolset()
    tools.add_function(lambda p: RAN.append(('wipe', p)), name='wipe', requires_approval=True, takes_ctx=False)
    return tools


def with_prepare() -> Any:
    tools: FunctionToolset[Any] = FunctionToolset()
    tools.add_function(
        lambda p: RAN.append(('wipe', p)), name='wipe', requires_approval=True, takes_ctx=False, prepare=drop_kind
    )
    return {'toolsets': [tools]}


LISTINGS: dict[str, Callable[[], dict[str, Any]]] = {
    'prepare': with_prepare,
    'prepared': lambda: {'toolsets': [guarded().prepared(lambda ctx, tools: [drop_kind(ctx, tool) for tool in tools])]},
    'PrepareTools': lambda: {
        'toolsets': [guarded()],
        'capabilities': [PrepareTools(lambda ctx, tools: [drop_kind(ctx, tool) for tool in tools])],
    },
    'a wrapper': lambda: {'toolsets': [Forgets(guarded())]},
}


@pytest.mark.parametrize('listing', LISTINGS)
def test_a_listing_cannot_take_the_approval_away_from_a_tool(listing: str) -> None:
    agent: Agent[None, Any] = Agent(
        scripted([wipe('/')]), output_type=[str, DeferredToolRequests], **LISTINGS[listing]()
    )
    first = agent.run_sync('go')
    assert RAN == []
    agent.run_sync(
        message_history=first.all_messages(), deferred_tool_results=first.output.build_results(approve_all=True)
    )
    assert RAN == [('wipe', '/')]


def test_a_listing_can_make_calls_wait() -> None:
    agent = wiping([read('x')])
    agent.tool_plain(name='more', prepare=lambda _, tool: replace(tool, kind='unapproved'))(lambda: RAN.append('more'))
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('go')]),
        ModelResponse(parts=[ToolCallPart('more', {}, 'c1')]),
    ]
    assert [call.tool_name for call in agent.run_sync(message_history=history).output.approvals] == ['more']
    assert RAN == []


# Streams


@pytest.mark.parametrize('order', [['wipe', 'asks', 'later'], ['asks', 'later', 'wipe'], ['later', 'wipe', 'asks']])
def test_a_stream_asks_about_every_call_that_waits(order: list[str]) -> None:
    agent = wiping([ToolCallPart(name, {}, name) for name in order])

    @agent.tool
    def asks(ctx: RunContext[None]) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={'why': 'cost'})
        RAN.append('asks')
        return ''

    @agent.tool_plain
    def later() -> str:
        raise CallDeferred

    async def outputs() -> list[Any]:
        async with agent.run_stream('go') as streamed:
            return [output async for output in streamed.stream_output(debounce_by=None)]

    requests, messages = asyncio.run(ended(agent, 'run_stream'))
    assert asyncio.run(outputs())[-1] == requests, 'a reader of the outputs comes to the same'
    assert sorted(call.tool_name for call in requests.approvals) == ['asks', 'wipe']
    assert [call.tool_name for call in requests.calls] == ['later']
    assert requests.metadata == {'asks': {'why': 'cost'}}
    assert RAN == []
    results = requests.build_results(approve_all=True, calls={'later': 'x'})
    assert agent.run_sync(message_history=messages, deferred_tool_results=results).output == 'done'
    assert sorted(map(str, RAN)) == ["('wipe', '/')", 'asks']


def broken_off(args: list[str | None]) -> tuple[Agent[None, Any], Any]:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        if len(messages) > 1:
            yield 'done'
            return
        for piece in args:
            yield {0: DeltaToolCall('read' if piece is args[0] else None, piece, tool_call_id='c1')}
        raise RuntimeError('connection lost')

    agent = wiping()
    agent.model = FunctionModel(lambda _, __: ModelResponse(parts=[TextPart('done')]), stream_function=stream)
    return agent, None


@pytest.mark.parametrize('args', [[''], [None], ['{"p"'], ['{"p": "tm'], ['nul']], ids=repr)
@pytest.mark.parametrize('prompt', [None, 'more'])
def test_a_call_that_was_half_received_is_never_executed(args: list[str | None], prompt: str | None) -> None:
    agent, _ = broken_off(args)

    async def main() -> list[ModelMessage]:
        try:
            async with agent.run_stream_events('go') as events:
                async for _ in events:
                    pass
        except RuntimeError as error:
            return error.messages  # type: ignore[attr-defined]
        raise AssertionError('the stream breaks off')

    messages = asyncio.run(main())
    result = agent.run_sync(prompt, message_history=messages)
    assert RAN == []
    assert returns(result.all_messages()) == ['Tool not executed - the run was interrupted.']
    with pytest.raises(UserError, match='broke off'):
        agent.run_sync(message_history=messages, deferred_tool_results=DeferredToolResults(approvals={'c1': True}))
    assert RAN == []


@pytest.mark.parametrize('args', [{}, '', None, {'p': 'x'}, '{"p": "x"}'], ids=repr)
def test_a_response_that_came_whole_is_told_apart_from_one_that_broke_off(args: Any) -> None:
    begun = asyncio.Event()

    async def main() -> list[ModelMessage]:
        agent: Agent[None, str] = Agent(scripted([ToolCallPart('slow', args, 'c1')]))

        @agent.tool_plain
        async def slow(p: str = '/') -> str:
            begun.set()
            await asyncio.Event().wait()
            return p

        async with agent.iter('go') as run:
            await run.next(run.next_node)  # type: ignore[arg-type]
            await run.next(run.next_node)  # type: ignore[arg-type]
        return run.all_messages()

    messages = asyncio.run(main())
    continued: Agent[None, str] = Agent(scripted([]))
    continued.tool_plain(name='slow')(lambda p='/': RAN.append(p))
    continued.run_sync(message_history=messages)
    assert RAN == ['x' if args and 'p' in str(args) else '/']


@pytest.mark.parametrize('strategy', ['graceful', 'exhaustive'])
def test_a_call_that_waits_beside_a_final_result_is_answered(strategy: Any) -> None:
    calls = [ToolCallPart('later', {}, 'c1'), ToolCallPart('fin', {'x': 1}, 'c2'), wipe('/', 'c3')]
    agent = wiping(calls, output_type=ToolOutput(lambda x: x, name='fin'), end_strategy=strategy)  # type: ignore[arg-type]

    @agent.tool_plain
    def later() -> str:
        raise CallDeferred

    messages = agent.run_sync('go').all_messages()
    answered = [part.tool_call_id for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
    assert sorted(answered) == ['c1', 'c2', 'c3']
    assert RAN == []


def test_calls_that_a_program_puts_into_a_response_get_ids_of_their_own() -> None:
    async def main() -> list[str]:
        agent = wiping([read('a', 'c1')])
        async with agent.iter('go') as run:
            node: Any = await run.next(await run.next(run.next_node))  # type: ignore[arg-type]
            node.model_response.parts = [read('a', 'c1'), read('b', 'c1')]
            await run.next(node)
            answers = run.all_messages()[-1].parts
            return [str(part.tool_call_id) for part in answers]  # type: ignore[union-attr]

    ids = asyncio.run(main())
    assert len(RAN) == 2
    assert len(set(ids)) == 2 and ids[0] == 'c1'
