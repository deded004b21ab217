"""What the cases about models share: ways to call a model directly, and to print requests, responses and streams."""

import asyncio
import dataclasses
import json

from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.tools import ToolDefinition

OWN_WORDS = (
    UserError,
    TypeError,
    KeyError,
    ValueError,
    AssertionError,
    LookupError,
    NotImplementedError,
    AttributeError,
)


def error_text(error):
    """The words of errors for developers are our own; those of others are part of the interface."""
    return type(error).__name__ if isinstance(error, OWN_WORDS) else f'{type(error).__name__}: {error}'


def fact(name, value):
    """Print one fact as a line of JSON, in plain data."""
    print(json.dumps({name: plain(value)}))


def plain(value):
    """Plain data: dataclasses as their class and the fields that differ from their defaults."""
    if isinstance(value, type):
        return value.__name__
    if dataclasses.is_dataclass(value):
        fields_set = {'class': type(value).__name__}
        for field in dataclasses.fields(value):
            value_of_field = getattr(value, field.name)
            default = field.default_factory() if callable(field.default_factory) else field.default
            if (
                field.name not in ('timestamp', 'part_kind', 'event_kind', 'kind', 'part_delta_kind')
                and value_of_field != default
            ):
                fields_set[field.name] = plain(value_of_field)
        return fields_set
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(json.dumps(plain(item)) for item in value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return f'<{type(value).__name__}>'


def attempt(name, function, *args, **kwargs):
    """Print the value of a function, awaited if need be, or its error."""
    try:
        value = function(*args, **kwargs)
        if hasattr(value, '__await__'):
            value = asyncio.run(value)
    except Exception as error:
        fact(name, error_text(error))
        return None
    fact(name, value)
    return value


def user(text='hello'):
    """A request with one user prompt."""
    return ModelRequest(parts=[UserPromptPart(text)])


def tool(name='t', schema=None, **more):
    """A definition of a tool."""
    return ToolDefinition(name=name, parameters_json_schema=schema or {'type': 'object', 'properties': {}}, **more)


async def consume(model, messages=None, params=None, settings=None, show=True):
    """Stream a request, and print the events, the response and the usage."""
    async with model.request_stream(messages or [user()], settings, params or ModelRequestParameters()) as stream:
        async for event in stream:
            if show:
                fact('event', event)
        facts(stream)
    return stream


def facts(stream):
    """Print what a stream says of itself."""
    response = stream.get()
    fact(
        'response',
        [response.parts, response.model_name, response.provider_name, response.state, response.finish_reason],
    )
    fact('usage', [response.usage.input_tokens, response.usage.output_tokens, response.usage.details])
    fact('final', stream.final_result_event)


def streamed(*pieces, **options):
    """A model that streams pieces."""

    async def answer(messages, info):
        for piece in pieces:
            yield piece

    return FunctionModel(stream_function=answer, **options)


def stream(title, model, *args, **kwargs):
    """Stream a request, under a title."""
    print('==', title)
    try:
        return asyncio.run(consume(model, *args, **kwargs))
    except Exception as error:
        fact('error', error_text(error))
