"""JSON schemas: checks, and transformers for providers that support only a subset of the language."""

from __future__ import annotations

import ast
import inspect
import json
import math
from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from typing_extensions import TypeAlias

from ..exceptions import UserError
from .input_bounds import input_bounds, set_by
from .json_types import JsonObject

JsonSchema: TypeAlias = JsonObject
"""A JSON schema."""


@dataclass(init=False)
class JsonSchemaTransformer(ABC):
    """Base class of transformers, which rewrite every schema inside a JSON schema, from the leaves to the root.

    A subclass rewrites a single schema in `transform`. The schema passed in is not changed.
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
    ) -> None:
        """Prepare to transform a schema.

        Args:
            schema: The schema.
            strict: Whether strict validation is requested; `None` leaves that to the transformer.
            prefer_inlined_defs: Whether references are replaced by their definitions, unless these are recursive.
            simplify_nullable_unions: Whether a union with null becomes `nullable: true`.
        """
        self.schema = schema
        self.strict = strict
        self.is_strict_compatible = True
        self.prefer_inlined_defs = prefer_inlined_defs
        self.simplify_nullable_unions = simplify_nullable_unions
        defs: object = schema.get('$defs')
        self.defs: dict[str, JsonSchema] = defs if isinstance(defs, dict) else {}
        self._sizes: dict[str, int] = {}
        self._written = 0
        self.refs_stack: list[str] = []
        self.recursive_refs: set[str] = set()

    @abstractmethod
    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return a transformed schema; the argument may be changed in place."""

    def walk(self) -> JsonSchema:
        """Return the whole schema, transformed.

        Raises:
            UserError: It refers to a definition that it has not, it is too deep, or too large with its definitions written out.
        """
        try:
            return self._walk()
        except RecursionError:
            raise UserError('The JSON schema has too many levels of schemas in each other.') from None

    def _walk(self) -> JsonSchema:
        schema = deepcopy(self.schema)
        schema.pop('$defs', None)
        walked = self._handle(schema)
        if not self.prefer_inlined_defs and self.defs:
            walked['$defs'] = {key: self._handle(deepcopy(value)) for key, value in self.defs.items()}
        elif self.recursive_refs:
            defs = {key: self._handle(deepcopy(self.defs[key])) for key in sorted(self.recursive_refs)}
            root = self.schema.get('$ref')
            if isinstance(root, str):
                root_key = _key(root)
                defs.setdefault(root_key, walked)
            else:
                root_key = self.schema.get('title', 'root')
                while root_key in defs:
                    root_key += '_'
                defs[root_key] = walked
            walked = {'$defs': defs, '$ref': f'#/$defs/{root_key}'}
        return walked

    def _handle(self, schema: Any) -> Any:
        if not isinstance(schema, dict):  # `true` and `false` are schemas, too
            return schema
        return self._handle_mapping(schema)  # type: ignore[reportUnknownArgumentType]

    def _handle_mapping(self, schema: JsonSchema) -> JsonSchema:
        inlined = 0
        if self.prefer_inlined_defs:
            while isinstance(ref := schema.get('$ref'), str):
                key = _key(ref)
                if key in self.recursive_refs:
                    break
                if key in self.refs_stack:
                    self.recursive_refs.add(key)
                    break
                target = self.defs.get(key)
                if not isinstance(target, dict):
                    raise UserError(
                        f'The JSON schema refers to {ref!r}, which is not among its definitions {sorted(self.defs)}.'
                    )
                self._count(key, target)
                self.refs_stack.append(key)
                inlined += 1
                siblings = {name: item for name, item in schema.items() if name != '$ref'}
                schema = {**deepcopy(target), **siblings}
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

    def _count(self, key: str, target: JsonSchema) -> None:
        """Count a definition that is written out: each may double the next one."""
        size = self._sizes.get(key)
        if size is None:
            size = self._sizes[key] = _size(target)
        self._written += size
        if self._written > (most := input_bounds().schema_values):
            raise UserError(
                f'The JSON schema has more than {most} values when its definitions are written out, as the model needs it '
                f'({set_by("schema_values")}).'
            )

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
        if not isinstance(schema[name], list):
            return schema
        members: list[Any] = [self._handle(member) for member in schema[name]]
        rest = {key: value for key, value in schema.items() if key != name}
        if name != 'allOf':
            if self.simplify_nullable_unions and len(members) == 2 and {'type': 'null'} in members:
                other = members[0] if members[1] == {'type': 'null'} else members[1]
                if isinstance(other, dict):
                    return {**other, 'nullable': True, **rest}
            if len(members) == 1 and isinstance(members[0], dict):
                return {**members[0], **rest}
        return {**rest, name: members}


