"""The ASGI application: a page, the models to choose from, and streamed answers."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from .._kit.aio import cancel_and_drain
from .._kit.deprecated import warn_deprecated
from .._kit.json_types import JsonObject
from .._kit.short import short, short_repr
from ..agent.abstract import AbstractAgent
from ..capabilities import NativeTool
from ..exceptions import UserError
from ..models import Model, infer_model
from ..native_tools import AbstractNativeTool
from ._conversation import ChatRequest, RefusedError, read_messages, read_request
from ._wire import DONE, HEADERS, ChunkWriter, encode

MAX_BODY_BYTES = 16 * 1024 * 1024
"""The largest request body: enough for a conversation with a few files."""
PAGE = Path(__file__).with_name('page.html')
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ROUTES = {'/api/health': ('GET', 'HEAD'), '/api/configure': ('GET', 'HEAD'), '/api/chat': ('OPTIONS', 'POST')}

SESSION = 'stead-session'
"""The cookie that tells browsers apart."""
_SESSION = re.compile(rf'(?:^|;)[ ]*{SESSION}=([0-9a-f]{{32}})[ ]*(?:;|$)')
_HOST = re.compile(r'(?:\[([^\]]*)\]|([^:\[\]]*))(?::\d*)?')

_log = logging.getLogger('stead.ui')
_Send = Callable[[JsonObject], Awaitable[None]]
_Receive = Callable[[], Awaitable[JsonObject]]


@dataclass
class _ModelChoice:
    """A model that users can choose."""

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
        """Create the application.

        Args:
            agent: The agent that answers.
            models: Models to choose from besides that of the agent; a mapping has display names as keys.
            native_tools: Native tools that users can enable.
            html_source: A file, or a link that begins with `http`, of a page to serve instead of the default one.
            allowed_hosts: Host names under which the application is reachable, besides localhost and IP addresses.
            options: Options for every run, such as `deps`.

        Raises:
            UserError: A host name is passed as a string rather than in a list, the file cannot be read, or a model has
                an unknown provider, or no API key.
            ValueError: The provider of a model is not known.
            ImportError: The package of a vendor is not installed.
        """
        if isinstance(allowed_hosts, str):
            raise UserError(f'`allowed_hosts` is a list of names: `[{allowed_hosts!r}]`.')
        self.agent = agent
        self.options = options
        self.tools: dict[str, AbstractNativeTool] = {tool.unique_id: tool for tool in native_tools}
        self._models = models
        self.choices: dict[str, _ModelChoice] = self._find_choices()
        self._allowed = [_name_of(host) for host in allowed_hosts or ()]
        self._source = str(html_source) if html_source is not None else None
        remote = (self._source or '').startswith(('https://', 'http://'))
        self._page = b'' if remote else self._read_page()  # a remote page is fetched on the first request

    def _read_page(self) -> bytes:
        try:
            return Path(self._source or PAGE).read_bytes()
        except OSError as error:
            raise UserError(f'`html_source` {self._source!r} cannot be read: {error}') from error

    def _find_choices(self) -> dict[str, _ModelChoice]:
        own = self.agent.model
        candidates: list[tuple[str | None, Any]] = [] if own is None else [(None, infer_model(own))]
        models = self._models or ()
        candidates.extend(models.items() if isinstance(models, Mapping) else ((None, model) for model in models))
        choices: dict[str, _ModelChoice] = {}
        for name, item in candidates:
            model = infer_model(item)
            supported = model.profile.supported_native_tools
            tools = [key for key, tool in self.tools.items() if type(tool) in supported]
            choices[item if isinstance(item, str) else model.model_id] = _ModelChoice(name or model.label, model, tools)
        return choices

    async def __call__(self, scope: JsonObject, receive: _Receive, send: _Send) -> None:
        """Handle a request, or enter the agent while the server is running."""
        if scope['type'] == 'lifespan':
            await self._run_lifespan(receive, send)
        elif scope['type'] == 'http':
            try:
                await self._respond(scope, receive, send)
            except RefusedError as error:
                await _reply(send, error.status, {'error': str(error)})

    async def _run_lifespan(self, receive: _Receive, send: _Send) -> None:
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

    async def _respond(self, scope: JsonObject, receive: _Receive, send: _Send) -> None:
        headers = {key.decode('latin-1').lower(): value.decode('latin-1') for key, value in scope['headers']}
        self._check_host(headers.get('host', ''))
        path, method = scope['path'].removeprefix(scope.get('root_path', '')) or '/', scope['method']
        if path not in ROUTES and path.count('/') > 1:
            raise RefusedError(404, f'There is nothing at {short(path)}.')
        methods = ROUTES.get(path, ('GET', 'HEAD'))
        if method not in methods:
            await _reply(
                send, 405, {'error': f'{short(path)} takes {" and ".join(methods)}.'}, allow=', '.join(methods)
            )
        elif path == '/api/chat' and method == 'POST':
            await self._chat(scope, headers, receive, send)
        elif path == '/api/chat':
            await _reply(
                send, 200, b'', allow=', '.join(methods)
            )  # without CORS headers, so that other sites have no access
        elif path == '/api/health':
            await _reply(send, 200, {'ok': True})
        elif path == '/api/configure':
            await _reply(send, 200, self.configuration())
        else:
            policy = {} if self._source else {'content-security-policy': POLICY}
            page = await self._find_page()
            await _reply(send, 200, page, **{'content-type': 'text/html; charset=utf-8', **policy})

    def configuration(self) -> JsonObject:
        """Return the models and native tools to choose from, in the format of the page."""
        models = [{'id': key, 'name': item.name, 'builtinTools': item.tools} for key, item in self.choices.items()]
        return {
            'models': models,
            'builtinTools': [{'id': key, 'name': tool.label} for key, tool in self.tools.items()],
        }

    def _check_host(self, host: str) -> None:
        """Reject unknown host names: another site may let its own name resolve to this machine (DNS rebinding)."""
        name = _name_of(host)
        if name == 'localhost' or name.endswith('.localhost') or _is_address(name):
            return
        for allowed in self._allowed:
            if allowed == '*' or (name and (allowed == name or (allowed[:2] == '*.' and name.endswith(allowed[1:])))):
                return
        raise RefusedError(421, f'The host {short_repr(host)} is not allowed. To allow it, add it to `allowed_hosts`.')

    async def _find_page(self) -> bytes:
        if not self._page:
            import httpx

            try:
                async with httpx.AsyncClient(follow_redirects=True) as client:
                    self._page = (await client.get(str(self._source))).raise_for_status().content
            except httpx.HTTPError as error:
                _log.warning('The page at %s cannot be fetched: %s', self._source, error)
                raise RefusedError(502, 'The page cannot be fetched; the log of the server says why.') from error
        return self._page

    async def _chat(self, scope: JsonObject, headers: dict[str, str], receive: _Receive, send: _Send) -> None:
        # Browsers let any site send bodies of other types without a preflight request.
        if (content_type := headers.get('content-type', '')).partition(';')[0].strip().lower() != 'application/json':
            raise RefusedError(
                415, f'The body must be of the type application/json, not {short(content_type) or "of none"}.'
            )
        request = read_request(await _read_body(headers, receive))
        session = _session_of(headers)
        options = self._options_for(request, session)
        history, prompt = read_messages(request.messages)
        options['message_history'] = history
        start = {**HEADERS, 'cache-control': 'no-store', 'set-cookie': _cookie(session, scope.get('scheme') == 'https')}
        answering = asyncio.ensure_future(self._answer(send, start, prompt, options))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait([answering, gone], return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
        finally:
            await cancel_and_drain(answering, gone)

    def _options_for(self, request: ChatRequest, session: str) -> JsonObject:
        # A caller that knows the id of someone's conversation must not get the approvals that were given in it.
        conversation_id = hashlib.sha256(f'{session} {request.id}'.encode(errors='surrogatepass')).hexdigest()[:32]
        options: JsonObject = {**self.options, 'conversation_id': conversation_id, 'infer_name': False}
        choice = self.choices.get(request.model) if request.model is not None else None
        if request.model is not None and choice is None:
            raise RefusedError(
                400, f'Model {short_repr(request.model)} is not among the choices: {list(self.choices)}.'
            )
        if choice is None and self.agent.model is None:
            choice = next(iter(self.choices.values()), None)
        if choice is not None:
            options['model'] = choice.model
        if unknown := sorted(set(request.builtin_tools) - self.tools.keys()):
            raise RefusedError(400, f'Tool {short_repr(unknown[0])} is not among the choices: {list(self.tools)}.')
        if request.builtin_tools:
            options['capabilities'] = [NativeTool(self.tools[name]) for name in dict.fromkeys(request.builtin_tools)]
        return options

    async def _answer(self, send: _Send, start: dict[str, str], prompt: Any, options: JsonObject) -> None:
        async def write(chunks: Iterator[JsonObject]) -> None:
            if body := b''.join(map(encode, chunks)):
                await send({'type': 'http.response.body', 'body': body, 'more_body': True})

        await _start(send, 200, start)
        writer, error = ChunkWriter(), None
        await write(iter([{'type': 'start'}]))
        try:
            async with self.agent.run_stream_events(prompt, **options) as events:
                async for event in events:
                    await write(writer.take(event))
        except Exception:
            # What exceptions say is for the developer: it may hold passwords, paths and addresses.
            number = secrets.token_hex(4)
            _log.exception('An answer failed (error %s).', number)
            error = f'The answer failed. The log of the server says why, as error {number}.'
        await write(writer.finish(error))
        await send({'type': 'http.response.body', 'body': DONE})


def take_old_arguments(arguments: JsonObject) -> Sequence[AbstractNativeTool]:
    """Return the native tools in deprecated arguments of `to_web`.

    Raises:
        UserError: An argument is unknown.
    """
    if unknown := sorted(arguments.keys() - {'builtin_tools'}):
        raise UserError(f'`to_web` has no argument {unknown[0]!r}. Its docstring lists all of them.')
    if arguments:
        old = '`to_web(builtin_tools=...)` is an old name; give the agent `capabilities=[NativeTool(...)]`.'
        warn_deprecated(old, stacklevel=4)
    return arguments.get('builtin_tools') or ()


def _name_of(host: str) -> str:
    """Return the name in a `Host` header, without the port; empty if it is not one."""
    match = _HOST.fullmatch(host.strip().lower())
    if match is None:
        return ''
    address, name = match.groups()
    if address is not None:
        return address if ':' in address and _is_address(address) else ''
    return name.rstrip('.')


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _session_of(headers: dict[str, str]) -> str:
    """Return the secret of a browser: from its cookie, or a new one."""
    match = _SESSION.search(headers.get('cookie', ''))
    return match[1] if match else secrets.token_hex(16)


def _cookie(session: str, secure: bool) -> str:
    return f'{SESSION}={session}; Path=/; HttpOnly; SameSite=Strict{"; Secure" if secure else ""}'


async def _read_body(headers: dict[str, str], receive: _Receive) -> bytes:
    too_large = RefusedError(413, f'The body is larger than {MAX_BODY_BYTES} bytes.')
    length = headers.get('content-length', '')
    if length.isdecimal() and int(length[:20]) > MAX_BODY_BYTES:
        raise too_large
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message['type'] == 'http.disconnect':
            raise RefusedError(400, 'The body ended early.')
        body += message.get('body', b'')
        more = message.get('more_body', False)
        if len(body) > MAX_BODY_BYTES:
            raise too_large
    return bytes(body)


async def _until_gone(receive: _Receive) -> None:
    while (await receive())['type'] != 'http.disconnect':
        pass


async def _start(send: _Send, status: int, headers: dict[str, str]) -> None:
    all_headers = {'x-content-type-options': 'nosniff', **headers}
    pairs = [(key.encode('latin-1'), value.encode('latin-1')) for key, value in all_headers.items()]
    await send({'type': 'http.response.start', 'status': status, 'headers': pairs})


async def _reply(send: _Send, status: int, content: bytes | JsonObject, **headers: str) -> None:
    body = content if isinstance(content, bytes) else to_json(content)
    base = {'content-type': 'application/json', 'content-length': str(len(body)), 'cache-control': 'no-cache'}
    await _start(send, status, {**base, **headers})
    await send({'type': 'http.response.body', 'body': body})
