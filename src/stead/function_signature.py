"""Tools written as Python function signatures, for models that call tools by writing code."""

# From a tool's JSON schemas `FunctionSignature.from_schema` makes a small tree: the function holds parameters, these
# hold type expressions, and an object with named properties becomes a TypeSignature, written as a TypedDict. Objects in
# `$defs` are named by their key, inline objects by their title or by the path to them (`MyToolAddress`).

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, cast

from typing_extensions import TypeAlias

__all__ = (
    'FunctionParam',
    'FunctionSignature',
    'GenericTypeExpr',
    'LiteralTypeExpr',
    'SimpleTypeExpr',
    'SimpleTypeName',
    'TypeExpr',
    'TypeFieldSignature',
    'TypeSignature',
    'UnionTypeExpr',
)

_Renames: TypeAlias = Mapping[str, str]
_NO_RENAMES: _Renames = {}

SimpleTypeName = Literal['str', 'int', 'float', 'bool', 'Any', 'None']


@dataclass
class SimpleTypeExpr:
    """Be a type that is one word.

    Args:
        name: The word.
    """

    name: SimpleTypeName
    kind: Literal['simple'] = 'simple'

    def __str__(self) -> str:
        return self.name


@dataclass
class LiteralTypeExpr:
    """Be one of some values.

    Args:
        values: The values, as JSON has them.
    """

    values: list[Any]
    kind: Literal['literal'] = 'literal'

    def __str__(self) -> str:
        return f'Literal[{", ".join(map(repr, self.values))}]'


@dataclass
class GenericTypeExpr:
    """Be a list, dict or tuple of other types.

    Args:
        base: `list`, `dict` or `tuple`.
        args: The types inside.
    """

    base: str
    args: list[TypeExpr]
    kind: Literal['generic'] = 'generic'

    def __str__(self) -> str:
        return _write(self, _NO_RENAMES)


@dataclass
class UnionTypeExpr:
    """Be any of several types.

    Args:
        members: The types.
    """

    members: list[TypeExpr]
    kind: Literal['union'] = 'union'

    def __str__(self) -> str:
        return _write(self, _NO_RENAMES)


@dataclass(kw_only=True)
class TypeFieldSignature:
    """Be one key of a TypedDict.

    Args:
        name: The key.
        type: The type of its value.
        required: Whether the key must be there.
        description: What it means.
    """

    name: str
    type: TypeExpr
    required: bool = False
    description: str | None = None
    kind: Literal['field'] = 'field'

    def __str__(self) -> str:
        return self._render(_NO_RENAMES)

    def _render(self, renames: _Renames) -> str:
        written = _write(self.type, renames)
        line = f'    {self.name}: {written if self.required else f"NotRequired[{written}]"}'
        return f'{line}\n{_docstring(self.description)}' if self.description else line


@dataclass(kw_only=True)
class TypeSignature:
    """Be an object with named keys, written as a TypedDict.

    Args:
        name: The name of the TypedDict.
        description: What it means.
        fields: Its keys.
    """

    name: str
    description: str | None = None
    fields: dict[str, TypeFieldSignature] = field(default_factory=dict[str, TypeFieldSignature])
    kind: Literal['type'] = 'type'

    def __str__(self) -> str:
        return self.name

    @property
    def display_name(self) -> str:
        """Return the name that stands in annotations where no other tool has a different type of that name."""
        return self.name

    def structurally_equal(self, other: TypeSignature) -> bool:
        """Say whether two types have the same keys with the same annotations; names and descriptions do not count.

        Args:
            other: The type to compare with.
        """
        return _shape(self) == _shape(other)

    def render_definition(
        self, *, owner_name: str | None = None, conflicting_type_names: frozenset[str] = frozenset()
    ) -> str:
        """Write the class statement.

        Args:
            owner_name: The tool whose type this is; it goes before names that conflict.
            conflicting_type_names: Names that stand for different types in different tools.
        """
        renames = _renames(owner_name, conflicting_type_names)
        lines = [f'class {_write(self, renames)}(TypedDict):']
        if self.description:
            lines.append(_docstring(self.description))
        lines += [f._render(renames) for f in self.fields.values()]  # pyright: ignore[reportPrivateUsage]
        if len(lines) == 1:
            lines.append('    pass')
        return '\n'.join(lines)


TypeExpr: TypeAlias = 'TypeSignature | SimpleTypeExpr | LiteralTypeExpr | GenericTypeExpr | UnionTypeExpr'