def _size(value: object) -> int:
    """Return how many values there are in JSON data."""
    size, left = 0, [value]
    while left:
        size += 1
        item: Any = left.pop()
        left += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return size


def _key(reference: str) -> str:
    return reference.removeprefix('#/$defs/')


class InlineDefsJsonSchemaTransformer(JsonSchemaTransformer):
    """A transformer that replaces references by their definitions, unless these are recursive."""

    def __init__(self, schema: JsonSchema, *, strict: bool | None = None) -> None:
        super().__init__(schema, strict=strict, prefer_inlined_defs=True)

    def transform(self, schema: JsonSchema) -> JsonSchema:
        """Return the schema as it is."""
        return schema


def check_object_json_schema(schema: JsonSchema) -> JsonSchema:
    """Return the schema of an object, following a reference at its root.

    Raises:
        UserError: It is not the schema of an object.
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
    raise UserError(f'The JSON schema must be that of an object, not of type {schema.get("type")!r}: {schema}')


class DocumentedJsonSchema(GenerateJsonSchema):
    """A generator of JSON schemas with the behaviour of the newest pydantic, whichever version is installed."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Return the JSON schema of a dataclass, with its docstring; some versions of pydantic leave that out."""
        generated = super().dataclass_schema(schema)
        docstring: str = vars(schema['cls']).get('__doc__') or ''
        written = docstring and not docstring.startswith(f'{schema["cls"].__name__}(')  # not generated by `dataclasses`
        if written and 'description' not in generated and '$ref' not in generated:
            generated['description'] = inspect.cleandoc(docstring)
        return generated

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Return the JSON schema of a value with a default, without one that JSON does not have, such as infinity."""
        generated = super().default_schema(schema)
        if _has_bad_number(schema.get('default')):
            generated.pop('default', None)
        return generated

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        """Return the JSON schema of a number, without bounds that JSON does not have."""
        generated = super().float_schema(schema)
        return {key: value for key, value in generated.items() if not _has_bad_number(value)}


class UseEnumMemberDocstrings:
    """A base class of enums whose members have docstrings that models are to see, as the descriptions of the values.

        class Size(UseEnumMemberDocstrings, Enum):
            SMALL = 's'
            '''For one person.'''

    Schemas that go to a model have them where the source of the class can be read; other schemas are as ever.
    """


def documented_members(cls: type) -> dict[str, str]:
    """Return the docstrings of the members of an enum: texts that stand below them in the source of the class."""
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):  # made without one, as by `Enum('Name', [...])`
        return {}
    nodes = ast.walk(ast.parse(f'if True:\n{source}' if source[0].isspace() else source))
    body = next(node.body for node in nodes if isinstance(node, ast.ClassDef))
    found: dict[str, str] = {}
    for member, text in pairwise(body):
        if isinstance(member, ast.Assign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            if isinstance(text.value.value, str) and isinstance(member.targets[0], ast.Name):
                found[member.targets[0].id] = inspect.cleandoc(text.value.value)
    return found


def _has_bad_number(value: object) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(map(_has_bad_number, value.values()))  # type: ignore[reportUnknownArgumentType]
    return isinstance(value, (list, tuple)) and any(map(_has_bad_number, value))  # type: ignore[reportUnknownArgumentType]


def with_schema(template: str, schema: JsonSchema, title: str | None = None, description: str | None = None) -> str:
    """Return a text with a schema in place of `{schema}`, or after the text if it has no such placeholder.

    Args:
        template: The text.
        schema: The schema.
        title: A title that replaces that of the schema.
        description: A description that replaces that of the schema.
    """
    names = {'title': title, 'description': description}
    text = json.dumps({**schema, **{key: name for key, name in names.items() if name}})
    if '{schema}' not in template:
        return f'{template}\n\n{text}'
    try:
        return template.format(schema=text)
    except (LookupError, ValueError, AttributeError):  # other braces, not doubled: they are literal
        return template.replace('{schema}', text)
