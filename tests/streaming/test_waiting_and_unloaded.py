"""Streamed responses whose calls wait, hooks of capabilities that are not loaded, and outputs in streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent, DeferredToolRequests, RunContext, Tool, ToolOutput, UnexpectedModelBehavior
from stead.capabilities import AbstractCapability, Hooks
from stead.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, DeltaToolCall, FunctionModel
from stead.models.test import TestModel

from .kit import script


def test_tools_beside_a_call_that_waits_run_in_a_stream() -> None:
    ran: list[str] = []

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[dict[int, DeltaToolCall]]:
        yield {0: DeltaToolCall('look', '{}', tool_call_id='c0'), 1: DeltaToolCall('wipe', '{}', tool_call_id='c1')}

    def look() -> str:
        ran.append('look')
        return 'seen'

    def wipe() -> None:
        ran.append('wipe')

    async def main() -> tuple[Any, list[ModelMessage]]:
        agent = Agent(
            FunctionModel(stream_function=stream),
            output_type=[str, DeferredToolRequests],
            tools=[look, Tool(wipe, requires_approval=True)],
        )
        async with agent.run_stream('go') as result:
            return await result.get_output(), result.all_messages()

    output, messages = asyncio.run(main())
    assert [item.tool_name for item in output.approvals] == ['wipe']
    assert ran == ['look']
    assert isinstance(messages[-1], ModelRequest)
    assert [(part.tool_call_id, part.content) for part in messages[-1].parts if isinstance(part, ToolReturnPart)] == [
        ('c0', 'seen')
    ]


def test_events_pass_only_capabilities_that_are_loaded() -> None:
    passed: list[str] = []

    class Watching(AbstractCapability[Any]):
        def __init__(self, id: str, defer_loading: bool) -> None:
            self.id, self.defer_loading, self.description = id, defer_loading, 'Watches.'

        async def wrap_run_event_stream(self, ctx: Any, *, stream: Any) -> Any:
            passed.append(str(self.id))
            async for event in stream:
                yield event

    async def main() -> None:
        capabilities = [Watching('loaded', False), Watching('waits', True)]
        async with Agent(TestModel(call_tools=[]), capabilities=capabilities).run_stream_events('go') as events:
            async for _ in events:
                pass

    asyncio.run(main())
    assert set(passed) == {'loaded'}


def test_hooks_for_some_tools_keep_their_choice_once_their_capability_is_loaded() -> None:
    hooks = Hooks[Any](id='watch', description='Watches.', defer_loading=True)
    seen: list[str] = []

    @hooks.on.before_tool_execute(tools=['one'])
    async def note(ctx: Any, *, call: ToolCallPart, tool_def: Any, args: Any) -> Any:
        seen.append(call.tool_call_id)
        return args

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        step = len(messages) // 2
        calls = [ToolCallPart(name, {}, tool_call_id=f'{name}_{step}') for name in ('one', 'two')]
        load = ToolCallPart('load_capability', {'id': 'watch'}, tool_call_id='load')
        return ModelResponse(parts=[TextPart('done')] if step > 1 else [*calls, *([] if step else [load])])

    tools = [Tool(lambda: 'x', name=name) for name in ('one', 'two')]
    Agent(FunctionModel(respond), tools=tools, capabilities=[hooks]).run_sync('go')
    assert seen == ['one_1']


def test_a_validator_of_streamed_output_sees_how_often_the_model_was_asked() -> None:
    seen: list[tuple[int, int, bool]] = []

    async def main() -> list[str]:
        agent = Agent(script(['a'], ['b']), retries={'output': 3})

        @agent.output_validator
        def check(ctx: RunContext[None], output: str) -> str:
            seen.append((ctx.retry, ctx.max_retries, ctx.partial_output))
            return output

        async with agent.run_stream('go') as result:
            return [output async for output in result.stream_output(debounce_by=None)]

    assert asyncio.run(main())[-1] == 'a'
    assert seen[-1] == (0, 3, False)
    assert set(seen[:-1]) <= {(0, 3, True)}


def test_a_validator_of_a_growing_object_is_told_that_it_grows() -> None:
    seen: list[tuple[int, bool]] = []

    async def main() -> None:
        pieces = ['{"rows": [{"n": 1}', ', {"n": 2}', ']}']
        agent = Agent(
            script([{0: DeltaToolCall('table' if not index else None, piece)} for index, piece in enumerate(pieces)]),
            output_type=ToolOutput(Table, name='table'),
        )

        @agent.output_validator
        def check(ctx: RunContext[None], output: Table) -> Table:
            seen.append((len(output.rows), ctx.partial_output))
            return output

        async with agent.run_stream('go') as result:
            async for _ in result.stream_output(debounce_by=None):
                pass

    asyncio.run(main())
    assert seen[-1] == (2, False)
    assert {partial for _, partial in seen[:-1]} == {True}


def test_a_reader_of_output_gets_each_state_of_it_once() -> None:
    async def main() -> list[str]:
        async with Agent(script(['a', '', 'b', '', ''])).run_stream('go') as result:
            return [output async for output in result.stream_output(debounce_by=None)]

    assert asyncio.run(main()) == ['a', 'ab', 'ab']


def test_output_of_a_response_that_announced_none_is_looked_for_in_its_calls() -> None:
    async def main() -> Any:
        agent = Agent(TestModel(custom_output_args={'n': 1}), output_type=ToolOutput(Row, name='row'))
        async with agent.iter('go') as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        return await stream.validate_response_output(ModelResponse(parts=[TextPart('no output')]))

    with pytest.raises(UnexpectedModelBehavior, match='Invalid response, unable to process text output'):
        asyncio.run(main())


class Row(BaseModel):
    n: int


class Table(BaseModel):
    rows: list[Row]