@dataclass(kw_only=True)
class FunctionParam:
    """Be one parameter; all of them are keyword-only.

    Args:
        name: The parameter's name.
        type: Its type.
        default: Its default as Python source; None where it must be given.
    """

    name: str
    type: TypeExpr
    default: str | None = None
    kind: Literal['param'] = 'param'

    def __str__(self) -> str:
        return self._render(_NO_RENAMES)

    def _render(self, renames: _Renames) -> str:
        text = f'{self.name}: {_write(self.type, renames)}'
        return text if self.default is None else f'{text} = {self.default}'


@dataclass(kw_only=True)
class FunctionSignature:
    """Be a tool as a Python function.

    Args:
        name: The function's name.
        description: Its docstring.
        params: Its parameters, those without default first.
        return_type: What it returns.
        referenced_types: The TypedDicts that its annotations name, in the order to define them.
        is_async: Whether it must be awaited.
    """

    name: str
    description: str | None = None
    params: dict[str, FunctionParam] = field(default_factory=dict[str, FunctionParam])
    return_type: TypeExpr
    referenced_types: list[TypeSignature] = field(default_factory=list[TypeSignature])
    is_async: bool = False
    kind: Literal['function'] = 'function'

    @classmethod
    def from_schema(
        cls, *, name: str, parameters_schema: dict[str, Any], return_schema: dict[str, Any] | None = None
    ) -> FunctionSignature:
        """Make a signature of a tool's JSON schemas. What a schema does not say becomes `Any`.

        Args:
            name: The tool's name.
            parameters_schema: The schema of its arguments, an object schema.
            return_schema: The schema of its result, if known.
        """
        prefix = _pascal(name)
        reader = _SchemaReader(prefix, parameters_schema)
        required = _names(parameters_schema.get('required'))
        params: list[FunctionParam] = []
        for key, schema in _mapping(parameters_schema.get('properties')).items():
            param_type = reader.read(schema, prefix + _pascal(key))
            default = None
            if isinstance(schema, dict) and 'default' in schema:
                default = repr(cast(Any, schema['default']))
            elif key not in required:
                default = 'None'
                if not _allows_null(schema):
                    param_type = UnionTypeExpr([param_type, SimpleTypeExpr('None')])
            params.append(FunctionParam(name=key, type=param_type, default=default))
        params.sort(key=lambda param: param.default is not None)
        types = list(reader.types.values())
        return_type: TypeExpr = SimpleTypeExpr('Any')
        if return_schema is not None:
            reader = _SchemaReader(prefix, return_schema)
            return_type = reader.read(return_schema, prefix + 'Return')
            types += [found for found in reader.types.values() if not _is_among(found, types)]
        return cls(
            name=name, params={param.name: param for param in params}, return_type=return_type, referenced_types=types
        )

    def render(
        self,
        body: str,
        *,
        name: str | None = None,
        description: str | None = None,
        is_async: bool | None = None,
        conflicting_type_names: frozenset[str] = frozenset(),
    ) -> str:
        """Write the function.

        Args:
            body: What stands in it, such as `...`; its first line is indented.
            name: Write this name instead of its own.
            description: Write this docstring instead of its own; an empty one writes none.
            is_async: Write `async def` or not, whatever it is.
            conflicting_type_names: Names that stand for different types in different tools; the function's own name
                goes before them.
        """
        renames = _renames(self.name, conflicting_type_names)
        params = ', '.join(param._render(renames) for param in self.params.values())  # pyright: ignore[reportPrivateUsage]
        keyword = 'async def' if (self.is_async if is_async is None else is_async) else 'def'
        arguments = f'*, {params}' if params else ''
        lines = [f'{keyword} {name or self.name}({arguments}) -> {_write(self.return_type, renames)}:']
        if text := self.description if description is None else description:
            lines.append(_docstring(text))
        lines.append(f'    {body}')
        return '\n'.join(lines)

    @staticmethod
    def collect_unique_referenced_types(signatures: list[FunctionSignature]) -> list[TypeSignature]:
        """Return the TypedDicts that the signatures name, each object once.

        Args:
            signatures: The functions that will be shown together.
        """
        return list({id(found): found for _, found in _owned_types(signatures)}.values())

    @staticmethod
    def get_conflicting_type_names(signatures: list[FunctionSignature]) -> frozenset[str]:
        """Return the names that stand for different types.

        Args:
            signatures: The functions that will be shown together.
        """
        versions: dict[str, list[TypeSignature]] = {}
        for _, found in _owned_types(signatures):
            versions.setdefault(found.name, []).append(found)
        conflicting = {
            name for name, found in versions.items() if not all(found[0].structurally_equal(other) for other in found)
        }
        # A type that names a conflicting one means something else in each tool, even where it reads the same.
        shared = {name: found[0] for name, found in versions.items() if len(found) > 1}
        size = -1
        while size != len(conflicting):
            size = len(conflicting)
            conflicting |= {name for name, found in shared.items() if _mentioned(found) & conflicting}
        return frozenset(conflicting)

    @staticmethod
    def render_type_definitions(
        signatures: list[FunctionSignature], conflicting_type_names: frozenset[str]
    ) -> list[str]:
        """Write the TypedDicts that the signatures name, equal ones once.

        Args:
            signatures: The functions that will be shown together.
            conflicting_type_names: What `get_conflicting_type_names` found for them.
        """
        done: list[TypeSignature] = []
        written: dict[str, None] = {}
        for owner, found in _owned_types(signatures):
            if found.name in conflicting_type_names or not _is_among(found, done):
                done.append(found)
                text = found.render_definition(owner_name=owner, conflicting_type_names=conflicting_type_names)
                written[text] = None
        return list(written)


