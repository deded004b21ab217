"""The content of spans: their names by version, their attributes, and JSON that never fails. Does not use OpenTelemetry."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pydantic_core
from pydantic import TypeAdapter

from .._contracts.model import ModelRequestParameters, written_fields
from .._contracts.tool_definition import ToolDefinition
from .._kit.json_types import JsonObject
from .._kit.sdk_types import PriceCalculation
from ..exceptions import CostCalculationFailedWarning
from ..messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    ToolReturnPart,
    UserPromptPart,
    _otel as otel,
    tool_return_ta,
)
from ..native_tools import AbstractNativeTool, MCPServerTool
from ..settings import ModelSettings
from ._base import Model
from ._wire.kept import KeptTexts

running_agent: ContextVar[dict[str, str] | None] = ContextVar('stead_running_agent', default=None)
"""The attributes that identify the running agent, which all spans in its run have."""

# Other objects in requests are not shown, since tracing must not break the run.
_REQUEST_PARTS = (SystemPromptPart, UserPromptPart, ToolReturnPart, RetryPromptPart)
HIDDEN = '(hidden)'
"""What spans have in place of credentials."""

PARAMETERS = ('model_request_parameters', 'object')
"""The entry of `schema_of` for the parameters of a request."""
REQUEST_SETTINGS = ('max_tokens', 'top_p', 'seed', 'temperature', 'presence_penalty', 'frequency_penalty')
"""The settings for which the semantic conventions define attributes."""


class SpanNames(NamedTuple):
    """The names of spans and attributes that differ between the versions of the instrumentation."""

    run: str
    """The name of the span of a run, with `{name}` for the agent."""
    tool: str
    """The name of the span of a tool call, with `{name}` for the tool."""
    output: str
    """The name of the span of an output function, with `{name}` for the function."""
    arguments: str
    """The attribute for the arguments of a call."""
    result: str
    """The attribute for the result of a call."""

    def of_run(self, agent: str) -> str:
        """Return the name of the span of a run."""
        return self.run.format(name=agent)

    def of_tool(self, tool: str) -> str:
        """Return the name of the span of a tool call."""
        return self.tool.format(name=tool)

    def of_output(self, function: str) -> str:
        """Return the name of the span of an output function."""
        return self.output.format(name=function)


_EARLY = SpanNames('agent run', 'running tool', 'running output function', 'tool_arguments', 'tool_response')
_CONVENTIONAL = SpanNames(
    'invoke_agent {name}',
    'execute_tool {name}',
    'execute_tool {name}',
    'gen_ai.tool.call.arguments',
    'gen_ai.tool.call.result',
)


def span_names(version: int) -> SpanNames:
    """Return the names of a version of the instrumentation."""
    return _EARLY if version < 3 else _CONVENTIONAL


_spaced = json.JSONEncoder(default=otel.plain).encode


def _spaced_writer() -> Callable[[object, int], Iterable[str]] | None:
    """Return what `JSONEncoder.encode` makes again at each call, which takes longer than all the rest of it.

    Returns `None` if the standard library does not have it as expected: it is not a public name.
    """
    try:
        encoder: Any = json.encoder
        escaped = encoder.encode_basestring_ascii
        write = encoder.c_make_encoder(None, otel.plain, escaped, None, ': ', ', ', False, False, True)
        return write if ''.join(write({'a': [1]}, 0)) == '{"a": [1]}' else None
    except Exception:
        return None


_write_spaced = _spaced_writer()


def spaced_json(value: object) -> str:
    """Return JSON with spaces, as the attributes of model requests have it. Other objects become text."""
    if _write_spaced is not None:
        try:
            return ''.join(_write_spaced(value, 0))
        except Exception:  # the same error comes from below, with better words
            pass
    return _spaced(value)


def compact_json(value: object, settings: otel.ContentSettings | None = None) -> str:
    """Return JSON without spaces, as the attributes of runs and tool calls have it. Other objects become text."""
    if settings is not None and not settings.include_binary_content:
        value = otel.shown(value, settings)
    try:
        return pydantic_core.to_json(value, inf_nan_mode='null', fallback=_safe_str).decode()
    except Exception:
        return pydantic_core.to_json(_safe_str(value)).decode()


def _safe_str(value: object) -> str:
    try:
        return str(value)
    except Exception:  # tracing must not break the run
        return f'<{type(value).__name__}>'


def text_of(value: object, settings: otel.ContentSettings) -> str:
    """Return the result of a tool or an output as text: strings unchanged, other values as JSON."""
    if isinstance(value, str):
        return value
    if not settings.include_binary_content:
        value = otel.shown(value, settings)
    try:
        return tool_return_ta.serializer.to_json(value, fallback=_safe_str).decode()
    except Exception:
        return compact_json(value)


@lru_cache(256)
def schema_of(properties: tuple[tuple[str, str], ...], *, compact: bool) -> str:
    """Return the value of `logfire.json_schema`, which tells Logfire which attributes are JSON.

    Args:
        properties: The names of attributes, with their types: `'array'`, `'object'`, or `''` for others.
        compact: Whether the schema is written without spaces.
    """
    described = {name: {'type': kind} if kind else {} for name, kind in properties}
    schema = {'type': 'object', 'properties': described}
    return compact_json(schema) if compact else spaced_json(schema)


class AnsweringModel:
    """The model that answers a traced request, while its `with` block runs: the given one, unless `answered_by` names another."""

    __slots__ = ('_token', 'model', 'parameters')

    model: Model
    """The model that was asked, unless it chose among others and `answered_by` named that one."""
    parameters: ModelRequestParameters | None
    """The parameters that the chosen model received; `None` for those of the request."""

    def __init__(self, model: Model) -> None:
        self.model, self.parameters = model, None

    def __enter__(self) -> AnsweringModel:
        self._token = _answering.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _answering.reset(self._token)


_answering: ContextVar[AnsweringModel | None] = ContextVar('stead_answering_model', default=None)


def answered_by(
    model: Model, settings: ModelSettings | None = None, parameters: ModelRequestParameters | None = None
) -> None:
    """Record in the trace of a request which model answers it, for models that choose among others.

    Does nothing if the request is not traced.

    Args:
        model: The model that answers.
        settings: The settings that were passed to it.
        parameters: The parameters that were passed to it; `None` if they are those of the request.
    """
    answering = _answering.get()
    if answering is None:
        return
    answering.model = model
    if parameters is not None:
        answering.parameters = model.prepare_request(settings, parameters)[1]


def identity_of(model: Model) -> JsonObject:
    """Return the attributes that identify the model of a request."""
    system = model.system
    return {
        'gen_ai.provider.name': system,
        'gen_ai.system': system,
        'gen_ai.request.model': model.model_name,
        **_server(model.base_url),
    }


def parameters_json(parameters: ModelRequestParameters, *, include_content: bool) -> str:
    """Return the parameters of a request as JSON, without credentials.

    Args:
        parameters: The parameters.
        include_content: Whether spans include content. Otherwise instructions have no text, native tools no options, and
            tools no metadata; their names, descriptions and schemas define the program and are not what is said in a run.
    """
    if include_content:
        if any(isinstance(tool, MCPServerTool) for tool in parameters.native_tools):
            tools = [_without_credentials(tool) for tool in parameters.native_tools]
            parameters = replace(parameters, native_tools=tools)
        values = written_fields(parameters)
        if parameters.instruction_parts:
            values['instruction_parts'] = _instructions().dump_python(parameters.instruction_parts, warnings=False)
        return compact_json(values)
    values = written_fields(parameters)
    for name in ('function_tools', 'output_tools'):
        values[name] = [replace(tool, metadata=None) for tool in values[name]]
    values['native_tools'] = [{'kind': tool.kind, 'optional': tool.optional} for tool in parameters.native_tools]
    del values['prompted_output_template']
    if (instructions := parameters.instruction_parts) is not None:
        values['instruction_parts'] = [{'dynamic': part.dynamic, 'part_kind': part.part_kind} for part in instructions]
    return compact_json(values)


@lru_cache(1)
def _instructions() -> TypeAdapter[list[InstructionPart]]:
    return TypeAdapter(list[InstructionPart])


def _without_credentials(tool: AbstractNativeTool) -> AbstractNativeTool:
    if not isinstance(tool, MCPServerTool):
        return tool
    return replace(
        tool,
        authorization_token=HIDDEN if tool.authorization_token else tool.authorization_token,
        headers=dict.fromkeys(tool.headers, HIDDEN) if tool.headers else tool.headers,
    )


def request_attributes(model: Model, settings: ModelSettings | None) -> JsonObject:
    """Return the attributes that the span of a model request begins with."""
    attributes: JsonObject = {'gen_ai.operation.name': 'chat', **identity_of(model), **(running_agent.get() or {})}
    if settings:
        values: JsonObject = {**settings}
        for name in REQUEST_SETTINGS:
            if isinstance(value := values.get(name), (int, float)):
                attributes[f'gen_ai.request.{name}'] = value
    return attributes


def parameter_attributes(parameters: ModelRequestParameters, *, include_content: bool) -> JsonObject:
    """Return the attributes of the parameters of a request, and of the tools in them; arguments as `parameters_json`."""
    attributes: JsonObject = {
        'model_request_parameters': parameters_json(parameters, include_content=include_content),
        'logfire.json_schema': schema_of((PARAMETERS,), compact=True),
    }
    if definitions := [_tool(tool) for tool in (*parameters.function_tools, *parameters.output_tools)]:
        attributes['gen_ai.tool.definitions'] = compact_json(definitions)
    return attributes


@lru_cache(256)
def _server(url: str | None) -> JsonObject:
    if not url:
        return {}
    try:
        parts = urlsplit(url)
        address, port = parts.hostname, parts.port
    except ValueError:  # an invalid URL
        return {}
    attributes: JsonObject = {'server.address': address} if address else {}
    return {**attributes, 'server.port': port} if port else attributes


def _tool(tool: ToolDefinition) -> JsonObject:
    described = {'description': tool.description} if tool.description else {}
    return {'type': 'function', 'name': tool.name, **described, 'parameters': tool.parameters_json_schema}


def response_attributes(model: Model, response: ModelResponse) -> JsonObject:
    """Return the attributes that the span of a model request ends with, without the content."""
    attributes: JsonObject = {
        **response.usage.opentelemetry_attributes(),
        'gen_ai.response.model': response.model_name or model.model_name,
    }
    if response.provider_response_id is not None:
        attributes['gen_ai.response.id'] = response.provider_response_id
    if response.finish_reason is not None:
        attributes['gen_ai.response.finish_reasons'] = [response.finish_reason]
    return attributes


_MOST_UNPRICED = 256


class Prices:
    """The prices of responses. Models whose price is not known are looked up once, which takes as long as a whole span."""

    def __init__(self) -> None:
        self._unpriced: dict[tuple[str | None, str | None, str | None], object] = {}
        """The names of models, with the table of prices that does not have them."""

    def of(self, response: ModelResponse, *, include_content: bool = True) -> PriceCalculation | None:
        """Return the `genai_prices` price of a response, or `None` if it is not known.

        Args:
            response: The response.
            include_content: Whether the warning about a price that cannot be calculated may quote the error.

        Raises:
            ImportError: The package genai-prices is not installed.
        """
        model = response.model_name, response.provider_name, response.provider_url
        if (table := self._unpriced.get(model)) is not None and table is _price_table():
            return None
        try:
            return response.cost()
        except ImportError:  # of interest to the caller
            raise
        except Exception as error:  # tracing must not break the run
            if isinstance(error, LookupError) and response.model_name:  # a model whose price is not known
                if type(error) is LookupError and len(self._unpriced) < _MOST_UNPRICED:
                    self._unpriced[model] = _price_table()
                return None
            reason = f'{type(error).__name__}: {error}' if include_content else type(error).__name__
            warnings.warn(f'Failed to get cost from response: {reason}', CostCalculationFailedWarning, stacklevel=2)
            return None


def _price_table() -> object | None:
    """Return the table of prices that is in use, which `genai_prices` replaces when it updates it; `None` if it has none."""
    current: Any = getattr(sys.modules.get('genai_prices.data_snapshot'), 'get_snapshot', None)
    return None if current is None else current()


def chat_messages(messages: Iterable[ModelMessage], settings: otel.ContentSettings) -> list[JsonObject]:
    """Return messages in the format of the conventions, with system prompts apart from the rest of their request."""
    chat: list[JsonObject] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            if len(message.parts) == 1 and type(message.parts[0]) is ToolReturnPart:  # as most of them are
                chat.append({'role': 'user', 'parts': message.parts[0].otel_message_parts(settings)})
                continue
            for is_system, parts in groupby(message.parts, lambda part: isinstance(part, SystemPromptPart)):
                known = [part for part in parts if isinstance(part, _REQUEST_PARTS)]
                content = [item for part in known for item in part.otel_message_parts(settings)]
                chat.append({'role': 'system' if is_system else 'user', 'parts': content})
        else:
            answer: JsonObject = {'role': 'assistant', 'parts': message.otel_message_parts(settings)}
            if message.finish_reason is not None:
                answer['finish_reason'] = message.finish_reason
            chat.append(answer)
    return chat


def messages_json(
    messages: Sequence[ModelMessage], response: ModelResponse | None, settings: otel.ContentSettings, kept: KeptTexts
) -> tuple[str, str]:
    """Return messages as `chat_messages` does, as JSON with spaces, and the response to them likewise.

    Args:
        messages: The messages.
        response: The response; `None` leaves it out.
        settings: What spans include.
        kept: Where the JSON of messages is kept; each message is encoded once.
    """
    key = (settings.include_content, settings.include_binary_content, settings.version)

    def encode(message: ModelMessage) -> tuple[list[str], bool]:
        entries = chat_messages((message,), settings)
        if len(entries) == 1:  # as most of them have
            return [spaced_json(entries[0]) + ', '], True
        return [''.join([f'{spaced_json(entry)}, ' for entry in entries])], True

    if response is None:
        return _json_array(kept.encode(messages, key, encode)), '[]'
    # In one go, because the response will follow the messages in the next request.
    asked, answered = kept.encode_with_last([*messages, response], key, encode)
    return _json_array(asked), f'[{answered[:-2]}]'


def _json_array(items: list[str]) -> str:
    """Return a JSON array of items, each text of which ends with a comma and a space, if it is not empty."""
    while items and not items[-1]:
        items.pop()
    if items:
        items[-1] = items[-1][:-2]
    return ''.join(('[', *items, ']'))


def message_events(
    messages: Iterable[ModelMessage], instructions: str | None, settings: otel.ContentSettings
) -> list[Any]:
    """Return the log records of messages (instrumentation version 1)."""
    events: list[Any] = []
    if instructions is not None:
        content = {'content': instructions} if settings.include_content else {}
        events.append(otel.event('gen_ai.system.message', {**content, 'role': 'system'}))
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            records = [part.otel_event(settings) for part in message.parts if isinstance(part, _REQUEST_PARTS)]
        else:
            records = message.otel_events(settings)
        for record in records:
            record.attributes = {'gen_ai.message.index': index, **record.attributes}
        events.extend(records)
    for event in events:
        event.body = otel.plain(event.body)
    return events


def event_data(event: Any) -> JsonObject:
    """Return a log record as one JSON object, for attributes that hold several."""
    return {**(event.body or {}), **(event.attributes or {})}
