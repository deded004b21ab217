"""Serves agents whose model does what the last prompt names, for the clients beside it: `python -m tests.clients.server PORT`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from ag_ui.core import StateDeltaEvent, StateSnapshotEvent
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stead import Agent, DeferredToolRequests, ToolReturn
from stead.messages import ModelMessage, UserPromptPart
from stead.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.ui import StateDeps
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter
from stead.ui.vercel_ai.response_types import DataChunk


class Counter(BaseModel):
    count: int = 0


def prompt_of(messages: list[ModelMessage]) -> str:
    """The text of the last prompt."""
    prompts = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    content = prompts[-1].content if prompts else ''
    return content if isinstance(content, str) else next((item for item in content if isinstance(item, str)), '')


async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    prompt, last = prompt_of(messages), messages[-1].parts[-1]
    if last.part_kind == 'tool-return':
        yield f'result: {last.model_response_str()}'
    elif prompt == 'think':
        yield {0: DeltaThinkingPart(content='let me see')}
        yield {0: DeltaThinkingPart(content='', signature='signed')}
        yield 'thought'
    elif prompt == 'error':
        yield 'half an answer'
        raise ValueError('it broke')
    elif prompt == 'mixed':
        yield {n: DeltaToolCall(name='double', json_args='{"value": ', tool_call_id=f'mixed-{n}') for n in range(2)}
        yield {n: DeltaToolCall(json_args=f'{n}.5}}') for n in range(2)}
    elif prompt.startswith('call '):
        names = prompt.removeprefix('call ').split()
        for n, name in enumerate(names):
            yield {n: DeltaToolCall(name=name, json_args='{"value": ', tool_call_id=f'{name}-{len(messages)}')}
            yield {n: DeltaToolCall(json_args='2.0}')}
    else:
        yield f'turn {sum(message.kind == "request" for message in messages)}: '
        yield prompt


agent = Agent(
    FunctionModel(stream_function=answer), deps_type=StateDeps[Counter], output_type=[str, DeferredToolRequests]
)


@agent.tool_plain
def double(value: float) -> float:
    return value * 2


@agent.tool_plain(requires_approval=True)
def pay(value: float) -> str:
    return f'paid {value}'


@agent.tool_plain
def count(value: float) -> ToolReturn:
    state = [
        StateSnapshotEvent(snapshot={'count': 1}),
        StateDeltaEvent(delta=[{'op': 'replace', 'path': '/count', 'value': 2}]),
    ]
    return ToolReturn('counted', metadata=[*state, DataChunk(type='data-count', data={'count': 2})])


@agent.tool_plain(retries=0)
def fail(value: float) -> str:
    raise ValueError('the tool broke')


async def ag_ui(request: Request) -> Response:
    return await AGUIAdapter[Any, Any].dispatch_request(request, agent=agent, deps=StateDeps(Counter()))


async def ai_6(request: Request) -> Response:
    return await VercelAIAdapter[Any, Any].dispatch_request(
        request, agent=agent, deps=StateDeps(Counter()), sdk_version=6
    )


async def ai_5(request: Request) -> Response:
    return await VercelAIAdapter[Any, Any].dispatch_request(
        request, agent=agent, deps=StateDeps(Counter()), sdk_version=5
    )


app = Starlette(
    routes=[
        Route('/ag-ui', ag_ui, methods=['POST']),
        Route('/ai6', ai_6, methods=['POST']),
        Route('/ai5', ai_5, methods=['POST']),
    ]
)

if __name__ == '__main__':
    uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]), log_level='error')
