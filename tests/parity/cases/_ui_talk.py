"""Conversations of an interface with an agent, as scripts: what the model answers, and what the interface sends.

A script runs on each protocol with a small client that does what those of others do: it makes messages of the events, and sends
all of them with the next request.
"""

import asyncio
import json
import re
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from _ui import UUID, short
from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import NativeToolCallPart, NativeToolReturnPart
from pydantic_ai.models import Model, StreamedResponse

IDS = re.compile(rf'{UUID.pattern}|pyd_ai_[0-9a-f]{{32}}|stead_[0-9a-f]{{32}}|\b[0-9a-f]{{40}}\b')
ASKS = [str, DeferredToolRequests]
APPROVED, DENIED = {'approved': True}, {'approved': False}


class Say(str):
    """Text of the model, in pieces that are cut at `|`."""


@dataclass
class Think:
    """Thinking of the model, in pieces that are cut at `|`."""

    text: str | None = None
    signature: str | None = None
    fields: dict = field(default_factory=dict)


@dataclass
class Call:
    """A call of a tool, with its arguments in pieces that are cut at `|`."""

    name: str
    args: Any = '{}'
    id: str | None = None


class Replies(Model):
    """A model that answers with one reply after the other: a list of parts, or an error."""

    def __init__(self, replies):
        super().__init__()
        self.replies = list(replies)
        self.requests = []

    @property
    def model_name(self):
        return 'replies'

    @property
    def system(self):
        return 'test'

    async def request(self, messages, settings, parameters):
        raise NotImplementedError

    @asynccontextmanager
    async def request_stream(self, messages, settings, parameters, run_context=None):
        self.requests.append(list(messages))
        reply = self.replies.pop(0) if self.replies else [Say('nothing more')]
        yield Reply(model_request_parameters=parameters, parts=reply if isinstance(reply, list) else [reply])


@dataclass
class Reply(StreamedResponse):
    """A reply as it comes in."""

    parts: list = field(default_factory=list)

    async def _get_event_iterator(self) -> AsyncIterator:
        for number, part in enumerate(self.parts):
            if isinstance(part, BaseException):
                raise part
            if isinstance(part, dict):  # fields of the response
                for name, value in part.items():
                    setattr(self, name, value)
            elif isinstance(part, Say):
                for piece in part.split('|'):
                    for event in self._parts_manager.handle_text_delta(vendor_part_id=number, content=piece):
                        yield event
            elif isinstance(part, Think):
                for piece in (part.text or '').split('|') if part.text is not None else ():
                    for event in self._parts_manager.handle_thinking_delta(vendor_part_id=number, content=piece):
                        yield event
                if part.signature or part.fields or part.text is None:
                    signed = {'signature': part.signature, **part.fields}
                    for event in self._parts_manager.handle_thinking_delta(vendor_part_id=number, **signed):
                        yield event
            elif isinstance(part, Call):
                pieces = part.args.split('|') if isinstance(part.args, str) else [part.args]
                for place, piece in enumerate(pieces):
                    name = {'tool_name': part.name, 'tool_call_id': part.id} if place == 0 else {}
                    event = self._parts_manager.handle_tool_call_delta(vendor_part_id=number, args=piece, **name)
                    if event is not None:
                        yield event
            else:
                yield self._parts_manager.handle_part(vendor_part_id=number, part=part)

    @property
    def model_name(self):
        return 'replies'

    @property
    def provider_name(self):
        return 'test'

    @property
    def provider_url(self):
        return None

    @property
    def timestamp(self):
        return datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass
class Script:
    """A conversation."""

    title: str
    replies: list
    """What the model answers, one item a request."""
    turns: list = field(default_factory=lambda: ['Hi'])
    """What the interface sends: text, a list of parts, or a function that gets the client."""
    tools: list = field(default_factory=list)
    """Functions of the agent; those whose names begin with `ask_` need an approval."""
    agent: dict = field(default_factory=dict)
    """Arguments of the agent."""
    fields: dict = field(default_factory=dict)
    """Fields of the adapter."""
    options: dict = field(default_factory=dict)
    """Options of the run."""
    front: list = field(default_factory=list)
    """Names of tools of the interface."""
    leave: int | None = None
    """After how many events the client leaves."""


class Client:
    """An interface: it keeps the conversation."""

    def __init__(self, script):
        self.script, self.messages, self.number = script, [], 0
        self.model = Replies(script.replies)
        self.agent = Agent(self.model, **script.agent)
        for tool in script.tools:
            self.agent.tool_plain(tool, requires_approval=tool.__name__.startswith('ask_'))
        self.names, self.options = {}, dict(script.options)

    def id(self):
        self.number += 1
        return f'u{self.number}'

    def named(self, text):
        return IDS.sub(lambda match: self.names.setdefault(match[0], f'id{len(self.names)}'), text)

    async def play(self):
        print('==', self.script.title)
        for turn in self.script.turns:
            if callable(turn):
                turn(self)
            else:
                self.user(turn)
            await self.send()

    async def send(self):
        before = len(self.model.requests)
        seen = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            try:
                adapter = self.adapter()
                stream = adapter.run_stream(**self.options)
                async for event in stream:
                    data = self.data(adapter, event)
                    if data is not None:
                        seen.append(self.shown(data))
                        self.take(data)
                    if self.script.leave is not None and len(seen) == self.script.leave:
                        seen.append('left')
                        with suppress(RuntimeError):
                            await stream.aclose()
                        break
            except Exception as error:
                seen.append(f'raised {type(error).__name__}')
        self.done()
        for request in self.model.requests[before : before + 1]:
            print('  model', self.named(short(request)))
        line = ' '
        for text in seen:
            if len(line) + len(text) > 150:
                print(line)
                line = '   '
            line += ' ' + self.named(text)
        print(line)
        for name in sorted(
            {warning.category.__name__ for warning in caught} - {'ResourceWarning', 'DeprecationWarning'}
        ):
            print('  warning', name)

    def shown(self, data):
        fields = {key: value for key, value in data.items() if key not in self.hidden}
        for name in ('errorText', 'message'):
            if name in fields and data['type'] in ('error', 'RUN_ERROR'):
                fields[name] = '...'
        if 'approvalId' in fields:
            fields['approvalId'] = '...'
        values = ' '.join(json.dumps(value, ensure_ascii=False) for value in fields.values() if value is not None)
        return f'{data["type"]}({values})' if values else data['type']


def play(scripts, *clients):
    """Play scripts with each of the clients."""

    async def main():
        for script in scripts:
            for client in clients:
                await client(script).play()

    asyncio.run(main())


def native(name='web_search', args='{"q": 1}', result='found', id='n1', provider='p', **fields):
    """A call that the provider executes, and its result."""
    call = NativeToolCallPart(name, args, id, provider_name=provider)
    return [call, NativeToolReturnPart(name, result, id, provider_name=provider, **fields)]
