"""Results of streams after they were read: copies, second readers, cancelling, and calls that wait; in every way to stream."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, DeferredToolRequests, RunContext, UserError
from stead.capabilities import HandleDeferredToolCalls
from stead.result import StreamedRunResult
from stead.usage import RunUsage

from .kit import call, script

UNTIL: list[Any] = ['final-result', 'end']
ROW = call('final_result', {'n': 3, 'k': [1]})


class Row(BaseModel):
    n: int
    k: list[int] = []


class Connection:
    """Cannot be copied."""

    def __deepcopy__(self, memo: object) -> Any:
        raise TypeError('not this')


@pytest.mark.parametrize('until', UNTIL)
async def test_each_reader_has_an_output_of_its_own(until: Any):
    async with Agent(script(ROW), output_type=Row).run_stream('q', until=until) as result:
        async for row in result.stream_output(debounce_by=None):
            row.k.append(7)
        first = await result.get_output()
        first.k.append(8)
        assert await result.get_output() == Row(n=3, k=[1])
        assert [row async for row in result.stream_output()] == [Row(n=3, k=[1])]


@pytest.mark.parametrize('until', UNTIL)
async def test_an_output_that_cannot_be_copied_is_shared(until: Any):
    def connect(n: int) -> Connection:
        return Connection()

    async with Agent(script(call('final_result', {'n': 3})), output_type=connect).run_stream(
        'q', until=until
    ) as result:
        first = await result.get_output()
        assert isinstance(first, Connection)
        assert await result.get_output() is first


@pytest.mark.parametrize('delta', [False, True])
@pytest.mark.parametrize('debounce_by', [None, 0.001])
@pytest.mark.parametrize('until', UNTIL)
async def test_a_second_reader_of_text_gets_the_output_and_validators_run_once(
    until: Any, debounce_by: float | None, delta: bool
):
    partial: list[bool] = []
    agent = Agent(script(['one ', 'two']))

    @agent.output_validator
    def shout(ctx: RunContext[Any], output: str) -> str:
        partial.append(ctx.partial_output)
        return output.upper()

    async with agent.run_stream('q', until=until) as result:
        assert await result.get_output() == 'ONE TWO'
        assert partial == [False]
        for _ in range(2):
            assert [text async for text in result.stream_text(delta=delta, debounce_by=debounce_by)] == ['ONE TWO']
        assert partial == [False]


@pytest.mark.parametrize('until', UNTIL)
async def test_cancelling_what_is_whole_says_so_and_changes_nothing(until: Any):
    async with Agent(script(['one ', 'two'])).run_stream('q', until=until) as result:
        assert await result.get_output() == 'one two'
        await result.cancel()
        assert (result.cancelled, result.is_complete, result.response.state) == (True, True, 'complete')
        assert await result.get_output() == 'one two'
        assert [text async for text in result.stream_text()] == ['one two']
        assert result.all_messages()[-1].parts == result.response.parts


async def test_cancelling_a_whole_response_at_its_node_does_not_lose_its_calls():
    agent = Agent(script(call('look'), ['end']))
    looked: list[int] = []

    @agent.tool_plain
    def look() -> None:
        looked.append(1)

    async with agent.iter('q') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    await stream.drain()
                    await stream.cancel()
                    assert (stream.cancelled, stream.response.state) == (True, 'complete')
    assert run.result is not None
    assert (run.result.output, looked) == ('end', [1])


@pytest.mark.parametrize('until', UNTIL)
async def test_streams_begin_with_the_first_piece_that_has_content(until: Any):
    async with Agent(script(['', 'a', '', 'b'])).run_stream('q', until=until) as result:
        assert (await anext(aiter(result.stream_output(debounce_by=None)))) == 'a'
    async with Agent(script(ROW), output_type=Row).run_stream('q', until=until) as result:
        async for response in result.stream_response(debounce_by=None):
            assert response.tool_calls[0].args
            break


@pytest.mark.parametrize('until', UNTIL)
async def test_usage_of_a_stream_equals_usage(until: Any):
    async with Agent(script(['a', 'b'])).run_stream('q', until=until) as result:
        await result.get_output()
        usage = result.usage
        plain = RunUsage(
            requests=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, details=usage.details
        )
        assert usage == plain
        assert plain == usage
        assert result.usage == usage
        assert usage != RunUsage(requests=2)


def asking(*responses: Any, output_type: Any = str, **options: Any) -> Agent[Any, Any]:
    agent = Agent(script(*responses), output_type=output_type, **options)

    @agent.tool_plain(requires_approval=True)
    def delete() -> str:
        return 'deleted'

    return agent


WAITING: list[Any] = [call('delete'), ['Sure. ', *call('delete', index=1)], [*call('delete'), 'Done.']]


@pytest.mark.parametrize('response', WAITING, ids=['alone', 'after text', 'before text'])
@pytest.mark.parametrize('until', UNTIL)
async def test_calls_that_wait_need_a_place_among_the_outputs(until: Any, response: Any):
    with pytest.raises(UserError, match=r"Tools \['delete'\] wait .* Add `DeferredToolRequests` to the `output_type`"):
        async with asking(response).run_stream('q', until=until) as result:
            await result.get_output()
    async with asking(response, output_type=[str, DeferredToolRequests]).run_stream('q', until=until) as result:
        output = await result.get_output()
    assert [waiting.tool_name for waiting in output.approvals] == ['delete']


@pytest.mark.parametrize('response', WAITING, ids=['alone', 'after text', 'before text'])
async def test_a_run_that_is_streamed_to_its_end_has_its_calls_decided(response: Any):
    def decide(ctx: RunContext[Any], requests: DeferredToolRequests) -> Any:
        return requests.build_results(approve_all=True)

    agent = asking(response, ['end'], capabilities=[HandleDeferredToolCalls(handler=decide)])
    async with agent.run_stream('q', until='end') as result:
        outputs = [output async for output in result.stream_output(debounce_by=None)]
    assert outputs[-1] == 'end'


def test_a_result_made_by_hand_says_that_there_is_nothing_to_read():
    result: StreamedRunResult[Any, Any] = StreamedRunResult([], 0)
    assert (result.metadata, result.is_complete, result.cancelled) == (None, False, False)
    with pytest.raises(ValueError, match='nothing to read'):
        assert result.response
