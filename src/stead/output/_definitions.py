"""Several JSON schemas in one: their definitions are put together, and renamed where names clash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .._kit.json_schema import JsonSchema

_PREFIX = '#/$defs/'
_BY_NAME = ('properties', 'patternProperties', 'dependentSchemas', '$defs')
"""Keywords that hold schemas by names of the user's choice."""
_DATA = ('default', 'const', 'enum', 'examples')
"""Keywords that hold data rather than schemas."""


def gather_definitions(schemas: list[JsonSchema]) -> tuple[list[JsonSchema], dict[str, JsonSchema]]:
    """Return schemas without their definitions, and all these definitions together.

    Two definitions of one name may differ; then the later one is renamed, after the title of its schema.

    Args:
        schemas: The schemas; they are not changed.
    """
    together: dict[str, JsonSchema] = {}
    bare: list[JsonSchema] = []
    for schema in schemas:
        definitions: dict[str, JsonSchema] = schema.get('$defs', {})
        rest = {key: value for key, value in schema.items() if key != '$defs'}
        names: dict[str, str] = {}
        for key in _clashes(definitions, together):
            base = f'{schema["title"]}_{key}' if schema.get('title') else key
            number = 1
            while (name := f'{base}_{number}') in together or name in definitions:
                number += 1
            names[key] = name
        for key, definition in definitions.items():
            together.setdefault(names.get(key, key), _with_names(definition, names))
        bare.append(_with_names(rest, names))
    return bare, together


def _clashes(definitions: dict[str, JsonSchema], together: dict[str, JsonSchema]) -> list[str]:
    """Return the names of definitions that stand for something else already."""
    clashing = {key for key, value in definitions.items() if key in together and together[key] != value}
    while clashing:  # a definition that looks the same is not, if it refers to one that is renamed
        more = {
            key
            for key, value in definitions.items()
            if key in together and key not in clashing and _references(value) & clashing
        }
        if not more:
            break
        clashing |= more
    return [key for key in definitions if key in clashing]


def _references(schema: JsonSchema) -> set[str]:
    found: set[str] = set()

    def note(key: str) -> str:
        found.add(key)
        return key

    _walk(schema, note)
    return found


def _with_names(schema: JsonSchema, names: dict[str, str]) -> JsonSchema:
    return _walk(schema, lambda key: names.get(key, key)) if names else schema


def _walk(schema: Any, rename: Callable[[str], str]) -> Any:
    """Return a copy of a schema with every name of a definition that it refers to passed through a function."""
    if isinstance(schema, list):
        return [_walk(item, rename) for item in cast('list[Any]', schema)]
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Any] = {}
    for key, value in cast('dict[str, Any]', schema).items():
        if key == '$ref' and isinstance(value, str):
            made[key] = _reference(value, rename)
        elif key == 'discriminator' and isinstance(value, dict):
            given = cast('dict[str, Any]', value)
            mapping: dict[str, Any] = given.get('mapping', {})
            made[key] = {**given, 'mapping': {tag: _reference(item, rename) for tag, item in mapping.items()}}
        elif key in _BY_NAME and isinstance(value, dict):
            made[key] = {name: _walk(item, rename) for name, item in cast('dict[str, Any]', value).items()}
        else:
            made[key] = value if key in _DATA else _walk(value, rename)
    return made


def _reference(value: str, rename: Callable[[str], str]) -> str:
    return _PREFIX + rename(value[len(_PREFIX) :]) if value.startswith(_PREFIX) else value
