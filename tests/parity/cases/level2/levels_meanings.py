"""The names that have another meaning in 2.x: defaults of agents, names of models, the version of tracing."""

from __future__ import annotations

import asyncio
import inspect
import os

from pydantic_ai import Agent, InstrumentationSettings, ToolOutput, __version__
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import infer_model
from pydantic_ai.models.function import AgentInfo, FunctionModel

os.environ.update(OPENAI_API_KEY='k', GOOGLE_API_KEY='k', XAI_API_KEY='k', ANTHROPIC_API_KEY='k')

NAMES = (
    'openai:gpt-5',
    'openai-chat:gpt-5',
    'openai-responses:gpt-5',
    'gpt-4o',
    'claude-sonnet-4-5',
    'gemini-2.5-pro',
    'o3',
    'google-gla:gemini-2.5-pro',
    'google-vertex:gemini-2.5-pro',
    'grok:grok-4',
    'nope:x',
    'nope',
)

print(__version__)
for name in NAMES:
    try:
        print(name, type(infer_model(name)).__name__)
    except Exception as error:
        print(name, type(error).__name__)

agent = Agent('test')
print(agent.end_strategy, agent.deps_type)
print(inspect.signature(InstrumentationSettings).parameters['version'].default)


async def main() -> None:
    ran: list[int] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart('final', {'x': 1}, 'f'), ToolCallPart('t', {'x': 1}, 'c')])

    def final(x: int) -> int:
        return x

    agent = Agent(FunctionModel(respond), output_type=ToolOutput(final, name='final'))

    @agent.tool_plain
    def t(x: int) -> str:
        ran.append(x)
        return 'ran'

    print((await agent.run('q')).output, ran)


asyncio.run(main())
