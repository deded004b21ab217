"""What spans say: their names by version, their attributes, and JSON that never fails. OpenTelemetry is not needed here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pydantic_core

from .._contracts.model import ModelRequestParameters
from .._contracts.tool_definition import ToolDefinition
from ..messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, _otel as otel, tool_return_ta
from ..settings import ModelSettings
from ._base import Model

running_agent: ContextVar[dict[str, str] | None] = ContextVar('stead_running_agent', default=None)
"""Attributes that say which agent is running; all spans inside of its run carry them."""

_answering: ContextVar[list[Model[Any]] | None] = ContextVar('stead_answering_model', default=None)

REQUEST_SETTINGS = ('max_tokens', 'top_p', 'seed', 'temperature', 'presence_penalty', 'frequency_penalty')
"""The settings that the conventions have attributes for."""


class SpanNames(NamedTuple):
    """Names that differ between the versions of the instrumentation."""

    run: str
    tool: str
    output: str
    arguments: str
    result: str

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


def spaced_json(value: Any) -> str:
    """Return JSON with spaces, as the attributes of model requests have it; what is no data becomes text."""
    return json.dumps(value, default=otel.plain)


def compact_json(value: Any) -> str:
    """Return JSON without spaces, as the attributes of runs and tool calls have it; what is no data becomes text."""
    try:
        return pydantic_core.to_json(value, inf_nan_mode='null', fallback=_in_words).decode()
    except Exception:
        return pydantic_core.to_json(_in_words(value)).decode()


def _in_words(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # a trace must not break the run that it shows
        return f'<{type(value).__name__}>'


def text_of(value: Any) -> str:
    """Return the result of a tool or an output as text: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return tool_return_ta.dump_json(value, fallback=_in_words).decode()
    except Exception:
        return compact_json(value)


def schema_of(properties: dict[str, dict[str, str]], *, compact: bool) -> str:
    """Return the attribute that tells Logfire which attributes are JSON."""
    schema = {'type': 'object', 'properties': properties}
    return compact_json(schema) if compact else spaced_json(schema)


@contextmanager
def watching_who_answers(model: Model[Any]) -> Iterator[list[Model[Any]]]:
    """Yield a list whose last item is the model that answers a request: the one that was asked, unless it says so."""
    asked = [model]
    token = _answering.set(asked)
    try:
        yield asked
    finally:
        _answering.reset(token)


def answered_by(model: Model[Any]) -> None:
    """Tell the trace of a request that another model answers it than the one that was asked.

    For models that choose among others; does nothing where the request is not traced.
    """
    asked = _answering.get()
    if asked is not None:
        asked.append(model)


def identity_of(model: Model[Any]) -> dict[str, Any]:
    """Return the attributes that say which model a request went to."""
    return {
        'gen_ai.provider.name': model.system,
        'gen_ai.system': model.system,
        'gen_ai.request.model': model.model_name,
        **_server(model.base_url),
    }


def request_attributes(
    model: Model[Any], settings: ModelSettings | None, parameters: ModelRequestParameters
) -> dict[str, Any]:
    """Return the attributes that the span of a model request begins with."""
    attributes: dict[str, Any] = {
        'gen_ai.operation.name': 'chat',
        **identity_of(model),
        'model_request_parameters': compact_json(parameters),
        'logfire.json_schema': schema_of({'model_request_parameters': {'type': 'object'}}, compact=True),
        **(running_agent.get() or {}),
    }
    if definitions := [_tool(tool) for tool in (*parameters.function_tools, *parameters.output_tools)]:
        attributes['gen_ai.tool.definitions'] = compact_json(definitions)
    given: dict[str, Any] = {**(settings or {})}
    for name in REQUEST_SETTINGS:
        if isinstance(value := given.get(name), (int, float)):
            attributes[f'gen_ai.request.{name}'] = value
    return attributes


def _server(url: str | None) -> dict[str, Any]:
    if not url:
        return {}
    try:
        parts = urlsplit(url)
        address, port = parts.hostname, parts.port
    except ValueError:  # no URL that could be taken apart
        return {}
    attributes: dict[str, Any] = {'server.address': address} if address else {}
    return {**attributes, 'server.port': port} if port else attributes


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    described = {'description': tool.description} if tool.description else {}
    return {'type': 'function', 'name': tool.name, **described, 'parameters': tool.parameters_json_schema}


def response_attributes(model: Model[Any], response: ModelResponse) -> dict[str, Any]:
    """Return the attributes that the span of a model request ends with, its content left out."""
    attributes: dict[str, Any] = {
        **response.usage.opentelemetry_attributes(),
        'gen_ai.response.model': response.model_name or model.model_name,
    }
    if response.provider_response_id is not None:
        attributes['gen_ai.response.id'] = response.provider_response_id
    if response.finish_reason is not None:
        attributes['gen_ai.response.finish_reasons'] = [response.finish_reason]
    return attributes


def price_of(response: ModelResponse) -> Any | None:
    """Return the price of a response, or `None` where it is not known."""
    try:
        return response.cost()
    except Exception:  # not installed, not known, or broken data: a trace must not break the run that it shows
        return None


def chat_messages(messages: Iterable[ModelMessage], settings: otel.ContentSettings) -> list[dict[str, Any]]:
    """Return messages as the conventions have them: system prompts apart from the rest of their request."""
    made: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            for is_system, parts in groupby(message.parts, lambda part: isinstance(part, SystemPromptPart)):
                content = [item for part in parts for item in part.otel_message_parts(settings)]
                made.append({'role': 'system' if is_system else 'user', 'parts': content})
        else:
            answer: dict[str, Any] = {'role': 'assistant', 'parts': message.otel_message_parts(settings)}
            if message.finish_reason is not None:
                answer['finish_reason'] = message.finish_reason
            made.append(answer)
    return made


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
            records = [part.otel_event(settings) for part in message.parts]
        else:
            records = message.otel_events(settings)
        for record in records:
            record.attributes = {'gen_ai.message.index': index, **record.attributes}
        events.extend(records)
    for event in events:
        event.body = otel.plain(event.body)
    return events


def event_data(event: Any) -> dict[str, Any]:
    """Return a log record as one object, for the attributes that hold several."""
    return {**(event.body or {}), **(event.attributes or {})}
