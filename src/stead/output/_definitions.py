"""Several JSON schemas in one: merges their definitions, and renames those whose names clash."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .._kit.json_schema import JsonSchema
from .._kit.json_types import JsonObject

_PREFIX = '#/$defs/'
_BY_NAME = ('properties', 'patternProperties', 'dependentSchemas', '$defs')
"""Keywords whose values map names that the user chooses to schemas."""
_DATA = ('default', 'const', 'enum', 'examples')
"""Keywords that hold data rather than schemas."""


def gather_definitions(schemas: list[JsonSchema]) -> tuple[list[JsonSchema], dict[str, JsonSchema]]:
    """Return schemas without their definitions, and the merged definitions of all.

    If two definitions of one name differ, the later one is renamed, after the title of its schema.

    Args:
        schemas: The schemas; they are not changed.
    """
    merged: dict[str, JsonSchema] = {}
    without_definitions: list[JsonSchema] = []
    for schema in schemas:
        definitions: dict[str, JsonSchema] = schema.get('$defs', {})
        rest = {key: value for key, value in schema.items() if key != '$defs'}
        names: dict[str, str] = {}
        for key in _clashes(definitions, merged):
            base = f'{schema["title"]}_{key}' if schema.get('title') else key
            number = 1
            while (name := f'{base}_{number}') in merged or name in definitions:
                number += 1
            names[key] = name
        for key, definition in definitions.items():
            merged.setdefault(names.get(key, key), _with_names(definition, names))
        without_definitions.append(_with_names(rest, names))
    return without_definitions, merged


def _clashes(definitions: dict[str, JsonSchema], merged: dict[str, JsonSchema]) -> list[str]:
    """Return the names of definitions that another definition already has."""
    clashing = {key for key, value in definitions.items() if key in merged and merged[key] != value}
    while clashing:  # an equal definition is a different one if it refers to one that is renamed
        more = {
            key
            for key, value in definitions.items()
            if key in merged and key not in clashing and _references(value) & clashing
        }
        if not more:
            break
        clashing |= more
    return [key for key in definitions if key in clashing]


def _references(schema: JsonSchema) -> set[str]:
    names: set[str] = set()

    def collect(name: str) -> str:
        names.add(name)
        return name

    _walk(schema, collect)
    return names


def _with_names(schema: JsonSchema, names: dict[str, str]) -> JsonSchema:
    return _walk(schema, lambda key: names.get(key, key)) if names else schema


def _walk(schema: Any, rename: Callable[[str], str]) -> Any:
    """Return a copy of a schema in which a function has renamed every definition that it refers to."""
    if isinstance(schema, list):
        return [_walk(item, rename) for item in cast('list[object]', schema)]
    if not isinstance(schema, dict):
        return schema
    copy: JsonObject = {}
    for key, value in cast(JsonObject, schema).items():
        if key == '$ref' and isinstance(value, str):
            copy[key] = _reference(value, rename)
        elif key == 'discriminator' and isinstance(value, dict):
            discriminator = cast(JsonObject, value)
            mapping: dict[str, str] = discriminator.get('mapping', {})
            copy[key] = {**discriminator, 'mapping': {tag: _reference(item, rename) for tag, item in mapping.items()}}
        elif key in _BY_NAME and isinstance(value, dict):
            copy[key] = {name: _walk(item, rename) for name, item in cast(JsonObject, value).items()}
        else:
            copy[key] = value if key in _DATA else _walk(value, rename)
    return copy


def _reference(value: str, rename: Callable[[str], str]) -> str:
    return _PREFIX + rename(value[len(_PREFIX) :]) if value.startswith(_PREFIX) else value
