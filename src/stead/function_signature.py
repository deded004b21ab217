"""Tools written as Python function signatures, for models that call tools by writing code."""

# `FunctionSignature.from_schema` builds a small tree from the JSON schemas of a tool: the function has parameters, these
# have type expressions, and an object with named properties becomes a TypeSignature, written as a TypedDict. Objects in
# `$defs` are named after their key, inline objects after their title or the path to them (`MyToolAddress`).

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Literal, cast

from typing_extensions import TypeAlias

from ._kit.json_types import JsonObject
from ._kit.left_out import left_out

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

DESCRIBES_PARAMETERS = True
"""Whether docstrings say what the parameters are for, and are escaped as in Python throughout."""

SimpleTypeName = Literal['str', 'int', 'float', 'bool', 'Any', 'None']


@dataclass
class SimpleTypeExpr:
    """A type that is a single word."""

    name: SimpleTypeName
    """The word."""
    kind: Literal['simple'] = 'simple'

    def __str__(self) -> str:
        return self.name


@dataclass
class LiteralTypeExpr:
    """A literal type."""

    values: list[object]
    """The values, as JSON data."""
    kind: Literal['literal'] = 'literal'

    def __str__(self) -> str:
        return f'Literal[{", ".join(map(repr, self.values))}]'


@dataclass
class GenericTypeExpr:
    """A list, dict or tuple of other types."""

    base: str
    """`list`, `dict` or `tuple`."""
    args: list[TypeExpr]
    """The types inside."""
    kind: Literal['generic'] = 'generic'

    def __str__(self) -> str:
        return _write(self, _NO_RENAMES)


@dataclass
class UnionTypeExpr:
    """A union of types."""

    members: list[TypeExpr]
    """The types."""
    kind: Literal['union'] = 'union'

    def __str__(self) -> str:
        return _write(self, _NO_RENAMES)


@dataclass(kw_only=True)
class TypeFieldSignature:
    """A key of a TypedDict."""

    name: str
    """The key."""
    type: TypeExpr
    """The type of its value."""
    required: bool = False
    """Whether the key is required."""
    description: str | None = None
    """A description."""
    kind: Literal['field'] = 'field'

    def __str__(self) -> str:
        return self._render(_NO_RENAMES)

    def _render(self, renames: _Renames) -> str:
        written = _write(self.type, renames)
        line = f'    {self.name}: {written if self.required else f"NotRequired[{written}]"}'
        return f'{line}\n{_docstring(self.description)}' if self.description else line


