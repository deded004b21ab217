"""`ToolFailed` from tools, validators and hooks: what the model reads, and what hooks see."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent, ToolOutput
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) < 4:
        return ModelResponse(parts=[ToolCallPart('t', {'x': 1}, tool_call_id=f'c{len(messages)}')])
    return ModelResponse(parts=[TextPart('done')])


def parts(result: Any) -> list[Any]:
    return [
        (type(part).__name__, getattr(part, 'outcome', None), getattr(part, 'content', None))
        for message in result.all_messages()
        for part in message.parts
    ]


async def show(name: str, agent: Agent[Any, Any]) -> None:
    try:
        result = await agent.run('q')
        print(name, result.output, parts(result), result.usage.tool_calls)
    except Exception as error:
        print(name, 'raised', type(error).__name__, error)


async def main() -> None:
    agent = Agent(FunctionModel(respond), retries=0)

    @agent.tool_plain
    def t(x: int) -> str:
        raise ToolFailed('broken pipe')

    await show('tool', agent)
    for name in (
        'before_tool_execute',
        'after_tool_execute',
        'tool_execute',
        'before_tool_validate',
        'after_tool_validate',
    ):
        hooks = Hooks[Any]()

        async def fail(ctx: Any, *args: Any, name: str = name, **kwargs: Any) -> Any:
            raise ToolFailed(f'hook {name}')

        getattr(hooks.on, name)(fail)
        agent = Agent(FunctionModel(respond), retries=0, capabilities=[hooks])

        @agent.tool_plain(name='t')
        def fine(x: int) -> str:
            return 'ok'

        await show(name, agent)

    agent = Agent(FunctionModel(respond), retries=0)

    def check(ctx: Any, x: int) -> None:
        raise ToolFailed('validator')

    @agent.tool_plain(name='t', args_validator=check)
    def never(x: int) -> str:
        return 'ok'

    await show('args_validator', agent)

    def output(x: int) -> int:
        raise ToolFailed('output')

    await show('output', Agent(FunctionModel(respond), output_type=ToolOutput(output, name='t'), retries=0))


asyncio.run(main())
