"""The ASGI application: a page, the models to choose from, and answers that stream."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from .._kit.aio import cancel_and_drain
from .._kit.deprecated import warn_deprecated
from ..agent.abstract import AbstractAgent
from ..capabilities import NativeTool
from ..exceptions import UserError
from ..models import Model, infer_model
from ..native_tools import AbstractNativeTool
from ._conversation import ChatRequest, RefusedError, read_messages, read_request
from ._wire import DONE, HEADERS, ChunkWriter, encode

MOST_BYTES = 16 * 1024 * 1024
"""The largest body that is read: a conversation with a few files."""
PAGE = Path(__file__).with_name('page.html')
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ROUTES = {'/api/health': ('GET', 'HEAD'), '/api/configure': ('GET', 'HEAD'), '/api/chat': ('OPTIONS', 'POST')}

_log = logging.getLogger('stead.ui')
_Send = Callable[[dict[str, Any]], Awaitable[None]]
_Receive = Callable[[], Awaitable[dict[str, Any]]]


@dataclass
class _Choice:
    """A model that can be chosen."""

    name: str
    model: Model[Any]
    tools: list[str]
    """Ids of the native tools it can use."""


class WebChat:
    """An ASGI application to talk with an agent in the browser; see `AbstractAgent.to_web`."""

    def __init__(
        self,
        agent: AbstractAgent[Any, Any],
        *,
        models: Sequence[Any] | Mapping[str, Any] | None = None,
        native_tools: Sequence[AbstractNativeTool] = (),
        html_source: str | Path | None = None,
        allowed_hosts: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        """Make the application.

        Args:
            agent: Who answers.
            models: Models to choose from besides the agent's; with names for people as keys, or without.
            native_tools: Native tools that can be turned on.
            html_source: A file, or an address that begins with `http`, of a page instead of ours.
            allowed_hosts: Names of hosts that the application is reached under, besides those of this machine.
            options: Options of every run, such as `deps`.

        Raises:
            UserError: A name of a host is passed as text rather than in a list, the file cannot be read, or a model has
                no provider that is known, or no key.
            ValueError: The provider of a model is not known.
            ImportError: The package of a vendor is not installed.
        """
        if isinstance(allowed_hosts, str):
            raise UserError(f'`allowed_hosts` is a list of names: `[{allowed_hosts!r}]`.')
        self.agent = agent
        self.options = options
        self.tools = {tool.unique_id: tool for tool in native_tools}
        self._models = models
        self.choices = self._find_choices()
        self._allowed = [_name_of(host) for host in allowed_hosts or ()]
        self._source = str(html_source) if html_source is not None else None
        remote = (self._source or '').startswith(('https://', 'http://'))
        self._page = b'' if remote else self._read_page()  # or at the first request

    def _read_page(self) -> bytes:
        try:
            return Path(self._source or PAGE).read_bytes()
        except OSError as error:
            raise UserError(f'`html_source` {self._source!r} cannot be read: {error}') from error

    def _find_choices(self) -> dict[str, _Choice]:
        own = self.agent.model
        given: list[tuple[str | None, Any]] = [] if own is None else [(None, infer_model(own))]
        models = self._models or ()
        given.extend(models.items() if isinstance(models, Mapping) else ((None, model) for model in models))
        choices: dict[str, _Choice] = {}
        for name, item in given:
            model = infer_model(item)
            able = model.profile.supported_native_tools
            tools = [key for key, tool in self.tools.items() if type(tool) in able]
            choices[item if isinstance(item, str) else model.model_id] = _Choice(name or model.label, model, tools)
        return choices

    async def __call__(self, scope: dict[str, Any], receive: _Receive, send: _Send) -> None:
        """Answer a request, or open the agent while the server is up."""
        if scope['type'] == 'lifespan':
            await self._live(receive, send)
        elif scope['type'] == 'http':
            try:
                await self._respond(scope, receive, send)
            except RefusedError as refused:
                await _reply(send, refused.status, {'error': str(refused)})

    async def _live(self, receive: _Receive, send: _Send) -> None:
        await receive()
        try:
            await self.agent.__aenter__()
        except Exception as error:
            _log.exception('The agent cannot be opened.')
            await send({'type': 'lifespan.startup.failed', 'message': f'{type(error).__name__}: {error}'})
            return
        try:
            await send({'type': 'lifespan.startup.complete'})
            await receive()
        finally:
            await self.agent.__aexit__(None, None, None)
        await send({'type': 'lifespan.shutdown.complete'})

    async def _respond(self, scope: dict[str, Any], receive: _Receive, send: _Send) -> None:
        headers = {key.decode('latin-1').lower(): value.decode('latin-1') for key, value in scope['headers']}
        self._check_host(headers.get('host', ''))
        path, method = scope['path'].removeprefix(scope.get('root_path', '')) or '/', scope['method']
        if path not in ROUTES and path.count('/') > 1:
            raise RefusedError(404, f'There is nothing at {path}.')
        methods = ROUTES.get(path, ('GET', 'HEAD'))
        if method not in methods:
            await _reply(send, 405, {'error': f'{path} takes {" and ".join(methods)}.'}, allow=', '.join(methods))
        elif path == '/api/chat' and method == 'POST':
            await self._chat(headers, receive, send)
        elif path == '/api/chat':
            await _reply(send, 200, b'', allow=', '.join(methods))  # says nothing that lets other sites in
        elif path == '/api/health':
            await _reply(send, 200, {'ok': True})
        elif path == '/api/configure':
            await _reply(send, 200, self.configuration())
        else:
            policy = {} if self._source else {'content-security-policy': POLICY}
            page = await self._find_page()
            await _reply(send, 200, page, **{'content-type': 'text/html; charset=utf-8', **policy})

    def configuration(self) -> dict[str, Any]:
        """Return the models and native tools to choose from, as the page reads them."""
        models = [{'id': key, 'name': item.name, 'builtinTools': item.tools} for key, item in self.choices.items()]
        return {
            'models': models,
            'builtinTools': [{'id': key, 'name': tool.label} for key, tool in self.tools.items()],
        }

    def _check_host(self, host: str) -> None:
        """Refuse names that are not ours: another site may have its own name lead to this machine (DNS rebinding)."""
        name = _name_of(host)
        if name == 'localhost' or name.endswith('.localhost') or _is_address(name):
            return
        for allowed in self._allowed:
            if allowed in ('*', name) or (allowed.startswith('*.') and name.endswith(allowed[1:])):
                return
        raise RefusedError(
            421, f'The host {host!r} is not one this page answers under. If it should be, add it to `allowed_hosts`.'
        )

    async def _find_page(self) -> bytes:
        if not self._page:
            import httpx

            try:
                async with httpx.AsyncClient(follow_redirects=True) as client:
                    self._page = (await client.get(str(self._source))).raise_for_status().content
            except httpx.HTTPError as error:
                raise RefusedError(502, f'The page at {self._source} cannot be fetched: {error}') from error
        return self._page

    async def _chat(self, headers: dict[str, str], receive: _Receive, send: _Send) -> None:
        # Of other types a browser sends what any site asks it to, without asking us first.
        if (given := headers.get('content-type', '')).partition(';')[0].strip().lower() != 'application/json':
            raise RefusedError(415, f'The body must be of the type application/json, not {given or "of none"}.')
        request = read_request(await _read_body(headers, receive))
        options = self._options_for(request)
        history, prompt = read_messages(request.messages)
        answering = asyncio.ensure_future(self._answer(send, prompt, {**options, 'message_history': history}))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait([answering, gone], return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            await cancel_and_drain(answering, gone)

    def _options_for(self, request: ChatRequest) -> dict[str, Any]:
        options: dict[str, Any] = {**self.options, 'conversation_id': request.id, 'infer_name': False}
        choice = self.choices.get(request.model) if request.model is not None else None
        if request.model is not None and choice is None:
            raise RefusedError(400, f'Model {request.model!r} is none of those to choose from: {list(self.choices)}.')
        if choice is None and self.agent.model is None:
            choice = next(iter(self.choices.values()), None)
        if choice is not None:
            options['model'] = choice.model
        if unknown := sorted(set(request.builtin_tools) - self.tools.keys()):
            raise RefusedError(400, f'Tool {unknown[0]!r} is none of those to choose from: {list(self.tools)}.')
        if request.builtin_tools:
            options['capabilities'] = [NativeTool(self.tools[name]) for name in dict.fromkeys(request.builtin_tools)]
        return options

    async def _answer(self, send: _Send, prompt: Any, options: dict[str, Any]) -> None:
        async def write(chunks: Iterator[dict[str, Any]]) -> None:
            if body := b''.join(map(encode, chunks)):
                await send({'type': 'http.response.body', 'body': body, 'more_body': True})

        await _start(send, 200, {**HEADERS, 'cache-control': 'no-store'})
        writer, error = ChunkWriter(), None
        await write(iter([{'type': 'start'}]))
        try:
            async with self.agent.run_stream_events(prompt, **options) as events:
                async for event in events:
                    await write(writer.take(event))
        except Exception as failure:
            _log.exception('An answer failed.')
            error = str(failure) or type(failure).__name__
        await write(writer.finish(error))
        await send({'type': 'http.response.body', 'body': DONE})


def take_old_arguments(arguments: dict[str, Any]) -> Sequence[AbstractNativeTool]:
    """Return the native tools in old arguments of `to_web`.

    Raises:
        UserError: An argument was never one.
    """
    if unknown := sorted(arguments.keys() - {'builtin_tools'}):
        raise UserError(f'`to_web` has no argument {unknown[0]!r}. All of them are in its docstring.')
    if arguments:
        old = '`to_web(builtin_tools=...)` is an old name; give the agent `capabilities=[NativeTool(...)]`.'
        warn_deprecated(old, stacklevel=4)
    return arguments.get('builtin_tools') or ()


def _name_of(host: str) -> str:
    """Return the name in a `Host` header, without the port."""
    host = host.strip().lower()
    if host.startswith('['):
        return host[1:].partition(']')[0]
    return host.partition(':')[0].rstrip('.')


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _read_body(headers: dict[str, str], receive: _Receive) -> bytes:
    too_large = RefusedError(413, f'The body is larger than {MOST_BYTES} bytes.')
    length = headers.get('content-length', '')
    if length.isdecimal() and int(length[:20]) > MOST_BYTES:
        raise too_large
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message['type'] == 'http.disconnect':
            raise RefusedError(400, 'The body ended early.')
        body += message.get('body', b'')
        more = message.get('more_body', False)
        if len(body) > MOST_BYTES:
            raise too_large
    return bytes(body)


async def _until_gone(receive: _Receive) -> None:
    while (await receive())['type'] != 'http.disconnect':
        pass


async def _start(send: _Send, status: int, headers: dict[str, str]) -> None:
    said = {'x-content-type-options': 'nosniff', **headers}
    pairs = [(key.encode('latin-1'), value.encode('latin-1')) for key, value in said.items()]
    await send({'type': 'http.response.start', 'status': status, 'headers': pairs})


async def _reply(send: _Send, status: int, content: bytes | dict[str, Any], **headers: str) -> None:
    body = content if isinstance(content, bytes) else to_json(content)
    base = {'content-type': 'application/json', 'content-length': str(len(body)), 'cache-control': 'no-cache'}
    await _start(send, status, {**base, **headers})
    await send({'type': 'http.response.body', 'body': body})
