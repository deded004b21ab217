"""Runs the cases of the table: each vendor has a server, a provider and a client, for as long as the tests last."""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from _facts import show
from _vocabulary import request_of
from _wire import Reply, Wire

from stead import Agent
from stead.messages import (
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
)

from ._match import differences
from ._table import REQUEST, STREAM, Case, Vendor

SECONDS = 60
"""How long a case may take; the first one of a vendor imports its SDK."""


class Bench:
    """The servers, and the event loop that the clients live on."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._lines: dict[str, tuple[Any, Any]] = {}
        self._loop = asyncio.new_event_loop()
        self._files = self._stack.enter_context(Wire())

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
        self._stack.close()

    def check(self, vendor: Vendor, direction: str, case: Case) -> None:
        """Send the request of a case, and see that all is as it says."""
        self._loop.run_until_complete(asyncio.wait_for(self._check(vendor, direction, case), SECONDS))

    async def _check(self, vendor: Vendor, direction: str, case: Case) -> None:
        if vendor.name not in self._lines:
            server = self._stack.enter_context(vendor.serve())
            self._lines[vendor.name] = (server, vendor.provider(server))
        server, provider = self._lines[vendor.name]
        reply: Any = case.reply  # some are made by an SDK that is not there for everybody
        reply = reply() if callable(reply) else reply
        model = vendor.build(case.model or vendor.model, provider=provider, profile=case.profile)
        if case.cancel:  # first the whole of it, since an SDK may take longer to load than the stream halts
            server.expect(reply)
            await _Run(model, replace(case, cancel=False), stream=True).all(list(case.messages))
            reply = _halting(reply)
        server.expect(reply)
        run = _Run(model, case, stream=direction == STREAM)
        found = await run.all(self._messages(case))
        wrong = [*run.wrong, *_sent(server, case, vendor.plain), *found]
        if case.error is not None and direction == REQUEST and server.requests:
            wrong.append(f'something was sent: {server.bodies}')
        assert not wrong, '\n'.join(wrong)

    def _messages(self, case: Case) -> list[Any]:
        if case.link is None:
            return list(case.messages)
        kind, name = case.link
        if case.download is None:
            return [request_of(['look', kind(f'https://example.com/{name}')])]
        data, media_type = case.download
        self._files.expect(Reply(pieces=[data], content_type=media_type))
        return [request_of(['look', kind(f'{self._files.url}/{name}', force_download='allow-local')])]


def _halting(reply: Any) -> Any:
    """Return a stream of text that halts before its second piece."""
    place = next(i for i, piece in enumerate(reply.pieces) if '"lo"' in repr(piece) or "'lo'" in repr(piece))
    return replace(reply, pieces=[*reply.pieces[:place], 60.0, *reply.pieces[place:]])


async def _cancel(response: Any) -> None:
    await asyncio.sleep(0.02)  # meanwhile its reader waits
    await response.cancel()


def _sent(server: Any, case: Case, plain: Callable[[Any], Any]) -> Iterator[str]:
    if case.body is not None or case.headers is not None or case.path is not None:
        if not server.requests:
            yield 'nothing was sent'
            return
        last = server.requests[-1]
        if case.body is not None:
            yield from differences(plain(last.body), case.body, 'body')
        if case.headers is not None:
            yield from differences(last.headers, case.headers, 'headers')
        if case.path is not None:
            yield from differences(last.path, case.path, 'path')


class _Run:
    """One case while it runs."""

    def __init__(self, model: Any, case: Case, *, stream: bool) -> None:
        self.model = model
        self.case = case
        self.stream = stream
        self.events: list[Any] = []
        self.wrong: list[str] = []

    async def all(self, messages: list[Any]) -> list[str]:
        """Run the case, and return what is wrong."""
        case = self.case
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            try:
                found = await self._ask(messages)
            except Exception as error:
                if case.error is None:
                    raise
                self.wrong.extend(self._fault(error))
                return []
        messages_of_warnings = [
            str(item.message) for item in caught if not issubclass(item.category, DeprecationWarning)
        ]
        if [text for text in messages_of_warnings if case.warns is None or case.warns not in text] or (
            case.warns and not messages_of_warnings
        ):
            self.wrong.append(f'the warnings are {messages_of_warnings}')
        if case.error is not None:
            return [f'there was no {case.error.__name__}, but {found!r}']
        return list(self._read(found))

    async def _ask(self, messages: list[Any]) -> Any:
        case = self.case
        settings: Any = case.settings
        if case.output is not None or case.capability is not None:
            return await self._agent(settings)
        if case.count:
            return await self.model.count_tokens(messages, settings, case.params)
        if not self.stream:
            answer = await self.model.request(messages, settings, case.params)
            if case.history:
                await self.model.request([*messages, answer, request_of('go on')], settings, case.params)
            return answer
        async with self.model.request_stream(messages, settings, case.params) as response:
            async for event in response:
                self.events.append(event)
                if case.cancel and len(self.events) == 1:
                    cancelling = asyncio.create_task(_cancel(response))
            if case.cancel:
                await cancelling
            return response.get()

    async def _agent(self, settings: Any) -> Any:
        make = self.case.capability
        capabilities: Any = [make()] if make is not None else []
        output: Any = self.case.output or str
        agent: Any = Agent(self.model, output_type=output, model_settings=settings, capabilities=capabilities)
        if not self.stream:
            return (await agent.run('hello')).output
        async with agent.run_stream('hello') as result:
            return await result.get_output()

    def _fault(self, error: Exception) -> Iterator[str]:
        case = self.case
        assert case.error is not None
        if not isinstance(error, case.error):
            yield f'it raised {error!r} rather than a {case.error.__name__}'
            return
        if case.match not in str(error):
            yield f'{case.match!r} is not in {str(error)!r}'
        for name, wanted in (case.fault or {}).items():
            yield from differences(getattr(error, name), wanted, name)

    def _read(self, found: Any) -> Iterator[str]:
        case = self.case
        if case.result is not None:
            yield from differences(found, case.result, 'result')
        if not isinstance(found, ModelResponse):
            return
        yield from differences(found.provider_name, self.model.system, 'provider_name')
        for part in found.parts:  # whatever is sent back sealed must know whose it is
            if isinstance(part, (NativeToolCallPart, NativeToolReturnPart)) or getattr(part, 'signature', None):
                yield from differences(part.provider_name, self.model.system, f'provider_name of {part!r}')
        if case.parts is not None:
            yield from differences(list(found.parts), case.parts, 'parts')
        for name, wanted in (case.response or {}).items():
            yield from differences(getattr(found, name), wanted, name)
        if case.pieces is not None:
            yield from differences(list(_pieces(self.events)), case.pieces, 'pieces')
        if self.stream and case.folds:
            yield from differences(show(_folded(self.events)), show(list(found.parts)), 'what the events come to')
        if case.cost:
            pytest.importorskip('genai_prices', reason='the package genai-prices is not installed')
            if not found.cost().total_price > 0:
                yield 'it costs nothing'


def _pieces(events: list[Any]) -> Iterator[str]:
    """Yield the texts and arguments of a stream, as they come."""
    for event in events:
        if isinstance(event, PartStartEvent):
            piece: Any = event.part.content if isinstance(event.part, (TextPart, ThinkingPart)) else None
            piece = getattr(event.part, 'args', piece)
        elif isinstance(event, PartDeltaEvent):
            piece = getattr(event.delta, 'args_delta', None) or getattr(event.delta, 'content_delta', None)
        else:
            continue
        if isinstance(piece, str) and piece:
            yield piece


def _folded(events: list[Any]) -> list[Any]:
    """Return the parts that somebody has who only listens to the events."""
    parts: dict[int, Any] = {}
    for event in events:
        if isinstance(event, PartStartEvent):
            parts[event.index] = event.part
        elif isinstance(event, PartDeltaEvent):
            parts[event.index] = event.delta.apply(parts[event.index])
    return [parts[index] for index in sorted(parts)]