_SIMPLE: dict[str, SimpleTypeName] = {
    'string': 'str',
    'integer': 'int',
    'number': 'float',
    'boolean': 'bool',
    'null': 'None',
}


class _SchemaReader:
    """Turn one schema and what is below it into type expressions, collecting the TypedDicts on the way."""

    def __init__(self, prefix: str, root: dict[str, Any]):
        self.types: dict[str, TypeSignature] = {}
        defs = {name: _mapping(schema) for name, schema in _mapping(root.get('$defs')).items()}
        defs = {
            name: schema for name, schema in defs.items() if schema.get('type') == 'object' and 'properties' in schema
        }
        # All names are known before any definition is read, so that definitions may refer to each other in circles.
        for name in defs:
            self.types[name] = TypeSignature(name=name)
        for name, schema in defs.items():
            self._fill(self.types[name], schema, prefix + _pascal(name))

    def read(self, schema: Any, path: str) -> TypeExpr:
        """Return the type a schema describes; `path` names inline objects that have no usable title."""
        if not isinstance(schema, dict):
            return SimpleTypeExpr('Any')
        schema = cast('dict[str, Any]', schema)
        if isinstance(ref := schema.get('$ref'), str):
            return self._reference(ref)
        for key in ('anyOf', 'oneOf'):
            if members := _list(schema.get(key)):
                return self._union([self.read(member, path) for member in members if not _is_null(member)], members)
        if len(parts := _list(schema.get('allOf'))) == 1:
            return self.read(parts[0], path)
        if 'const' in schema:
            return LiteralTypeExpr([schema['const']])
        if 'enum' in schema:
            return LiteralTypeExpr(_list(schema['enum']))
        if isinstance(schema.get('type'), list):
            return self._type_list(schema, path)
        return self._single_type(schema, path)

    def _reference(self, ref: str) -> TypeExpr:
        name = ref.rsplit('/', 1)[-1]
        if not name or name == '#':
            return SimpleTypeExpr('Any')
        return self.types.get(name) or TypeSignature(name=name)

    def _union(self, members: list[TypeExpr], schemas: list[Any]) -> TypeExpr:
        members = list({str(member): member for member in members}.values())
        if any(map(_is_null, schemas)):
            members = [*members, SimpleTypeExpr('None')]
        return members[0] if len(members) == 1 else UnionTypeExpr(members)

    def _type_list(self, schema: dict[str, Any], path: str) -> TypeExpr:
        names = _list(schema['type'])
        if 'object' in names and 'properties' in schema:
            members: list[TypeExpr] = [self._object(schema, path)]
            members += [SimpleTypeExpr('None')] if 'null' in names else []
        else:
            if len(names) == 2 and names[0] == 'null':
                names = names[::-1]
            members = [SimpleTypeExpr(_SIMPLE.get(str(name), 'Any')) for name in names]
        if not members:
            return SimpleTypeExpr('Any')
        return members[0] if len(members) == 1 else UnionTypeExpr(members)

    def _single_type(self, schema: dict[str, Any], path: str) -> TypeExpr:
        name = schema.get('type')
        if name == 'array':
            items = schema.get('items')
            if isinstance(items, list) and items:
                places = enumerate(cast('list[Any]', items))
                return GenericTypeExpr('tuple', [self.read(item, f'{path}_{index}') for index, item in places])
            return GenericTypeExpr('list', [self.read(items, f'{path}item')])
        if name == 'object':
            if 'properties' in schema:
                return self._object(schema, path)
            value = self.read(schema.get('additionalProperties'), f'{path}value')
            return GenericTypeExpr('dict', [SimpleTypeExpr('str'), value])
        return SimpleTypeExpr(_SIMPLE.get(name, 'Any') if isinstance(name, str) else 'Any')

    def _object(self, schema: dict[str, Any], path: str) -> TypeSignature:
        title = schema.get('title')
        name = title if isinstance(title, str) and title.isidentifier() else path
        if name in self.types:
            return self.types[name]
        found = self.types[name] = TypeSignature(name=name)
        self._fill(found, schema, path)
        return found

    def _fill(self, target: TypeSignature, schema: dict[str, Any], path: str) -> None:
        required = _names(schema.get('required'))
        target.description = schema.get('description')
        for key, inner in _mapping(schema.get('properties')).items():
            target.fields[key] = TypeFieldSignature(
                name=key,
                type=self.read(inner, path + _pascal(key)),
                required=key in required,
                description=_mapping(inner).get('description'),
            )


