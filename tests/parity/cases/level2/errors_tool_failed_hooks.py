"""`ToolFailedError` in 2.x: what hooks see of a `ToolFailed`, and what a tool gets that makes the call itself."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ToolFailed, ToolFailedError, ToolRetryError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart('done') if len(messages) > 1 else ToolCallPart('outer', {}, 'c1')])


class Watches(AbstractCapability[Any]):
    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        try:
            return await handler(args)
        except ToolFailedError as error:
            part = error.tool_failed
            print('hook', call.tool_name, error, part.tool_name, part.tool_call_id, part.outcome, part.content)
            print('cause', type(error.__cause__).__name__, error.__cause__)
            raise


agent = Agent(FunctionModel(answer), capabilities=[Watches()])


@agent.tool_plain
def fails() -> str:
    raise ToolFailed('broken')


@agent.tool_plain
def retries() -> str:
    raise ModelRetry('again')


@agent.tool_plain
def works() -> int:
    return 3


@agent.tool
async def outer(ctx: RunContext[Any]) -> str:
    manager: Any = ctx.tool_manager
    for name in ('fails', 'retries', 'works', 'unknown'):
        for wrap in (True, False):
            call = ToolCallPart(name, {}, tool_call_id='inner')
            try:
                print(name, wrap, await manager.handle_call(call, wrap_validation_errors=wrap))
            except ToolFailedError as error:
                print(name, wrap, 'ToolFailedError', error.tool_failed.outcome, error)
            except ModelRetry as error:
                print(name, wrap, 'ModelRetry', error)
            except (ToolFailed, ToolRetryError) as error:
                print(name, wrap, type(error).__name__, error)
    raise ToolFailed('in the end')


result = agent.run_sync('q')
for message in result.all_messages():
    print(
        [
            (part.part_kind, getattr(part, 'outcome', None), part.content)
            for part in message.parts
            if part.part_kind != 'tool-call'
        ]
    )