@dataclass(kw_only=True)
class TypeSignature:
    """An object with named keys, written as a TypedDict."""

    name: str
    """The name of the TypedDict."""
    description: str | None = None
    """A description."""
    fields: dict[str, TypeFieldSignature] = field(default_factory=dict[str, TypeFieldSignature])
    """Its keys."""
    kind: Literal['type'] = 'type'

    def __str__(self) -> str:
        return self.name

    @property
    def display_name(self) -> str:
        """Return the name to use in annotations, unless another tool has a different type of that name."""
        return self.name

    def structurally_equal(self, other: TypeSignature) -> bool:
        """Return whether two types have the same keys with the same annotations, whatever their names and descriptions.

        Args:
            other: The type to compare with.
        """
        return _shape(self) == _shape(other)

    def render_definition(
        self, *, owner_name: str | None = None, conflicting_type_names: frozenset[str] = frozenset()
    ) -> str:
        """Render the class statement.

        Args:
            owner_name: The tool that the type belongs to; a prefix of conflicting names.
            conflicting_type_names: Names of different types in different tools.
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
    """A parameter; all parameters are keyword-only."""

    name: str
    """The name of the parameter."""
    type: TypeExpr
    """Its type."""
    default: str | None = None
    """Its default as Python source; None if the parameter is required."""
    description: Annotated[str | None, left_out()] = field(default=None, repr=False)
    """What it is for."""
    kind: Literal['param'] = 'param'

    def __str__(self) -> str:
        return self._render(_NO_RENAMES)

    def _render(self, renames: _Renames) -> str:
        text = f'{self.name}: {_write(self.type, renames)}'
        return text if self.default is None else f'{text} = {self.default}'


@dataclass(kw_only=True)
class FunctionSignature:
    """The signature of a tool as a Python function."""

    name: str
    """The name of the function."""
    description: str | None = None
    """Its docstring."""
    params: dict[str, FunctionParam] = field(default_factory=dict[str, FunctionParam])
    """Its parameters, those without default first."""
    return_type: TypeExpr
    """The return type."""
    referenced_types: list[TypeSignature] = field(default_factory=list[TypeSignature])
    """The TypedDicts in its annotations, in the order to define them."""
    is_async: bool = False
    """Whether it is async."""
    kind: Literal['function'] = 'function'

    @classmethod
    def from_schema(
        cls, *, name: str, parameters_schema: JsonObject, return_schema: JsonObject | None = None
    ) -> FunctionSignature:
        """Create a signature from the JSON schemas of a tool. Types that a schema leaves open become `Any`.

        Args:
            name: The name of the tool.
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
            text = _mapping(cast('object', schema)).get('description')
            text = text if isinstance(text, str) and text else None
            params.append(FunctionParam(name=key, type=param_type, default=default, description=text))
        params.sort(key=lambda param: param.default is not None)
        types = list(reader.types.values())
        return_type: TypeExpr = SimpleTypeExpr('Any')
        if return_schema is not None:
            reader = _SchemaReader(prefix, return_schema)
            return_type = reader.read(return_schema, prefix + 'Return')
            types += [type_ for type_ in reader.types.values() if not _is_among(type_, types)]
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
        """Render the function.

        Args:
            body: The body, such as `...`; its first line is indented.
            name: The name to use instead of its own.
            description: The docstring to use instead of its own; none if empty.
            is_async: Whether to write `async def`, instead of what the signature says.
            conflicting_type_names: Names of different types in different tools, to which the name of the function is
                added as a prefix.
        """
        renames = _renames(self.name, conflicting_type_names)
        params = ', '.join(param._render(renames) for param in self.params.values())  # pyright: ignore[reportPrivateUsage]
        keyword = 'async def' if (self.is_async if is_async is None else is_async) else 'def'
        arguments = f'*, {params}' if params else ''
        lines = [f'{keyword} {name or self.name}({arguments}) -> {_write(self.return_type, renames)}:']
        if text := self._documented(self.description if description is None else description):
            lines.append(_docstring(text))
        lines.append(f'    {body}')
        return '\n'.join(lines)

    def _documented(self, description: str | None) -> str | None:
        """Return a description with those of the parameters after it."""
        described = {param.name: (param.description or '').strip() for param in self.params.values()}
        if not DESCRIBES_PARAMETERS or not any(described.values()):
            return description
        parts = [description.strip()] if description and description.strip() else []
        arguments = (f'    {name}: {_indented(text, 8)}' for name, text in described.items() if text)
        return '\n\n'.join([*parts, '\n'.join(['Args:', *arguments])])

    @staticmethod
    def collect_unique_referenced_types(signatures: list[FunctionSignature]) -> list[TypeSignature]:
        """Return the TypedDicts in the annotations of signatures, each object once.

        After `get_conflicting_type_names`, equal types are one object.

        Args:
            signatures: The functions that are rendered together.
        """
        return list({id(type_): type_ for _, type_ in _owned_types(signatures)}.values())

    @staticmethod
    def get_conflicting_type_names(signatures: list[FunctionSignature]) -> frozenset[str]:
        """Return the names that belong to different types.

        Equal types of the other names become one object, which the signatures share from then on.

        Args:
            signatures: The functions that are rendered together.
        """
        versions: dict[str, list[TypeSignature]] = {}
        for _, type_ in _owned_types(signatures):
            versions.setdefault(type_.name, []).append(type_)
        conflicting = {
            name for name, types in versions.items() if not all(types[0].structurally_equal(other) for other in types)
        }
        # A type that refers to a conflicting one differs between tools, even if it reads the same.
        shared = {name: types[0] for name, types in versions.items() if len(types) > 1}
        size = -1
        while size != len(conflicting):
            size = len(conflicting)
            conflicting |= {name for name, type_ in shared.items() if _mentioned(type_) & conflicting}
        first = {name: types[0] for name, types in versions.items() if name not in conflicting}
        for signature in signatures:
            signature.referenced_types = [first.get(type_.name, type_) for type_ in signature.referenced_types]
            for typed in (
                *signature.params.values(),
                *(f for t in signature.referenced_types for f in t.fields.values()),
            ):
                typed.type = _with_types(typed.type, first)
            signature.return_type = _with_types(signature.return_type, first)
        return frozenset(conflicting)

    @staticmethod
    def render_type_definitions(
        signatures: list[FunctionSignature], conflicting_type_names: frozenset[str]
    ) -> list[str]:
        """Render the TypedDicts in the annotations of signatures, equal ones once.

        Args:
            signatures: The functions that are rendered together.
            conflicting_type_names: The result of `get_conflicting_type_names` for them.
        """
        done: list[TypeSignature] = []
        written: dict[str, None] = {}
        for owner, type_ in _owned_types(signatures):
            if type_.name in conflicting_type_names or not _is_among(type_, done):
                done.append(type_)
                text = type_.render_definition(owner_name=owner, conflicting_type_names=conflicting_type_names)
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
    """A reader that converts a schema and those inside it to type expressions, and collects the TypedDicts."""

    def __init__(self, prefix: str, root: JsonObject):
        self.types: dict[str, TypeSignature] = {}
        defs = {name: _mapping(schema) for name, schema in _mapping(root.get('$defs')).items()}
        defs = {
            name: schema for name, schema in defs.items() if schema.get('type') == 'object' and 'properties' in schema
        }
        # All names are registered before any definition is read, so that definitions may refer to each other recursively.
        for name in defs:
            self.types[name] = TypeSignature(name=name)
        for name, schema in defs.items():
            self._fill(self.types[name], schema, prefix + _pascal(name))

    def read(self, schema: Any, path: str) -> TypeExpr:
        """Return the type for a schema; `path` is the name of inline objects without a usable title."""
        if not isinstance(schema, dict):
            return SimpleTypeExpr('Any')
        schema = cast('JsonObject', schema)
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

    def _union(self, members: list[TypeExpr], schemas: list[object]) -> TypeExpr:
        members = list({str(member): member for member in members}.values())
        if any(map(_is_null, schemas)):
            members = [*members, SimpleTypeExpr('None')]
        return members[0] if len(members) == 1 else UnionTypeExpr(members)

    def _type_list(self, schema: JsonObject, path: str) -> TypeExpr:
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

    def _single_type(self, schema: JsonObject, path: str) -> TypeExpr:
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

    def _object(self, schema: JsonObject, path: str) -> TypeSignature:
        title = schema.get('title')
        name = title if isinstance(title, str) and title.isidentifier() else path
        if name in self.types:
            return self.types[name]
        signature = self.types[name] = TypeSignature(name=name)
        self._fill(signature, schema, path)
        return signature

    def _fill(self, target: TypeSignature, schema: JsonObject, path: str) -> None:
        required = _names(schema.get('required'))
        target.description = schema.get('description')
        for key, inner in _mapping(schema.get('properties')).items():
            target.fields[key] = TypeFieldSignature(
                name=key,
                type=self.read(inner, path + _pascal(key)),
                required=key in required,
                description=_mapping(inner).get('description'),
            )


