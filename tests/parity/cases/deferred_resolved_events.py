"""The events of calls that a capability decides about within the run: who sees which, and when."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent, CallDeferred, ModelRetry, RunContext, ToolDenied
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults

CALLS = {'refund': 'c1', 'cancel': 'c2', 'price': 'c3', 'fails': 'c4', 'later': 'c5', 'now': 'c6'}


WATCHED = True


def note(text: str) -> None:
    if WATCHED:  # elsewhere the reader of the events may lag behind the run
        print(' ', text)


def make(*names: str) -> Agent[None, str]:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        calls = [ToolCallPart(name, '{}', CALLS[name]) for name in names]
        return ModelResponse(calls if len(messages) == 1 else [TextPart('done')])

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> Any:
        if len(messages) == 1:
            for place, name in enumerate(names):
                yield {place: DeltaToolCall(name=name, json_args='{}', tool_call_id=CALLS[name])}
        else:
            yield 'done'

    async def handle(ctx: RunContext[None], requests: DeferredToolRequests) -> DeferredToolResults:
        note(f'asked about {[call.tool_name for call in (*requests.approvals, *requests.calls)]}')
        decisions = {'refund': True, 'cancel': ToolDenied('no'), 'fails': True}
        return DeferredToolResults(
            approvals={call.tool_call_id: decisions[call.tool_name] for call in requests.approvals},
            calls={call.tool_call_id: 12 for call in requests.calls},
        )

    agent = Agent(FunctionModel(answer, stream_function=respond), capabilities=[HandleDeferredToolCalls(handle)])

    @agent.tool_plain(requires_approval=True)
    async def refund() -> str:
        note('refund runs')
        return 'refunded'

    @agent.tool_plain(requires_approval=True)
    async def cancel() -> str:
        return 'cancelled'

    @agent.tool_plain(requires_approval=True, retries=3)
    async def fails() -> str:
        raise ModelRetry('try again')

    @agent.tool_plain
    async def price() -> int:
        raise CallDeferred

    @agent.tool_plain
    async def now() -> str:
        note('now runs')
        return 'at once'

    return agent


def show(event: Any) -> None:
    kind = getattr(event, 'event_kind', None)
    if kind in ('function_tool_call', 'function_tool_result'):
        part = event.part
        content = getattr(part, 'content', None) if not isinstance(part, ToolCallPart) else ''
        print(' ', kind, part.tool_name, part.tool_call_id, content)


async def with_handler(*names: str) -> None:
    async def handler(ctx: RunContext[None], events: Any) -> None:
        async for event in events:
            show(event)

    result = await make(*names).run('go', event_stream_handler=handler)
    print(' ', result.output)


async def with_events(*names: str) -> None:
    async with make(*names).run_stream_events('go') as events:
        async for event in events:
            show(event)


async def node_by_node(*names: str) -> None:
    agent = make(*names)
    async with agent.iter('go') as run:
        async for node in run:
            if Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as events:
                    async for event in events:
                        show(event)


async def main() -> None:
    sets = (('refund',), ('cancel',), ('price',), ('fails',), ('now', 'refund'))
    global WATCHED
    for way in (with_handler, with_events, node_by_node):
        WATCHED = way is with_handler
        for names in sets:
            print(way.__name__, *names)
            await way(*names)


asyncio.run(main())