# Schemas come from tools of all kinds, MCP servers among them, so nothing in them is taken for granted.


def _mapping(value: Any) -> dict[str, Any]:
    return cast('dict[str, Any]', value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast('list[Any]', value) if isinstance(value, list) else []


def _names(value: Any) -> set[str]:
    return {name for name in _list(value) if isinstance(name, str)}


def _is_null(schema: Any) -> bool:
    return _mapping(schema).get('type') == 'null'


def _allows_null(schema: Any) -> bool:
    schema = _mapping(schema)
    members = [*_list(schema.get('anyOf')), *_list(schema.get('oneOf'))]
    return 'null' in _list(schema.get('type')) or any(map(_is_null, members))


@lru_cache(maxsize=1024)
def _pascal(name: str) -> str:
    joined = ''.join(word.capitalize() for word in re.split(r'[^a-zA-Z0-9]+', name))
    return f'_{joined}' if joined[:1].isdigit() else joined


def _owned_types(signatures: list[FunctionSignature]) -> Iterator[tuple[str, TypeSignature]]:
    for signature in signatures:
        for found in signature.referenced_types:
            yield signature.name, found


def _shape(found: TypeSignature) -> dict[str, tuple[str, bool]]:
    return {f.name: (str(f.type), f.required) for f in found.fields.values()}


def _is_among(found: TypeSignature, others: list[TypeSignature]) -> bool:
    return any(found.name == other.name and found.structurally_equal(other) for other in others)


def _mentioned(found: TypeSignature) -> set[str]:
    """Return the names of the TypedDicts in the annotations of a type's keys."""
    names: set[str] = set()
    exprs: list[TypeExpr] = [f.type for f in found.fields.values()]
    while exprs:
        expr = exprs.pop()
        if isinstance(expr, TypeSignature):
            names.add(expr.name)
        elif isinstance(expr, GenericTypeExpr):
            exprs += expr.args
        elif isinstance(expr, UnionTypeExpr):
            exprs += expr.members
    return names


def _renames(owner: str | None, conflicting: frozenset[str]) -> _Renames:
    return {name: f'{owner}_{name}' for name in conflicting} if owner else _NO_RENAMES


def _write(expr: TypeExpr, renames: _Renames) -> str:
    if isinstance(expr, TypeSignature):
        return renames.get(expr.name, expr.name)
    if isinstance(expr, GenericTypeExpr):
        return f'{expr.base}[{", ".join(_write(arg, renames) for arg in expr.args)}]'
    if isinstance(expr, UnionTypeExpr):
        return ' | '.join(_write(member, renames) for member in expr.members)
    return str(expr)


def _docstring(text: str) -> str:
    """Write a docstring, indented; what would end it early is escaped, and nothing else."""
    text = text.strip().replace('"""', '\\"\\"\\"')
    if '\n' not in text:
        backslashes = len(text) - len(text.rstrip('\\'))
        if backslashes % 2 or (text.endswith('"') and not text.endswith('\\"')):
            text = f'{text[:-1]}\\{text[-1]}'
        return f'    """{text}"""'
    lines = ('    ' + line if line.strip() else '' for line in text.split('\n'))
    return '\n'.join(['    """', *lines, '    """'])
