"""Callbacks for requests of servers: completions of a model, input of the user, and roots."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from typing import Any, cast

from .._contracts.model import ModelRequestContext, ModelRequestParameters, RequestedModel, sent
from .._contracts.run_context import RunContext
from .._kit.ids import now_utc
from .._kit.json_types import JsonObject
from .._kit.records import is_list
from ..exceptions import BudgetExceeded
from ..messages import (
    BinaryContent,
    FilePart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserPromptPart,
)
from ..settings import ModelSettings
from ._content import binary
from ._wire import INTERNAL_ERROR, Callback, SdkObject, dump, field, types

_JSON_TYPES: dict[str, type[object]] = {'string': str, 'integer': int, 'number': float, 'boolean': bool, 'array': list}


class RunsUnderWay:
    """The runs that wait for a server, which may ask for a completion meanwhile. It does not say for which of them."""

    def __init__(self) -> None:
        self._waiting: dict[object, tuple[RunContext[Any], Context]] = {}
        self._responses = 0

    @contextmanager
    def waiting(self, ctx: RunContext[Any]) -> Iterator[None]:
        """Note that a run waits for the server in the block."""
        key = object()
        self._waiting[key] = ctx, copy_context()
        try:
            yield
        finally:
            del self._waiting[key]

    @contextmanager
    def expecting(self) -> Iterator[None]:
        """Note that a response of the server is waited for in the block, by a run or by a program."""
        self._responses += 1
        try:
            yield
        finally:
            self._responses -= 1

    async def ask(self, asked: ModelRequestContext) -> ModelResponse | str:
        """Make a request for the run that waits, or return why it is not made.

        Raises:
            BudgetExceeded: The budget of the run has no room for it.
        """
        waiting = [*self._waiting.values()]
        if not waiting and not self._responses:
            return 'Nothing waits for this server: it may ask for a completion only while it is called.'
        if len({ctx.run_id for ctx, _ in waiting}) == 1:
            ctx, variables = waiting[0]
            return await variables.run(asyncio.ensure_future, _traced(ctx, asked))
        if any(_watches_requests(ctx) for ctx, _ in waiting):
            return (
                'Several runs wait for this server, and it is not known for which of them it asks for a completion. Runs with '
                'budgets, cassettes or caches need a toolset each, or to wait for each other.'
            )
        return await sent(asked)


def _watches_requests(ctx: RunContext[Any]) -> bool:
    capabilities: Any = ctx.capabilities.values()
    return ctx.budget is not None or any(one.has_hook('get_wrapper_model') for one in capabilities)


async def _traced(ctx: RunContext[Any], asked: ModelRequestContext) -> ModelResponse:
    capabilities: Any = ctx.capabilities.values()
    for capability in reversed([*capabilities]):  # an open cassette, for one
        if not capability.defer_loading:
            asked.model = capability.get_wrapper_model(asked.model) or asked.model
    with ctx.tracer.start_as_current_span('answer MCP server'):
        return await (sent(asked) if ctx.budget is None else ctx.budget.paid_beside(asked))


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def sampling_with_model(get_model: Callable[[], RequestedModel | None], runs: RunsUnderWay) -> Callback:
    """Return a sampling callback that asks a model, for one of some runs."""

    async def sample(context: SdkObject, params: SdkObject) -> SdkObject:
        model = get_model()
        if model is None:
            return _refused('Sampling is not supported: there is no model for it.')
        settings = ModelSettings(max_tokens=field(params, 'max_tokens'))
        if params.temperature is not None:
            settings['temperature'] = params.temperature
        if stop := field(params, 'stop_sequences'):
            settings['stop_sequences'] = stop
        messages = sampling_messages(params.messages, field(params, 'system_prompt'))
        asked = ModelRequestContext(
            model=cast(Any, model),
            messages=messages,
            model_settings=settings,
            model_request_parameters=ModelRequestParameters(),
        )
        try:
            response = await runs.ask(asked)
        except BudgetExceeded:  # what it says is not for the server
            return _refused('There is no budget for a completion.')
        if isinstance(response, str):
            return _refused(response)
        text = ''.join(part.content for part in response.parts if isinstance(part, TextPart))
        file = next((part.content for part in response.parts if isinstance(part, FilePart)), None)
        if file is not None and not text and (file.is_image or file.is_audio):
            return _sampled(_file(file), model.model_name)
        return _sampled(text, model.model_name)

    return sample


def as_handler(model: RequestedModel, runs: RunsUnderWay) -> Callback:
    """Return a function that answers sampling requests with a model, in the form that clients of `fastmcp` take."""
    sample = sampling_with_model(lambda: model, runs)

    async def handle(messages: SdkObject, params: SdkObject, context: SdkObject) -> SdkObject:
        return await sample(context, params)

    return handle


def sampling_with_handler(handler: Callback) -> Callback:
    """Return a sampling callback that calls a function, which returns text or a result of the protocol."""

    async def sample(context: SdkObject, params: SdkObject) -> SdkObject:
        answer = await _awaited(handler(params.messages, params, context))
        return _sampled(answer, 'unknown') if isinstance(answer, str) else answer

    return sample


def _refused(message: str) -> SdkObject:
    return types().ErrorData(code=INTERNAL_ERROR, message=message)


def _sampled(content: str | JsonObject, model_name: str) -> SdkObject:
    block = {'type': 'text', 'text': content} if isinstance(content, str) else content
    return types().CreateMessageResult.model_validate({'role': 'assistant', 'content': block, 'model': model_name})


def _file(file: BinaryContent) -> JsonObject:
    data = base64.b64encode(file.data).decode()
    return {'type': 'image' if file.is_image else 'audio', 'data': data, 'mimeType': file.media_type}


def sampling_messages(messages: Sequence[SdkObject], system_prompt: str | None) -> list[ModelMessage]:
    """Convert the messages of a sampling request to a message history."""
    history: list[ModelMessage] = []
    parts: list[Any] = [SystemPromptPart(content=system_prompt)] if system_prompt else []
    for message in messages:
        content: SdkObject = message.content
        blocks = [
            _sampling_content(block) for block in (cast('list[SdkObject]', content) if is_list(content) else [content])
        ]
        if message.role == 'user':
            lone_text = blocks[0] if len(blocks) == 1 and isinstance(blocks[0], str) else None
            parts.append(UserPromptPart(content=blocks if lone_text is None else lone_text))
            continue
        if parts:
            history.append(ModelRequest(parts=parts, timestamp=now_utc()))
            parts = []
        answer = [TextPart(content=block) if isinstance(block, str) else FilePart(content=block) for block in blocks]
        if history and isinstance(last := history[-1], ModelResponse):
            last.parts = [*last.parts, *answer]
        else:
            history.append(ModelResponse(parts=answer))
    if parts:
        history.append(ModelRequest(parts=parts, timestamp=now_utc()))
    return history


def _sampling_content(block: SdkObject) -> str | BinaryContent:
    if block.type == 'text':
        return block.text
    if block.type in ('image', 'audio'):
        return binary(block.data, field(block, 'mime_type'))
    return str(dump(block))


def elicitation_with_handler(handler: Callback) -> Callback:
    """Return an elicitation callback that calls a function to ask the user.

    The function receives the message, a dataclass for the answer (`None` if there is no field to fill in), and the parameters
    and context of the protocol. It returns an instance of that dataclass, a `dict`, or an `ElicitResult`.
    """

    async def elicit(context: SdkObject, params: SdkObject) -> SdkObject:
        schema = field(params, 'requested_schema')
        answer = await _awaited(handler(params.message, _answer_type(schema), params, context))
        action = getattr(answer, 'action', None)
        if isinstance(action, str):
            content = getattr(answer, 'content', None)
        else:
            action, content = 'accept', answer
        if dataclasses.is_dataclass(content) and not isinstance(content, type):
            content = dataclasses.asdict(content)
        return types().ElicitResult(action=action, content=content)

    return elicit


def _answer_type(schema: JsonObject | None) -> type[object] | None:
    """Return a dataclass with a field for each property, or `None` without properties, or if one cannot be a field."""
    properties: dict[str, JsonObject] = (schema or {}).get('properties') or {}
    if not properties or not all(name.isidentifier() for name in properties):
        return None
    required = set(cast('list[str]', (schema or {}).get('required') or []))
    fields: list[Any] = []
    for name in sorted(properties, key=lambda one: one not in required):  # those without a default come first
        hint = _JSON_TYPES.get(properties[name].get('type', ''), Any)
        default: Any = dataclasses.field(default=properties[name].get('default'))
        fields.append((name, hint) if name in required else (name, hint, default))
    return dataclasses.make_dataclass('Answer', fields)


def roots_callback(roots: Sequence[SdkObject] | Callback) -> Callback:
    """Return a callback that lists roots: URIs, or those that a function of the context returns."""

    async def list_roots(context: SdkObject) -> SdkObject:
        listed = await _awaited(roots(context)) if callable(roots) else roots
        kind = types().Root
        return types().ListRootsResult(roots=[one if isinstance(one, kind) else kind(uri=str(one)) for one in listed])

    return list_roots
