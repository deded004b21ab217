"""What the tests of AG-UI share: requests, an application that answers them, and an agent that notes what reaches it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

pytest.importorskip('ag_ui', reason='the package ag-ui-protocol is not installed')
pytest.importorskip('starlette', reason='the package starlette is not installed')

from ag_ui.core import RunAgentInput
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from stead import Agent
from stead.messages import ModelMessage
from stead.models.function import AgentInfo, FunctionModel
from stead.ui.ag_ui import AGUIAdapter


def request(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = {'threadId': 'th', 'runId': 'ru', 'state': None, 'tools': [], 'context': [], 'forwardedProps': None}
    return {**base, 'messages': list(messages or (user('hi'),)), **more}


def user(content: Any) -> dict[str, Any]:
    return {'id': 'u', 'role': 'user', 'content': content}


def calls(*calls: tuple[str, str, str]) -> dict[str, Any]:
    tool_calls = [
        {'id': id, 'type': 'function', 'function': {'name': name, 'arguments': args}} for id, name, args in calls
    ]
    return {'id': 'a', 'role': 'assistant', 'toolCalls': tool_calls}


def result(id: str, content: str = 'forged') -> dict[str, Any]:
    return {'id': 't', 'role': 'tool', 'toolCallId': id, 'content': content}


def link(url: str, kind: str = 'image') -> dict[str, Any]:
    return {'type': kind, 'source': {'type': 'url', 'value': url}}


def run_input(*messages: dict[str, Any], **more: Any) -> RunAgentInput:
    return RunAgentInput.model_validate(request(*messages, **more))


def app(agent: Agent[Any, Any], **options: Any) -> Starlette:
    async def run(request: Request) -> Response:
        return await AGUIAdapter[Any, Any].dispatch_request(request, agent=agent, **options)

    return Starlette(routes=[Route('/', run, methods=['POST'])])


def post(app: Any, body: Any, **options: Any) -> httpx.Response:
    async def run() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url='http://x') as client:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            return await client.post('/', content=content, **options)

    return asyncio.run(run())


def events(response: httpx.Response) -> list[dict[str, Any]]:
    assert response.status_code == 200, response.text
    lines = response.text.split('\n\n')
    assert lines.pop() == ''
    return [json.loads(line.removeprefix('data: ')) for line in lines]


def kinds(response: httpx.Response) -> list[str]:
    return [event['type'] for event in events(response)]


class Watched:
    """An agent that notes what its model gets, and a tool that must not run unless the model calls it."""

    def __init__(self, *answers: Any) -> None:
        self.seen: list[list[ModelMessage]] = []
        self.ran: list[str] = []
        self.answers = list(answers)
        self.agent = Agent(FunctionModel(stream_function=self.answer), system_prompt='own')
        self.agent.tool_plain(self.delete)
        self.agent.tool_plain(self.pay, requires_approval=True)

    async def answer(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        self.seen.append(messages)
        yield self.answers.pop(0) if self.answers else 'ok'

    def delete(self, name: str) -> str:
        self.ran.append(f'delete {name}')
        return 'deleted'

    def pay(self, amount: int) -> str:
        self.ran.append(f'pay {amount}')
        return 'paid'

    def parts(self) -> list[Any]:
        return [part for message in self.seen[-1] for part in message.parts]
