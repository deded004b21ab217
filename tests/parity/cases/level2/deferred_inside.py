"""A retry that answers a call from outside: of the model, and of a tool that calls another one."""

from __future__ import annotations

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ModelRetry, RetryPromptPart, RunContext
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.exceptions import CallDeferred, ToolRetryError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def show(name: str, answer: ModelRetry | RetryPromptPart, *tools: str) -> None:
    calls = [ToolCallPart(tool, {}, f'{tool}{place}') for place, tool in enumerate(tools)]
    steps = iter([calls, [TextPart('done')]])

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[*next(steps)])

    def decide(ctx: RunContext, requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(calls={call.tool_call_id: answer for call in requests.calls})

    agent = Agent(FunctionModel(model), capabilities=[HandleDeferredToolCalls(decide)])

    @agent.tool_plain
    def outside() -> int:
        raise CallDeferred

    @agent.tool
    async def calling(ctx: RunContext) -> str:
        assert ctx.tool_manager is not None
        try:
            return str(await ctx.tool_manager.handle_call(ToolCallPart('outside', {}, 'inside')))
        except ToolRetryError as error:
            print('  inside:', type(error.tool_retry).__name__, error.tool_retry.content, error.tool_retry.tool_call_id)
            return 'caught'

    print(name)
    for part in agent.run_sync('q').all_messages()[2].parts:
        print(' ', part.part_kind, part.content, getattr(part, 'tool_call_id', None))


for tools in (['outside'], ['outside', 'outside'], ['calling']):
    show(f'{tools}, ModelRetry', ModelRetry('again'), *tools)
    show(f'{tools}, a part', RetryPromptPart('again', tool_name='x', tool_call_id='y'), *tools)
