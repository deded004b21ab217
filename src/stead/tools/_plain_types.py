"""Core schemas of parameters of plain types, as pydantic makes them.

Most parameters are strings, numbers, lists of them and the like. What pydantic makes of such a type is known, and asking
it means to load half of it and to compile a validator that is not used: three quarters of what a first tool costs.
`tests/tools/test_plain_types.py` holds that nothing differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic_core import core_schema

from .._kit.annotations import TypeForm
from .._kit.json_types import JsonObject

_SCALARS: dict[Any, core_schema.CoreSchema] = {
    str: {'type': 'str'},
    int: {'type': 'int'},
    float: {'type': 'float'},
    bool: {'type': 'bool'},
}


def plain_arguments(
    annotations: Mapping[str, TypeForm], defaults: Mapping[str, object], descriptions: Mapping[str, str]
) -> core_schema.TypedDictSchema | None:
    """Return the schema of a dict of arguments, or `None` if a type is not plain.

    Args:
        annotations: The type of each argument.
        defaults: The default of each argument that has one.
        descriptions: What each argument is for, where that is known.
    """
    fields: dict[str, core_schema.TypedDictField] = {}
    for name, annotation in annotations.items():
        schema = _plain(annotation)
        if schema is None:
            return None
        if name in defaults:
            schema = core_schema.with_default_schema(schema, default=defaults[name])
        text = descriptions.get(name)
        metadata: JsonObject = {'pydantic_js_updates': {'description': text}} if text else {}
        fields[name] = core_schema.typed_dict_field(schema, required=name not in defaults, metadata=metadata)
    return core_schema.typed_dict_schema(
        fields, cls_name='Arguments', computed_fields=[], config=core_schema.CoreConfig(title='Arguments')
    )


def _plain(annotation: TypeForm) -> core_schema.CoreSchema | None:
    """Return the schema of a type, or `None` if it is not plain."""
    try:
        if annotation in _SCALARS:
            return dict(_SCALARS[annotation])  # type: ignore[reportReturnType]
    except TypeError:  # it cannot be hashed
        return None
    if annotation is Any:
        return core_schema.any_schema()
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return core_schema.literal_schema(list(arguments)) if all(type(one) is str for one in arguments) else None
    if origin is Union or origin is UnionType:
        return _plain_union(arguments)
    if origin not in (list, dict):
        return None
    items = [schema for one in arguments if (schema := _plain(one)) is not None]
    if len(items) < len(arguments):
        return None
    if origin is list:
        return core_schema.list_schema(*items)
    return core_schema.dict_schema(*items)


def _plain_union(options: tuple[TypeForm, ...]) -> core_schema.CoreSchema | None:
    choices: list[core_schema.CoreSchema] = []
    for option in options:
        if option is type(None):
            continue
        choice = _plain(option)
        if choice is None:
            return None
        choices.append(choice)
    union = choices[0] if len(choices) == 1 else core_schema.union_schema([*choices])
    return core_schema.nullable_schema(union) if len(choices) < len(options) else union