# Schemas may come from anywhere, such as MCP servers, so nothing in them is trusted.


def _mapping(value: object) -> JsonObject:
    return cast('JsonObject', value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast('list[Any]', value) if isinstance(value, list) else []


def _names(value: object) -> set[str]:
    return {name for name in _list(value) if isinstance(name, str)}


def _is_null(schema: object) -> bool:
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
        for type_ in signature.referenced_types:
            yield signature.name, type_


def _shape(signature: TypeSignature) -> dict[str, tuple[str, bool]]:
    return {f.name: (str(f.type), f.required) for f in signature.fields.values()}


def _is_among(signature: TypeSignature, others: list[TypeSignature]) -> bool:
    return any(signature.name == other.name and signature.structurally_equal(other) for other in others)


def _mentioned(signature: TypeSignature) -> set[str]:
    """Return the names of the TypedDicts in the annotations of the keys of a type."""
    names: set[str] = set()
    exprs: list[TypeExpr] = [f.type for f in signature.fields.values()]
    while exprs:
        expr = exprs.pop()
        if isinstance(expr, TypeSignature):
            names.add(expr.name)
        elif isinstance(expr, GenericTypeExpr):
            exprs += expr.args
        elif isinstance(expr, UnionTypeExpr):
            exprs += expr.members
    return names


def _with_types(expr: TypeExpr, types: Mapping[str, TypeSignature]) -> TypeExpr:
    """Return an expression with these types in place of those of the same names."""
    if isinstance(expr, TypeSignature):
        return types.get(expr.name, expr)
    if isinstance(expr, GenericTypeExpr):
        expr.args = [_with_types(arg, types) for arg in expr.args]
    elif isinstance(expr, UnionTypeExpr):
        expr.members = [_with_types(member, types) for member in expr.members]
    return expr


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
    """Render a docstring, indented."""
    text = _escaped(text.strip())
    if '\n' not in text:
        return f'    """{text}"""'
    return f'    """\n    {_indented(text, 4)}\n    """'


def _escaped(text: str) -> str:
    """Return a text as it stands in a docstring; in that of 1.x, only what would end it early is escaped."""
    if DESCRIBES_PARAMETERS:
        return text.replace('\r\n', '\n').replace('\\', '\\\\').replace('"', '\\"')
    text = text.replace('"""', '\\"\\"\\"')
    if '\n' not in text:
        backslashes = len(text) - len(text.rstrip('\\'))
        if backslashes % 2 or (text.endswith('"') and not text.endswith('\\"')):
            return f'{text[:-1]}\\{text[-1]}'
    return text


def _indented(text: str, width: int) -> str:
    """Return a text whose lines after the first are indented; empty ones stay empty."""
    first, *rest = text.split('\n')
    return '\n'.join([first, *(' ' * width + line if line.strip() else '' for line in rest)])
