"""JSON schemas: checking them, and rewriting them for providers that understand only some of the language."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from typing_extensions import TypeAlias

from ..exceptions import UserError

JsonSchema: TypeAlias = dict[str, Any]
"""A JSON schema."""


@dataclass(init=False)
class JsonSchemaTransformer(ABC):
    """Walks a JSON schema and rewrites every schema in it, from the leaves to the root.

    A subclass says in `transform` what becomes of one schema. The schema passed in is not changed.
    """

    schema: JsonSchema = field(repr=False)
    strict: bool | None = None
    is_strict_compatible: bool = True

    def __init__(
        self,
        schema: JsonSchema,
        *,
        strict: bool | None = None,
        prefer_inlined_defs: bool = False,
        simplify_nullable_unions: bool = False,
        flatten_allof: bool = False,
    ) -> None:
        """Prepare to walk a schema.

        Args:
            schema: The schema.
            strict: Whether strict validation is asked for; `None` leaves that to the transformer.
            prefer_inlined_defs: Whether references are replaced by what they refer to, where that is not recursive.
            simplify_nullable_unions: Whether a union with null becomes `nullable: true`.
            flatten_allof: Whether `allOf` of objects becomes one object.
        """
        self.schema = schema
        self.strict = strict
        self.is_strict_compatible = True
        self.prefer_inlined_defs = prefer_inlined_defs
        self.simplify_nullable_unions = simplify_nullable_unions
        self.flatten_allof = flatten_allof
        self.defs: dict[str, JsonSchema] = schema.get('$defs', {})
        self.refs_stack: list[str] = []
        self.recursive_refs: set[str] = set()

    @abstractmethod
    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return what one schema becomes; it may be changed in place."""

    def walk(self) -> JsonSchema:
        """Return the whole schema, rewritten."""
        schema = deepcopy(self.schema)
        schema.pop('$defs', None)
        walked = self._handle(schema)
        if not self.prefer_inlined_defs and self.defs:
            walked['$defs'] = {key: self._handle(deepcopy(value)) for key, value in self.defs.items()}
        elif self.recursive_refs:
            defs = {key: self._handle(deepcopy(self.defs[key])) for key in sorted(self.recursive_refs)}
            root = self.schema.get('$ref')
            root_key = re.sub(r'^#/\$defs/', '', root) if isinstance(root, str) else None
            if root_key is not None and root_key not in defs:
                defs[root_key] = self._handle(deepcopy(self.defs[root_key]))
            walked = {'$defs': defs, **walked}
            if root_key is not None:
                walked['$ref'] = f'#/$defs/{root_key}'
        return walked

    def _handle(self, schema: JsonSchema) -> JsonSchema:
        inlined = 0
        if self.prefer_inlined_defs:
            while isinstance(ref := schema.get('$ref'), str):
                key = re.sub(r'^#/\$defs/', '', ref)
                if key in self.recursive_refs:
                    break
                if key in self.refs_stack:
                    self.recursive_refs.add(key)
                    break
                target = self.defs.get(key)
                if target is None:
                    raise UserError(
                        f'The JSON schema refers to {ref!r}, which is not among its definitions {sorted(self.defs)}.'
                    )
                self.refs_stack.append(key)
                inlined += 1
                siblings = {name: item for name, item in schema.items() if name != '$ref'}
                schema = {**deepcopy(target), **siblings}
        if self.flatten_allof and 'allOf' in schema:
            schema = _flatten_all_of(schema)
        kind = schema.get('type')
        if kind == 'object' or 'properties' in schema:
            self._handle_object(schema)
        if kind == 'array' or 'items' in schema or 'prefixItems' in schema:
            self._handle_array(schema)
        for name in ('anyOf', 'oneOf', 'allOf'):
            if name in schema:
                schema = self._handle_union(schema, name)
        result = self.transform(schema)
        if inlined:
            del self.refs_stack[-inlined:]
        return result

    def _handle_object(self, schema: JsonSchema) -> None:
        for name in ('properties', 'patternProperties'):
            if isinstance(inner := schema.get(name), dict):
                schema[name] = {key: self._handle(value) for key, value in inner.items()}  # type: ignore[reportUnknownVariableType]
        if isinstance(extra := schema.get('additionalProperties'), dict):
            schema['additionalProperties'] = self._handle(extra)  # type: ignore[reportUnknownArgumentType]

    def _handle_array(self, schema: JsonSchema) -> None:
        if isinstance(prefix := schema.get('prefixItems'), list):
            schema['prefixItems'] = [self._handle(item) for item in prefix]  # type: ignore[reportUnknownVariableType]
        if isinstance(items := schema.get('items'), dict):
            schema['items'] = self._handle(items)  # type: ignore[reportUnknownArgumentType]

    def _handle_union(self, schema: JsonSchema, name: Literal['anyOf', 'oneOf', 'allOf']) -> JsonSchema:
        members: list[JsonSchema] = [self._handle(member) for member in schema[name]]
        if name != 'allOf' and self.simplify_nullable_unions and len(members) == 2 and {'type': 'null'} in members:
            other = members[0] if members[1] == {'type': 'null'} else members[1]
            rest = {key: value for key, value in schema.items() if key != name}
            return {**other, **rest, 'nullable': True}
        if len(members) == 1 and name != 'allOf':
            return {**{key: value for key, value in schema.items() if key != name}, **members[0]}
        schema[name] = members
        return schema


def _flatten_all_of(schema: JsonSchema) -> JsonSchema:
    """Return one object schema for an `allOf` of object schemas; anything else stays as it is."""
    members: list[JsonSchema] = schema['allOf']
    if not all(member.get('type', 'object') == 'object' and '$ref' not in member for member in members):
        return schema
    merged: JsonSchema = {key: value for key, value in schema.items() if key != 'allOf'}
    properties: JsonSchema = dict(merged.get('properties', {}))
    required: list[str] = list(merged.get('required', []))
    for member in members:
        properties.update(member.get('properties', {}))
        required += [name for name in member.get('required', []) if name not in required]
        merged.update({k: v for k, v in member.items() if k not in ('properties', 'required')})
    merged['type'] = 'object'
    if properties:
        merged['properties'] = properties
    if required:
        merged['required'] = required
    return merged


class InlineDefsJsonSchemaTransformer(JsonSchemaTransformer):
    """Replaces references by what they refer to, where that is not recursive."""

    def __init__(self, schema: JsonSchema, *, strict: bool | None = None) -> None:
        super().__init__(schema, strict=strict, prefer_inlined_defs=True)

    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return the schema as it is."""
        return schema


def check_object_json_schema(schema: JsonSchema) -> JsonSchema:
    """Return a schema that is one of an object, following a reference at its root.

    Raises:
        UserError: It is a schema of something else.
    """
    if schema.get('type') == 'object':
        return schema
    ref = schema.get('$ref')
    if isinstance(ref, str) and ref.startswith('#/$defs/'):
        key = ref[len('#/$defs/') :]
        target: JsonSchema = schema.get('$defs', {}).get(key, {})
        if target.get('type') == 'object':
            if f'"#/$defs/{key}"' in str(target).replace("'", '"'):
                return schema  # recursive: the definition must stay where its own references find it
            rest = {name: item for name, item in schema.get('$defs', {}).items() if name != key}
            return {**target, **({'$defs': rest} if rest else {})}
        return schema
    raise UserError(f'A JSON schema of an object is needed, not one of type {schema.get("type")!r}: {schema}')
