"""The chat of the page: the models and tools to choose from, and answers in the protocol of the Vercel AI SDK."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..._kit.first_errors import first_errors
from ..._kit.json_types import JsonObject
from ..._kit.short import short, short_repr
from ...agent import AbstractAgent
from ...budgets import Budget
from ...capabilities import NativeTool
from ...journal import Journal, MemoryStore
from ...messages import ModelRequest, SystemPromptPart
from ...models import Model, infer_model
from ...native_tools import AbstractNativeTool
from ...output import OutputDataT
from .._adapter import with_own_state
from .._approvals import AnswerTooLateError
from .._streams import EventStreams
from ..vercel_ai import VercelAIAdapter, VercelAIEventStream
from ..vercel_ai.request_types import RequestData
from ..vercel_ai.response_types import BaseChunk

SESSION = 'stead-session'
"""The cookie that tells browsers apart."""
_SESSION = re.compile('[0-9a-f]{32}')
_log = logging.getLogger('stead.ui')


class DiscreetStream(VercelAIEventStream[Any, OutputDataT]):
    """A stream whose errors stay in the log."""

    async def on_error(self, error: Exception) -> AsyncIterator[BaseChunk]:
        """Yield that the answer failed, with the number that is in the log."""
        async for chunk in super().on_error(logged(error)):
            yield chunk


@dataclass
class ChatAdapter(VercelAIAdapter[Any, OutputDataT]):
    """The adapter of the page."""

    def build_event_stream(self) -> DiscreetStream[OutputDataT]:
        """Return a new event stream for the request."""
        return DiscreetStream(self.run_input, accept=self.accept, sdk_version=self.sdk_version)


@dataclass
class ModelChoice:
    """A model that users can choose."""

    name: str
    model: Model[Any]
    tools: list[str]
    """Ids of the native tools it can use."""


class WebChat:
    """What the page asks for: see `configure` and `answer`."""

    def __init__(
        self,
        agent: AbstractAgent[Any, Any],
        *,
        models: Sequence[Any] | Mapping[str, Any] | None,
        native_tools: Sequence[AbstractNativeTool],
        streams: EventStreams | None,
        options: JsonObject,
    ) -> None:
        """Find the models to choose from; arguments and errors as for `create_web_app`."""
        self.agent, self.streams, self.options = agent, streams, options
        self.tools: dict[str, AbstractNativeTool] = {tool.unique_id: tool for tool in native_tools}
        self.choices = _find_choices(agent, models or (), self.tools)

    def left(self) -> str | None:
        """Return in words what is left of the budget that all conversations share; `None` if there is none."""
        budget = getattr(self.agent, 'budget', None)
        return str(budget.left) or None if isinstance(budget, Budget) and budget.per != 'run' else None

    async def configure(self, request: Request) -> JSONResponse:
        """Return the models and native tools to choose from, in the format of the page."""
        models = [{'id': key, 'name': item.name, 'builtinTools': item.tools} for key, item in self.choices.items()]
        tools = [{'id': key, 'name': tool.label} for key, tool in self.tools.items()]
        return JSONResponse({'models': models, 'builtinTools': tools})

    async def answer(self, request: Request) -> Response:
        """Answer the messages of a browser with a stream of chunks.

        Raises:
            HTTPException: The request is refused.
        """
        if request.method == 'OPTIONS':  # without CORS headers, so that other sites have no access
            return Response(headers={'allow': 'OPTIONS, POST'})
        if self.streams is not None and (continued := self.streams.continued(request)) is not None:
            return continued
        check_json(request)
        session = session_of(request)
        try:
            adapter = await ChatAdapter[Any].from_request(request, agent=self.agent, sdk_version=6)
            options = self._options_for(adapter.run_input, session)
            name = adapter.conversation_id = options['conversation_id']
            check_prompt(adapter)
            response = adapter.response(adapter.run_stream(**options), self.streams, name=name)
        except AnswerTooLateError as error:
            raise HTTPException(409, short(str(error), 400)) from None
        except ValidationError as error:
            raise HTTPException(400, f'The request is invalid: {first_error(error)}') from None
        except ValueError as error:
            raise HTTPException(400, f'The request is invalid: {short(str(error))}') from None
        remember(request, response, session)
        return response

    async def come_back(self, request: Request) -> Response:
        """Return the answer that is being written in a conversation from its beginning, or stop it (`DELETE`).

        The status is 204 if there is none, and when it has been stopped.
        """
        name = conversation_of(session_of(request), request.path_params['id'])
        if self.streams is None:
            return Response(status_code=204)
        if request.method == 'DELETE':
            await self.streams.stop(name)
            return Response(status_code=204)
        return self.streams.continued(request) or self.streams.named(name)

    def _options_for(self, request: RequestData, session: str) -> JsonObject:
        conversation_id = conversation_of(session, request.id)
        options = {**self.options, 'conversation_id': conversation_id, 'infer_name': False}
        options['deps'] = with_own_state(options.get('deps'))
        extra = request.model_extra or {}
        name, enabled = extra.get('model'), _ids(extra.get('builtinTools') or [])
        choice = self.choices.get(name) if isinstance(name, str) else None
        if name is not None and choice is None:
            raise HTTPException(400, f'Model {short_repr(name)} is not among the choices: {list(self.choices)}.')
        if choice is None and self.agent.model is None:
            choice = next(iter(self.choices.values()), None)
        if choice is not None:
            options['model'] = choice.model
        if unknown := sorted(set(enabled) - self.tools.keys()):
            raise HTTPException(400, f'Tool {short_repr(unknown[0])} is not among the choices: {list(self.tools)}.')
        if enabled:
            options['capabilities'] = [NativeTool(self.tools[item]) for item in dict.fromkeys(enabled)]
        return options


def _ids(value: object) -> list[str]:
    if not isinstance(value, list):
        raise HTTPException(400, '`builtinTools` must be a list of ids.')
    return [str(item) for item in cast('list[object]', value)]


def _find_choices(
    agent: AbstractAgent[Any, Any],
    models: Sequence[Any] | Mapping[str, Any],
    tools: Mapping[str, AbstractNativeTool],
) -> dict[str, ModelChoice]:
    own = agent.model
    candidates: list[tuple[str | None, Any]] = [] if own is None else [(None, infer_model(own))]
    candidates.extend(models.items() if isinstance(models, Mapping) else ((None, model) for model in models))
    choices: dict[str, ModelChoice] = {}
    for name, item in candidates:
        model = infer_model(item)
        supported = model.profile.supported_native_tools
        usable = [key for key, tool in tools.items() if type(tool) in supported]
        choices[item if isinstance(item, str) else model.model_id] = ModelChoice(name or model.label, model, usable)
    return choices


def logged(error: Exception) -> RuntimeError:
    """Log an error, and return one for users: what exceptions say is for developers, and may hold passwords or paths."""
    number = secrets.token_hex(4)
    _log.error('An answer failed (error %s).', number, exc_info=error)
    return RuntimeError(f'The answer failed. The log of the server says why, as error {number}.')


def recent_conversations() -> Journal[Any]:
    """Return a journal in memory for whatever any browser sends: it forgets the oldest conversations."""
    return Journal(MemoryStore(max_bytes=256_000_000, when_full='forget'), conversations='refuse')


def conversation_of(session: str, id: str) -> str:
    """Return the id of a conversation on the server.

    A caller that knows the id of someone's conversation must not get what is said and approved in it.
    """
    return hashlib.sha256(f'{session} {id}'.encode(errors='surrogatepass')).hexdigest()[:32]


def check_json(request: Request) -> None:
    """Refuse other bodies than JSON: browsers let any site send them without asking the server first.

    Raises:
        HTTPException: The content type is another.
    """
    content_type = request.headers.get('content-type', '')
    if content_type.partition(';')[0].strip().lower() != 'application/json':
        message = f'The body must be of the type application/json, not {short(content_type) or "of none"}.'
        raise HTTPException(415, message)


def check_prompt(adapter: VercelAIAdapter[Any, Any]) -> None:
    """Refuse a request that asks nothing: it has no prompt at its end, and no decision about a call.

    Raises:
        HTTPException: It does not.
        ValueError: The messages do not fit together.
    """
    last = adapter.messages[-1] if adapter.messages else None
    asks = isinstance(last, ModelRequest) and not all(isinstance(part, SystemPromptPart) for part in last.parts)
    if asks or adapter.deferred_tool_results is not None:
        return
    sent = adapter.run_input.messages if adapter.sdk_version >= 6 else []  # older ones have no approvals
    if sent and any(getattr(part, 'state', None) == 'approval-responded' for part in sent[-1].parts):
        why = 'this server has not asked about this call with these arguments, or it was started again since.'
        raise HTTPException(400, f'The approval does not count: {why} Write another message, and it asks again.')
    raise HTTPException(400, 'There is no prompt: the last message must be from the user, with text or a file.')


def first_error(error: ValidationError) -> str:
    """Return the first thing that is wrong with a request, with its place."""
    errors = first_errors(error, 200)
    # A part is compared with each kind of parts: what is missing in those that it is not is of no interest.
    others = {found['loc'][:-1] for found in errors if found['type'] in ('literal_error', 'string_pattern_mismatch')}
    first = next((found for found in errors if found['loc'][:-1] not in others), errors[0])
    if first['type'] == 'string_type':  # what may be a text or a list: a list was sent, and something in it is wrong
        around = first['loc'][:-1]
        longer = (
            found for found in errors if len(found['loc']) > len(around) + 1 and found['loc'][: len(around)] == around
        )
        first = next(longer, first)
    # Names of types are not in the request.
    place = '.'.join(str(step) for step in first['loc'] if '[' not in str(step))
    return short(f'{place}: {first["msg"]}' if place else first['msg'])


def remember(request: Request, response: Response, session: str) -> None:
    """Let the browser keep its secret, and no one else what is streamed, not even for a moment (nginx)."""
    response.headers.update({'cache-control': 'no-store', 'x-accel-buffering': 'no'})
    secure = request.url.scheme == 'https'
    response.set_cookie(SESSION, session, path='/', httponly=True, samesite='strict', secure=secure)


def session_of(request: Request) -> str:
    """Return the secret of a browser: from its cookie, or a new one."""
    session = request.cookies.get(SESSION, '')
    return session if _SESSION.fullmatch(session) else secrets.token_hex(16)
