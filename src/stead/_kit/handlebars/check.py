"""Whether a template names fields that the data will not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..records import is_dict
from .read import MOST_NESTING, Block, Expression, Literal, Lookup, Node, Output


def problems(nodes: Sequence[Node], schema: dict[str, Any]) -> list[str]:
    """Return what in a template names fields that data of a JSON schema does not have."""
    found: list[str] = []
    _Checker(schema, found).check(nodes, [schema], {})
    return found


@dataclass
class _Checker:
    root: dict[str, Any]
    found: list[str]

    def check(self, nodes: Sequence[Node], scopes: list[Any], names: dict[str, Any]) -> None:
        for node in nodes:
            if isinstance(node, Output):
                self.schema_of(node.value, scopes, names, node.line)
            elif isinstance(node, Block):
                value: Any = self.schema_of(node.value, scopes, names, node.line)
                item: Any = self.item_of(value)
                has_items = is_dict(value) and 'items' in value
                inner: Any = scopes[-1]
                if node.helper == 'each' or (node.helper == 'section' and has_items):
                    inner = item
                elif node.helper in ('with', 'section'):
                    inner = value if node.helper == 'with' else None
                named: dict[str, Any] = dict(zip(node.names, (item if node.helper == 'each' else value, None)))
                self.check(node.body, [*scopes, inner], {**names, **named})
                self.check(node.inverse, [*scopes, scopes[-1]], names)

    def schema_of(self, expression: Expression, scopes: list[Any], names: dict[str, Any], line: int) -> Any:
        """Return the schema of a value, `None` if nothing is known about it; note fields that do not exist."""
        if isinstance(expression, Lookup):
            self.schema_of(expression.target, scopes, names, line)
            self.schema_of(expression.key, scopes, names, line)
            return None
        if isinstance(expression, Literal) or expression.is_data or expression.up >= len(scopes):
            return None
        parts = expression.parts
        current: Any = scopes[-1 - expression.up]
        if parts and not expression.up and parts[0] in names:
            current, parts = names[parts[0]], parts[1:]
        for part in parts:
            schema = self.resolved(current)
            if schema is None:
                return None
            known: dict[str, Any] = schema.get('properties', {})
            if part in known:
                current = known[part]
            elif schema.get('type') == 'array':
                current = schema.get('items')
            elif (known and not schema.get('additionalProperties')) or schema.get('type') in _SIMPLE:
                has = f'there are: {", ".join(sorted(known))}' if known else f'it is of the type {schema["type"]}'
                self.found.append(f'`{expression.source}` in line {line}: there is no field {part!r}; {has}')
                return None
            else:
                return None
        return self.resolved(current)

    def item_of(self, schema: Any) -> Any:
        return schema.get('items', schema.get('additionalProperties')) if is_dict(schema) else None

    def resolved(self, schema: Any) -> dict[str, Any] | None:
        """Return a schema with references followed; `None` if it says nothing, or different things."""
        for _ in range(MOST_NESTING):
            if not is_dict(schema):
                return None
            choices: list[Any] = schema.get('anyOf', schema.get('oneOf', []))
            rest = [choice for choice in choices if choice != {'type': 'null'}]
            if '$ref' in schema:
                schema = self.root.get('$defs', {}).get(schema['$ref'].rpartition('/')[2])
            elif len(rest) == 1:
                schema = rest[0]
            elif choices:
                return None
            else:
                return schema
        return None


_SIMPLE = ('string', 'integer', 'number', 'boolean', 'null')
