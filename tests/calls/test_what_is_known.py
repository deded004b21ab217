"""Calls that fail, break off or wait: what is counted, what is noted, and what the history says of them afterwards."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter, field_validator

from stead import (
    Agent,
    ApprovalRequired,
    BinaryImage,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
    Tool,
    ToolOutput,
    UsageLimits,
    capture_run_messages,
)
from stead.capabilities import HandleDeferredToolCalls
from stead.exceptions import ToolRetryError, UnexpectedModelBehavior
from stead.messages import FilePart, ModelResponse
from stead.output import OutputSchema
from tests.loop.kit import script, text
from tests.output.kit import IMAGES

from .kit import call, context, managing, wait

NOT_EXECUTED = 'Tool not executed - the run was interrupted.'
MAY_HAVE_RUN = 'Tool result unknown - the run was interrupted while the tool was called, so it may have run.'


class Picky(BaseModel):
    n: int

    @field_validator('n')
    @classmethod
    def check(cls, n: int) -> int:
        if n < 0:
            raise RuntimeError('the validator is broken')
        return n


def fails(picky: Picky) -> None:
    raise RuntimeError('the function is broken')


def answers_after(messages: Any) -> list[Any]:
    """Return what a run that goes on says of the calls that were open, and its prompt."""
    later = Agent(script(text('done'))).run_sync('never mind', message_history=messages).all_messages()
    return [part.content for part in later[-2].parts]


@pytest.mark.parametrize(('n', 'answer'), [(1, MAY_HAVE_RUN), (-1, NOT_EXECUTED)])
def test_an_output_call_that_ended_the_run_may_have_run_if_its_function_was_called(n: int, answer: str) -> None:
    agent = Agent(script([call('fails', {'n': n})]), output_type=ToolOutput(fails, name='fails'))
    with pytest.raises(RuntimeError) as caught:
        agent.run_sync('go')
    messages: Any = caught.value.messages  # type: ignore[attr-defined]
    assert answers_after(messages) == [answer, 'never mind']


def test_an_output_call_that_is_cancelled_may_have_run() -> None:
    begun = asyncio.Event()

    async def slow(n: int) -> None:
        begun.set()
        await asyncio.sleep(60)

    agent = Agent(script([call('slow', {'n': 1})]), output_type=ToolOutput(slow, name='slow'))

    async def main() -> list[Any]:
        with capture_run_messages() as messages:
            task = asyncio.create_task(agent.run('go'))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return messages

    assert [part.content for part in wait(main())[-1].parts] == [MAY_HAVE_RUN]


def test_calls_without_a_decision_do_not_count_as_calls() -> None:
    def wipe(disk: int) -> str:
        return f'wiped {disk}'

    def only_the_first(ctx: RunContext[Any], requests: DeferredToolRequests) -> DeferredToolResults:
        return requests.build_results(approvals={'first': True})

    agent = Agent(
        script([call('wipe', {'disk': 1}, 'first'), call('wipe', {'disk': 2}, 'second')]),
        tools=[Tool(wipe, requires_approval=True)],
        output_type=[str, DeferredToolRequests],
        capabilities=[HandleDeferredToolCalls(only_the_first)],
    )
    result = agent.run_sync('go', usage_limits=UsageLimits(tool_calls_limit=1))
    assert isinstance(result.output, DeferredToolRequests)
    assert [item.tool_call_id for item in result.output.approvals] == ['second']
    assert result.usage.tool_calls == 1


def test_a_call_that_only_asked_is_given_back_once() -> None:
    def wipe(ctx: RunContext[Any]) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired
        return 'wiped'

    async def main() -> list[Any]:
        manager = await managing(Tool(wipe, max_calls=1))
        with pytest.raises(ApprovalRequired):
            await manager.handle_call(call('wipe'))
        results = [await manager.handle_call(call('wipe'), approved=True) for _ in range(2)]
        return [getattr(result, 'content', result) for result in results]

    assert wait(main()) == ['wiped', "Tool 'wipe' was called once, which is its limit. Do without it."]


def stops() -> None:
    raise StopAsyncIteration


def misbehaves() -> None:
    raise UnexpectedModelBehavior('another model')


def misreads() -> None:
    try:
        TypeAdapter(int).validate_python('x')
    except ValueError as error:
        raise LookupError('no number') from error


@pytest.mark.parametrize(
    ('tool', 'error'), [(stops, RuntimeError), (misbehaves, UnexpectedModelBehavior), (misreads, LookupError)]
)
def test_an_error_that_ends_the_run_says_which_tool_raised_it(tool: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        Agent(script([call(tool.__name__)]), tools=[tool]).run_sync('go')
    notes = caught.value.__notes__  # type: ignore[attr-defined]
    assert any(f"Tool '{tool.__name__}' raised {error.__name__} on attempt 1 of 2" in note for note in notes)


def test_a_model_that_used_up_its_tries_is_not_the_error_of_a_tool() -> None:
    def again() -> None:
        raise ModelRetry('again')

    with pytest.raises(UnexpectedModelBehavior) as caught:
        Agent(script([call('again')]), tools=[again]).run_sync('go')
    assert not any('raised' in note for note in getattr(caught.value, '__notes__', ()))


@pytest.mark.parametrize('other', [{'tool_call_id': 'other'}, {'tool_name': 'other'}])
def test_an_approval_is_for_the_call_that_was_approved(other: Any) -> None:
    async def main() -> None:
        manager = await managing(Tool(lambda: 'wiped', name='wipe', requires_approval=True))
        validated = await manager.validate_tool_call(call('wipe'), approved=True)
        assert await manager.execute_tool_call(validated) == 'wiped'
        with pytest.raises(ApprovalRequired):
            await manager.execute_tool_call(replace(validated, call=replace(validated.call, **other)))

    wait(main())


def test_what_comes_with_an_approval_reaches_the_tool() -> None:
    def why(ctx: RunContext[Any]) -> Any:
        return ctx.tool_call_metadata

    async def main() -> list[Any]:
        manager = await managing(why)
        validated = await manager.validate_tool_call(call('why'), approved=True, metadata={'by': 'me'})
        return [validated.ctx.tool_call_metadata, await manager.execute_tool_call(validated)]

    assert wait(main()) == [{'by': 'me'}, {'by': 'me'}]


def test_an_output_function_that_asks_again_is_wrapped_for_the_model_or_raised_as_it_is() -> None:
    def refuses(n: int) -> None:
        raise ModelRetry('no')

    schema = OutputSchema.build(ToolOutput(refuses, name='refuses'))

    async def main(wrap: bool) -> None:
        manager = await managing(toolset=schema.toolset, ctx=context(max_retries=3))
        refused_call = call('refuses', {'n': 1})
        await manager.handle_output_tool_call(refused_call, schema=schema, wrap_validation_errors=wrap)

    with pytest.raises(ToolRetryError):
        wait(main(True))
    with pytest.raises(ModelRetry):
        wait(main(False))


def test_an_output_tool_can_be_called_like_any_other() -> None:
    schema = OutputSchema.build(ToolOutput(int, name='number'))

    async def main() -> Any:
        manager = await managing(toolset=schema.toolset)
        return await manager.handle_call(call('number', {'response': 3}))

    assert wait(main()) == 3


def test_an_image_that_is_refused_is_asked_for_again() -> None:
    images = [ModelResponse(parts=[FilePart(BinaryImage(data, media_type='image/png'))]) for data in (b'1', b'22')]
    agent: Agent[Any, BinaryImage] = Agent(script(*images, profile=IMAGES), output_type=BinaryImage)

    @agent.output_validator
    def large(image: BinaryImage) -> BinaryImage:
        if len(image.data) < 2:
            raise ModelRetry('too small')
        return image

    result = agent.run_sync('go')
    assert result.output.data == b'22'
    assert [part.content for part in result.all_messages()[2].parts] == ['too small']  # type: ignore[union-attr]
