"""Serves agents whose model does what the last prompt names, for the clients beside it: `python -m tests.clients.server PORT`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from ag_ui.core import StateDeltaEvent, StateSnapshotEvent
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stead import Agent, DeferredToolRequests, ModelRetry, RunContext, ToolReturn
from stead.messages import ModelMessage, NativeToolCallPart, NativeToolReturnPart, UserPromptPart
from stead.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from stead.ui import StateDeps
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter
from stead.ui.vercel_ai.response_types import DataChunk


class Counter(BaseModel):
    count: int = 0


left: list[str] = []
"""The prompts of runs that ended because the client had left."""


def content_of(messages: list[ModelMessage]) -> list[Any]:
    """The last prompt."""
    prompts = [part for message in messages for part in message.parts if isinstance(part, UserPromptPart)]
    content = prompts[-1].content if prompts else ''
    return [content] if isinstance(content, str) else list(content)


def prompt_of(messages: list[ModelMessage]) -> str:
    """The text of the last prompt."""
    return next((item for item in content_of(messages) if isinstance(item, str)), '')


async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
    prompt, last = prompt_of(messages), messages[-1].parts[-1]
    if last.part_kind == 'retry-prompt':
        yield {0: DeltaToolCall(name='picky', json_args='{"value": 3.0}', tool_call_id=f'picky-{len(messages)}')}
    elif last.part_kind == 'tool-return':
        yield f'result: {last.model_response_str()}'
    elif prompt == 'think':
        yield {0: DeltaThinkingPart(content='let me see')}
        yield {0: DeltaThinkingPart(content='', signature='signed')}
        yield 'thought'
    elif prompt == 'error':
        yield 'half an answer'
        raise ValueError('it broke')
    elif prompt == 'native':
        yield {0: NativeToolCallPart('web_search', {'q': 1}, 'n1', provider_name='p')}
        yield {1: NativeToolReturnPart('web_search', {'hits': 1}, 'n1', provider_name='p')}
        yield 'found'
    elif prompt == 'state':
        yield f'count {info.instructions}'
    elif prompt == 'history':
        yield ' '.join(part.part_kind for message in messages for part in message.parts)
    elif prompt == 'look':
        yield f'saw {[item.media_type for item in content_of(messages) if not isinstance(item, str)]}'
    elif prompt == 'slow':
        yield 'one'
        try:
            await asyncio.sleep(60)
        except (asyncio.CancelledError, GeneratorExit):
            left.append(prompt)
            raise
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


@agent.instructions
def state(ctx: RunContext[StateDeps[Counter]]) -> str:
    return str(ctx.deps.state.count)


@agent.tool_plain
def picky(value: float) -> str:
    if value == 2:
        raise ModelRetry('not two')
    return f'took {value}'


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
    version = request.path_params['version']
    deps = StateDeps(Counter())
    return await AGUIAdapter[Any, Any].dispatch_request(
        request, agent=agent, deps=deps, ag_ui_version=version, accept_edited_args=True, preserve_file_data=True
    )


async def ai_6(request: Request) -> Response:
    return await VercelAIAdapter[Any, Any].dispatch_request(
        request, agent=agent, deps=StateDeps(Counter()), sdk_version=6
    )


async def ai_5(request: Request) -> Response:
    return await VercelAIAdapter[Any, Any].dispatch_request(
        request, agent=agent, deps=StateDeps(Counter()), sdk_version=5
    )


async def who_left(request: Request) -> Response:
    return JSONResponse(left)


app = Starlette(
    routes=[
        Route('/left', who_left),
        Route('/ag-ui/{version}', ag_ui, methods=['POST']),
        Route('/ai6', ai_6, methods=['POST']),
        Route('/ai5', ai_5, methods=['POST']),
    ]
)

if __name__ == '__main__':
    uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]), log_level='error')
