"""Calls beside a final result, calls that wait beside others, and what readers of events learn of them."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from stead import (
    Agent,
    ApprovalRequired,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolset,
    ModelRetry,
    RunContext,
    Tool,
    ToolOutput,
    ToolReturn,
    UsageLimits,
)
from stead.capabilities import HandleDeferredToolCalls, Hooks
from stead.exceptions import (
    IncompleteToolCall,
    SkipToolExecution,
    ToolRetryError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)
from stead.messages import (
    FunctionToolResultEvent,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.test import TestModel
from stead.output import OutputSchema
from stead.tool_manager import ToolManager
from tests.loop.kit import script, text
from tests.streaming.kit import call as pieces, script as streamed

from .kit import call, context, managing, wait

SKIPPED = 'Tool not executed - a final result was already processed.'


class One(BaseModel):
    n: int


class Two(BaseModel):
    n: int


def answers(messages: Any) -> list[tuple[str, Any]]:
    """Return the answers in the last request, with the ids of their calls."""
    return [(part.tool_call_id, part.content) for part in messages[-1].parts]


def test_an_approved_call_beside_a_final_result_does_not_run() -> None:
    ran: list[str] = []

    def wipe() -> None:
        ran.append('wiped')

    agent = Agent(
        script(text('unused')),
        output_type=[ToolOutput(One, name='one'), DeferredToolRequests],
        tools=[Tool(wipe, requires_approval=True)],
    )
    open_calls = ModelResponse(parts=[call('one', {'n': 1}), call('wipe')])
    result = agent.run_sync(
        message_history=[ModelRequest(parts=[UserPromptPart('go')]), open_calls],
        deferred_tool_results=DeferredToolResults(approvals={'id_wipe': True}, calls={'id_one': 'unused'}),
    )
    assert result.output == One(n=1)
    assert answers(result.all_messages()) == [('id_one', 'Final result processed.'), ('id_wipe', SKIPPED)]
    assert ran == []


def test_calls_that_wait_again_are_requested_in_the_order_of_the_response() -> None:
    def order(ctx: RunContext[Any]) -> None:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        raise CallDeferred

    listed, itself = Tool(order, name='listed', requires_approval=True), Tool(order, name='itself')
    agent = Agent(
        script([call('listed'), call('itself')]), output_type=[str, DeferredToolRequests], tools=[listed, itself]
    )
    first = agent.run_sync('go')
    second = agent.run_sync(
        message_history=first.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={'id_itself': True, 'id_listed': True}),
    )
    assert isinstance(second.output, DeferredToolRequests)
    assert [item.tool_name for item in second.output.calls] == ['listed', 'itself']


@pytest.mark.parametrize(
    ('n', 'answer'),
    [
        (2, 'Output tool not used - output function execution failed.'),
        ('many', 'Output tool not used - output failed validation.'),
    ],
)
def test_a_second_output_without_a_retry_left_says_what_was_wrong(n: Any, answer: str) -> None:
    def refused(two: Two) -> Two:
        raise ModelRetry('no')

    outputs: Any = [ToolOutput(One, name='one'), ToolOutput(refused, name='two', max_retries=0)]
    agent = Agent(
        script([call('one', {'n': 1}), call('two', {'n': n})]),
        output_type=outputs,
        end_strategy='exhaustive',
        retries={'output': 0},
    )
    expected = [('id_one', 'Final result processed.'), ('id_two', answer)]
    assert answers(agent.run_sync('go').all_messages()) == expected


def test_a_call_of_a_tool_that_is_gone_is_answered_once() -> None:
    agent = Agent(script(text('done')), tools=[Tool(lambda: 'here', name='here')])
    history = [
        ModelRequest(parts=[UserPromptPart('go')]),
        ModelResponse(parts=[call('gone'), call('here')]),
        ModelRequest(parts=[RetryPromptPart('Unknown.', tool_name='gone', tool_call_id='id_gone')]),
    ]
    messages = agent.run_sync(message_history=history).all_messages()
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    assert [part.tool_call_id for part in parts if isinstance(part, (RetryPromptPart, ToolReturnPart))] == [
        'id_gone',
        'id_here',
    ]


def test_the_event_of_a_result_has_the_content_that_follows_it() -> None:
    def look() -> ToolReturn:
        return ToolReturn('seen', content=['a picture', 'of a cat'])

    def plain() -> str:
        return 'plain'

    async def main() -> list[tuple[str, Any]]:
        async with Agent(TestModel(), tools=[look, plain]).run_stream_events('go') as events:
            results = [event async for event in events if isinstance(event, FunctionToolResultEvent)]
        return sorted((str(event.part.tool_name), event.content) for event in results)

    assert asyncio.run(main()) == [('look', ['a picture', 'of a cat']), ('plain', None)]


def test_a_limit_still_holds_after_a_call_of_the_same_tool() -> None:
    now = peak = 0

    async def work() -> None:
        nonlocal now, peak
        now += 1
        peak = max(peak, now)
        for _ in range(5):
            await asyncio.sleep(0)
        now -= 1

    async def main() -> None:
        manager = await managing(toolset=FunctionToolset([Tool(work, max_tool_concurrency=1)]))
        await manager.handle_call(call('work'))
        await asyncio.gather(*(manager.handle_call(call('work', call_id=f'c{n}')) for n in range(3)))

    wait(main())
    assert peak == 1


def test_an_output_that_is_still_growing_uses_up_no_retry() -> None:
    def even(ctx: RunContext[Any], n: int) -> int:
        if n % 2:
            raise ModelRetry('odd')
        return n

    schema = OutputSchema.build(ToolOutput(even, name='even', max_retries=1))

    async def main() -> int:
        manager = await managing(toolset=schema.toolset)
        for n in (1, 3, 5):
            with pytest.raises(ToolRetryError) as caught:
                await manager.handle_output_tool_call(call('even', {'n': n}), schema=schema, allow_partial=True)
            assert caught.value.tool_retry.content == 'odd'
        manager = await manager.for_run_step(context(run_step=2))
        assert manager.ctx is not None
        return manager.ctx.retries.get('even', 0)

    assert wait(main()) == 0


@pytest.mark.parametrize('error', [ApprovalRequired, CallDeferred])
def test_no_one_is_asked_about_a_call_that_waits_beside_a_final_result(error: Any) -> None:
    requests_seen: list[DeferredToolRequests] = []

    def waits() -> None:
        raise error

    def decide(ctx: RunContext[Any], requests: DeferredToolRequests) -> None:
        requests_seen.append(requests)

    agent = Agent(
        streamed([*pieces('one', {'n': 1}), *pieces('waits', index=1)]),
        output_type=[ToolOutput(One, name='one'), DeferredToolRequests],
        tools=[waits],
        capabilities=[HandleDeferredToolCalls(decide)],
        end_strategy='graceful',
    )

    async def main() -> list[Any]:
        async with agent.run_stream_events('go') as stream:
            return [event async for event in stream]

    events = wait(main())
    result = events[-1].result
    assert result.output == One(n=1)
    assert requests_seen == []
    assert answers(result.all_messages()) == [('id_one_0', 'Final result processed.'), ('id_waits_1', SKIPPED)]
    read = [event for event in events if isinstance(event, FunctionToolResultEvent)]
    assert [(event.tool_call_id, event.part.content) for event in read] == [('id_waits_1', SKIPPED)]
    again = agent.run_sync('go on', message_history=result.all_messages()).all_messages()
    calls = [part.tool_call_id for part in again[-2].parts if isinstance(part, ToolCallPart)]
    assert calls == [call_id for call_id, _ in answers(again)], (
        'an answered call keeps its id, although it was used before'
    )


def test_what_is_wrong_with_arguments_is_told_without_what_pydantic_knows_beyond_it() -> None:
    def order(n: Annotated[int, Field(gt=0)]) -> None:
        raise AssertionError('it is not called')

    messages = Agent(script([call('order', {'n': 0})], text('done')), tools=[order]).run_sync('go').all_messages()
    assert answers(messages[:3]) == [
        ('id_order', [{'type': 'greater_than', 'loc': ('n',), 'msg': 'Input should be greater than 0', 'input': 0}])
    ]


@pytest.mark.parametrize(
    ('finish_reason', 'error'), [('length', IncompleteToolCall), ('stop', UnexpectedModelBehavior)]
)
def test_a_broken_call_is_called_cut_off_only_if_the_response_was(finish_reason: Any, error: type[Exception]) -> None:
    def order(n: int) -> None:
        raise AssertionError('it is not called')

    broken = ModelResponse(parts=[call('order', '{"n": ')], finish_reason=finish_reason)
    with pytest.raises(UnexpectedModelBehavior) as caught:
        Agent(script(broken), tools=[Tool(order, max_retries=0)]).run_sync('go')
    assert type(caught.value) is error


def test_calls_of_unknown_tools_may_fail_once_if_nothing_else_was_said() -> None:
    async def main() -> None:
        manager: ToolManager[Any] = await ToolManager(FunctionToolset[Any]([])).for_run_step(context(run_step=1))
        with pytest.raises(ToolRetryError):
            await manager.handle_call(call('gone'))
        manager = await manager.for_run_step(context(run_step=2))
        with pytest.raises(UnexpectedModelBehavior, match="Tool 'gone' exceeded max retries count of 1"):
            await manager.handle_call(call('gone'))

    wait(main())


def test_a_handler_that_is_not_loaded_is_not_asked_about_calls_that_wait() -> None:
    def decide(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults:
        raise AssertionError('it is not loaded')

    def waits() -> None:
        raise ApprovalRequired

    handler = HandleDeferredToolCalls[Any](decide)
    handler.id, handler.description, handler.defer_loading = 'handler', 'Decides.', True
    agent = Agent(
        script([call('waits')]), output_type=[str, DeferredToolRequests], tools=[waits], capabilities=[handler]
    )
    assert isinstance(agent.run_sync('go').output, DeferredToolRequests)


@pytest.mark.parametrize('max_calls', [None, 5])
@pytest.mark.parametrize('hooked', [False, True])
def test_a_tool_without_a_retry_left_ends_the_run_whatever_its_errors_lead_to(hooked: bool, max_calls: Any) -> None:
    hooks = Hooks[Any]()
    if hooked:
        hooks.on.after_tool_execute(lambda ctx, *, call, tool_def, args, result: result)

    def again() -> None:
        raise ModelRetry('again')

    tool = Tool(again, max_retries=0, on_tool_error='inform', max_calls=max_calls)
    with pytest.raises(UnexpectedModelBehavior, match="Tool 'again' exceeded max retries count of 0"):
        Agent(script([call('again')], text('done')), tools=[tool], capabilities=[hooks]).run_sync('go')


def test_an_error_of_a_tool_with_a_limit_is_raised_as_it_is() -> None:
    def fails() -> None:
        raise OSError('disk full')

    with pytest.raises(OSError, match='disk full'):
        Agent(script([call('fails')]), tools=[Tool(fails, max_calls=3)]).run_sync('go')


@pytest.mark.parametrize(('options', 'valid'), [({}, False), ({'allow_partial': True}, True)])
def test_output_that_breaks_off_is_valid_only_where_that_is_allowed(options: Any, valid: bool) -> None:
    schema = OutputSchema.build(ToolOutput(list[int], name='numbers'))
    cut_off = call('numbers', '{"response": [1, 2,')

    async def main() -> None:
        manager = await managing(toolset=schema.toolset)
        validated = await manager.validate_output_tool_call(cut_off, schema=schema, **options)
        assert (validated.call, validated.args_valid) == (cut_off, valid)
        if valid:
            assert await manager.handle_output_tool_call(cut_off, schema=schema, **options) == [1, 2]
        else:
            with pytest.raises(ToolRetryError):
                await manager.handle_output_tool_call(cut_off, schema=schema, **options)

    wait(main())


def test_a_tool_without_calls_left_changes_nothing_for_the_others() -> None:
    def once(n: int) -> int:
        return n

    def often(n: int) -> int:
        return n

    steps = [[call('once', {'n': 1})], [call('once', {'n': 'wrong'}), call('often', {'n': 2})], text('done')]
    agent = Agent(script(*steps), tools=[Tool(once, max_calls=1), often])
    assert dict(answers(agent.run_sync('go').all_messages()[:5])) == {
        'id_once': "Tool 'once' was called once, which is its limit. Do without it.",
        'id_often': 2,
    }


def test_a_manager_of_the_next_step_is_like_the_one_before() -> None:
    def again() -> None:
        raise ModelRetry('again')

    root = Hooks[Any]()
    schema = OutputSchema.build(ToolOutput(One, name='one'))

    async def main() -> None:
        manager = await managing(again, root_capability=root)
        assert manager.root_capability is root
        with pytest.raises(ToolRetryError):
            await manager.execute_tool_call(await manager.validate_tool_call(call('again')))
        validated = await manager.validate_output_tool_call(call('gone'), schema=schema)
        assert validated.validation_error is not None
        assert validated.validation_error.tool_retry.content == "Unknown tool name: 'gone'. Available tools: 'again'"
        with pytest.raises(ModelRetry, match='Unknown tool name'):
            await manager.validate_output_tool_call(call('gone'), schema=schema, wrap_validation_errors=False)

    wait(main())


@pytest.mark.parametrize('hook', ['before_tool_execute', 'tool_execute', 'after_tool_execute', 'tool_execute_error'])
def test_every_hook_of_a_tool_may_skip_it_with_a_result(hook: str) -> None:
    hooks = Hooks[Any]()

    async def skip(ctx: Any, **subject: Any) -> Any:
        raise SkipToolExecution('skipped')

    getattr(hooks.on, hook)(skip)

    def tool() -> str:
        if hook == 'tool_execute_error':
            raise OSError('disk full')
        return 'done'

    messages = (
        Agent(script([call('tool')], text('done')), tools=[tool], capabilities=[hooks]).run_sync('go').all_messages()
    )
    assert answers(messages[:3]) == [('id_tool', 'skipped')]


def test_what_a_tool_adds_is_said_once_also_if_another_call_is_approved_afterwards() -> None:
    def tells() -> ToolReturn[str]:
        return ToolReturn('told', content='see this')

    def wipe() -> str:
        return 'wiped'

    def approve(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults:
        return requests.build_results(approve_all=True)

    agent = Agent(
        script([call('tells'), call('wipe')], text('done')),
        tools=[tells, Tool(wipe, requires_approval=True)],
        capabilities=[HandleDeferredToolCalls(approve)],
    )
    request = agent.run_sync('go').all_messages()[2]
    assert sorted(str(part.content) for part in request.parts) == ['see this', 'told', 'wiped']


def test_a_response_may_have_as_many_calls_as_the_limit_says() -> None:
    def look() -> str:
        return 'looked'

    def running(limit: int | None) -> Any:
        model = script([call('look', call_id='a'), call('look', call_id='b')], text('done'))
        limits = UsageLimits(tool_calls_per_response_limit=limit)
        return Agent(model, tools=[look]).run_sync('go', usage_limits=limits).output

    assert (running(2), running(None)) == ('done', 'done')
    with pytest.raises(UsageLimitExceeded, match='tool_calls_per_response_limit'):
        running(1)
