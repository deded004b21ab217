"""A tool fails beside an output that was streamed: what the other tools did is in the history."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from stead import Agent
from stead.messages import ModelMessage, ToolReturnPart
from stead.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel


async def test_results_beside_a_streamed_output_are_kept_when_a_tool_fails() -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
        yield {0: DeltaToolCall('final_result', '{"response": 1}', tool_call_id='c0')}
        yield {1: DeltaToolCall('pay', '{}', tool_call_id='c1')}
        yield {2: DeltaToolCall('fail', '{}', tool_call_id='c2')}

    agent = Agent(FunctionModel(stream_function=stream), output_type=int, end_strategy='exhaustive')

    @agent.tool_plain(sequential=True)
    def pay() -> str:
        return 'receipt 17'

    @agent.tool_plain(sequential=True)
    def fail() -> str:
        raise LookupError('no such order')

    with pytest.raises(LookupError) as caught:
        async with agent.run_stream('go') as result:
            assert await result.get_output() == 1
    messages: list[ModelMessage] = caught.value.messages  # type: ignore[attr-defined]
    answers = {part.tool_call_id: part.content for part in messages[-1].parts if isinstance(part, ToolReturnPart)}
    assert answers == {'c0': 'Final result processed.', 'c1': 'receipt 17'}
