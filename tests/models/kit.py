"""What the tests of models share."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from typing import Any, TypeVar

from stead.messages import ModelRequest, UserPromptPart
from stead.models import Model, ModelRequestParameters, StreamedResponse
from stead.tools import ToolDefinition

T = TypeVar('T')
TEXT = ModelRequestParameters()


def do(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


def user(text: str = 'hello') -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(text)])


def tool(name: str = 't', schema: dict[str, Any] | None = None, **more: Any) -> ToolDefinition:
    return ToolDefinition(name=name, parameters_json_schema=schema or {'type': 'object', 'properties': {}}, **more)


async def streamed(model: Model, params: ModelRequestParameters = TEXT) -> tuple[list[Any], StreamedResponse]:
    """Stream a request; return its events and the response."""
    async with model.request_stream([user()], None, params) as response:
        return [event async for event in response], response


def wrong(value: Any, schema: Any, root: dict[str, Any] | None = None) -> str:
    """Return what is wrong with data under a schema, or nothing. It knows the keywords that the tests use."""
    root = schema if root is None else root
    if schema is True or schema == {}:
        return ''
    if schema is False:
        return f'{value!r} where there may be nothing'
    if '$ref' in schema:
        return wrong(value, _target(root, schema['$ref']), root)
    for part in schema.get('allOf', []):
        if problem := wrong(value, part, root):
            return problem
    for key, enough in (('anyOf', lambda n: n > 0), ('oneOf', lambda n: n == 1)):
        if key in schema and not enough(sum(not wrong(value, part, root) for part in schema[key])):
            return f'{value!r} does not fit {key} of {schema[key]}'
    if 'not' in schema and not wrong(value, schema['not'], root):
        return f'{value!r} is what it must not be'
    if 'const' in schema and (value != schema['const'] or type(value) is not type(schema['const'])):
        return f'{value!r} is not {schema["const"]!r}'
    if 'enum' in schema and value not in schema['enum']:
        return f'{value!r} is not in {schema["enum"]}'
    kinds = schema.get('type', [])
    if kinds and not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return f'{value!r} is not of type {kinds}'
    if isinstance(value, str):
        return _wrong_text(value, schema)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _wrong_number(value, schema)
    if isinstance(value, list):
        return _wrong_array(value, schema, root)
    return _wrong_object(value, schema, root) if isinstance(value, dict) else ''


def _target(root: Any, reference: str) -> Any:
    for key in reference.removeprefix('#').split('/')[1:]:
        key = key.replace('~1', '/').replace('~0', '~')
        root = root[int(key)] if isinstance(root, list) else root[key]
    return root


def _is(value: Any, kind: str) -> bool:
    names = {
        str: 'string',
        bool: 'boolean',
        type(None): 'null',
        list: 'array',
        dict: 'object',
        int: 'integer',
        float: 'number',
    }
    mine = names[type(value)]
    return mine == kind or (mine == 'integer' and kind == 'number')


def _wrong_text(value: str, schema: dict[str, Any]) -> str:
    if not schema.get('minLength', 0) <= len(value) <= schema.get('maxLength', 10**9):
        return f'{value!r} has {len(value)} characters'
    if 'pattern' in schema and not re.search(schema['pattern'], value):
        return f'{value!r} does not match {schema["pattern"]!r}'
    return ''


def _wrong_number(value: float, schema: dict[str, Any]) -> str:
    if value < schema.get('minimum', value) or value > schema.get('maximum', value):
        return f'{value} is out of bounds'
    if value <= schema.get('exclusiveMinimum', value - 1) or value >= schema.get('exclusiveMaximum', value + 1):
        return f'{value} is on the bounds or out of them'
    if 'multipleOf' in schema:
        times = value / schema['multipleOf']
        if abs(times - round(times)) > 1e-9:
            return f'{value} is no multiple of {schema["multipleOf"]}'
    return ''


def _wrong_array(value: list[Any], schema: dict[str, Any], root: Any) -> str:
    if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', 10**9):
        return f'{len(value)} items'
    if schema.get('uniqueItems') and any(value[i] == value[j] for i in range(len(value)) for j in range(i)):
        return f'the same twice in {value}'
    if 'contains' in schema and all(wrong(item, schema['contains'], root) for item in value):
        return f'nothing in {value} is what it must contain'
    first = schema.get('prefixItems', [])
    schemas = [*first, *[schema.get('items', True)] * max(0, len(value) - len(first))]
    return next((problem for item, part in zip(value, schemas) if (problem := wrong(item, part, root))), '')


def _wrong_object(value: dict[str, Any], schema: dict[str, Any], root: Any) -> str:
    if not schema.get('minProperties', 0) <= len(value) <= schema.get('maxProperties', 10**9):
        return f'{len(value)} properties'
    if missing := [key for key in schema.get('required', []) if key not in value]:
        return f'{missing} missing'
    for key, needed in schema.get('dependentRequired', {}).items():
        if key in value and not set(needed) <= value.keys():
            return f'{key} without {needed}'
    known = schema.get('properties', {})
    for key, item in value.items():
        if problem := wrong(key, schema.get('propertyNames', True), root):
            return problem
        patterns = [part for pattern, part in schema.get('patternProperties', {}).items() if re.search(pattern, key)]
        parts = [*([known[key]] if key in known else []), *patterns] or [schema.get('additionalProperties', True)]
        for part in parts:
            if problem := wrong(item, part, root):
                return f'{key}: {problem}'
    return ''
