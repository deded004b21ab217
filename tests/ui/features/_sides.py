"""The interfaces: each sends a conversation to an agent in its protocol, and reads what comes back."""

from __future__ import annotations

import asyncio
import base64
import json
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, ClassVar

import httpx
from fasta2a import schema

from stead import Agent
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models import Model, StreamedResponse
from stead.ui.a2a import agent_to_a2a
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter

Events = list[dict[str, Any]]


class Replies(Model):
    """A model that answers with one list of parts after the other, and keeps what it was sent."""

    def __init__(self, *replies: Sequence[Any]) -> None:
        super().__init__()
        self.replies, self.seen, self.tools = list(replies), list[list[ModelMessage]](), list[str]()

    @property
    def model_name(self) -> str:
        return 'replies'

    @property
    def system(self) -> str:
        return 'test'

    async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> ModelResponse:
        self.seen.append(list(messages))
        parts: list[Any] = []
        for part in self.replies.pop(0):
            if isinstance(part, Exception):
                raise part
            parts += [TextPart(part)] if isinstance(part, str) else [] if isinstance(part, dict) else [part]
        return ModelResponse(parts)

    @asynccontextmanager
    async def request_stream(
        self, messages: Any, model_settings: Any, model_request_parameters: Any, run_context: Any = None
    ) -> AsyncIterator[StreamedResponse]:
        self.seen.append(list(messages))
        self.tools = [tool.name for tool in model_request_parameters.function_tools]
        yield _Reply(model_request_parameters=model_request_parameters, reply=self.replies.pop(0))

    def parts(self) -> list[Any]:
        """The parts of the messages that were sent last."""
        return [part for message in self.seen[-1] for part in message.parts]


@dataclass
class _Reply(StreamedResponse):
    reply: Sequence[Any] = ()

    async def _get_event_iterator(self) -> AsyncIterator[Any]:
        for number, part in enumerate(self.reply):
            if isinstance(part, Exception):
                raise part
            if isinstance(part, str):
                for event in self._parts_manager.handle_text_delta(vendor_part_id=number, content=part):
                    yield event
            elif isinstance(part, dict):
                self.finish_reason = part['finish_reason']
            else:
                yield self._parts_manager.handle_part(vendor_part_id=number, part=part)

    @property
    def model_name(self) -> str:
        return 'replies'

    @property
    def provider_name(self) -> str:
        return 'test'

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return datetime.now(tz=timezone.utc)


@dataclass
class Side:
    """An interface that speaks a protocol."""

    title: str
    """The column."""
    kind: ClassVar[str]
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    """Options of each run."""

    def user(self, *parts: Any) -> dict[str, Any]:
        raise NotImplementedError

    def ask(self, agent: Agent[Any, Any], *messages: dict[str, Any], more: Any = None, **fields: Any) -> Events:
        """Return what comes back.

        Args:
            agent: The agent.
            messages: The conversation, in the form of the protocol.
            more: Further fields of the request.
            fields: Fields of the adapter.
        """
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return asyncio.run(self._ask(agent, list(messages), more or {}, fields))

    async def _ask(self, agent: Agent[Any, Any], messages: Any, more: Any, fields: Any) -> Events:
        raise NotImplementedError


class AGUI(Side):
    """An interface that speaks AG-UI."""

    kind = 'ag_ui'

    def user(self, *parts: Any) -> dict[str, Any]:
        content = parts[0] if len(parts) == 1 and isinstance(parts[0], str) else list(parts)
        return {'id': 'u', 'role': 'user', 'content': content}

    async def _ask(self, agent: Agent[Any, Any], messages: Any, more: Any, fields: Any) -> Events:
        base = {'threadId': 'th', 'runId': 'ru', 'state': None, 'tools': [], 'context': [], 'forwardedProps': None}
        body = json.dumps({**base, 'messages': messages, **more}).encode()
        version = self.title.split()[-1]
        adapter = AGUIAdapter[Any, Any](
            agent=agent, run_input=AGUIAdapter.build_run_input(body), ag_ui_version=version, **fields
        )
        lines = [line async for line in adapter.encode_stream(adapter.run_stream(**self.options))]
        return [json.loads(line.removeprefix('data: ')) for line in lines]


class AISDK(Side):
    """An interface that speaks the protocol of the AI SDK."""

    kind = 'ai'

    def user(self, *parts: Any) -> dict[str, Any]:
        content = [{'type': 'text', 'text': part} if isinstance(part, str) else part for part in parts]
        return {'id': 'u', 'role': 'user', 'parts': content}

    async def _ask(self, agent: Agent[Any, Any], messages: Any, more: Any, fields: Any) -> Events:
        body = json.dumps({'trigger': 'submit-message', 'id': 'chat', 'messages': messages, **more}).encode()
        version: Any = int(self.title.split()[-1])
        adapter = VercelAIAdapter[Any, Any](
            agent=agent, run_input=VercelAIAdapter.build_run_input(body), sdk_version=version, **fields
        )
        lines = [line async for line in adapter.encode_stream(adapter.run_stream(**self.options))]
        return [json.loads(line.removeprefix('data: ')) for line in lines if '[DONE]' not in line]


class A2A(Side):
    """A client of A2A, which is no browser: another agent, mostly."""

    kind = 'a2a'
    _old = hasattr(schema, 'TextPart')

    def user(self, *parts: Any) -> dict[str, Any]:
        content = [self._part(part) for part in parts]
        return {'role': 'user', 'parts': content, 'messageId': 'm', **({'kind': 'message'} if self._old else {})}

    def _part(self, part: Any) -> dict[str, Any]:
        if isinstance(part, str):
            return {'text': part, **({'kind': 'text'} if self._old else {})}
        if isinstance(part, bytes):
            encoded = base64.b64encode(part).decode()
            return {'kind': 'file', 'file': {'bytes': encoded}} if self._old else {'raw': encoded}
        return {'kind': 'file', 'file': {'uri': part['url']}} if self._old else part

    async def _ask(self, agent: Agent[Any, Any], messages: Any, more: Any, fields: Any) -> Events:
        app = agent_to_a2a(agent)
        transport = httpx.ASGITransport(app=app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url='http://a2a') as client,
        ):

            async def call(method: str, **params: Any) -> Any:
                body = {'jsonrpc': '2.0', 'id': '1', 'method': method, 'params': params}
                return (await client.post('/', json=body)).json()['result']

            task: Any = {}
            for message in messages:
                known = {'contextId': task['contextId']} if task else {}
                task = await call('message/send', message={**message, **known})
                task = task.get('task', task)
                while task['status']['state'] in ('submitted', 'working'):
                    await asyncio.sleep(0)
                    task = await call('tasks/get', id=task['id'])
            return [task]


SIDES: list[Side] = [
    AGUI('AG-UI 0.1.10'),
    AGUI('AG-UI 0.1.15'),
    AGUI('AG-UI 1.0'),
    AISDK('AI SDK 5'),
    AISDK('AI SDK 6'),
]
SIDES.append(A2A('A2A'))
