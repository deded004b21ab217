"""Python values as XML, the format in which models read structured data best."""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, cast

from pydantic import BaseModel, RootModel

from ._kit.short import short_repr

__all__ = ('format_as_xml',)

_AS_STR = (int, float, Decimal, datetime.timedelta, uuid.UUID, Enum)
_NO_SOURCE = object()
_MARKUP = re.compile('[<>&"\'=/]|^[!?]|[\x00-\x1f\x7f-\x9f\u2028\u2029]')
"""The characters that could end a tag, or change its name."""


def format_as_xml(
    obj: object,
    root_tag: str | None = None,
    item_tag: str = 'item',
    none_str: str = 'null',
    indent: str | None = '  ',
    include_field_info: Literal['once'] | bool = False,
) -> str:
    r"""Format a Python value as XML for a prompt.

    Strings, numbers, dates, UUIDs and enum members become text; mappings, dataclasses and pydantic models become one
    element for each key or field; other iterables become one element for each item. Pydantic models are written as
    they serialise to JSON.

    ```python
    print(format_as_xml({'name': 'Ada', 'born': 1815}, root_tag='person'))
    # > <person>
    # >   <name>Ada</name>
    # >   <born>1815</born>
    # > </person>
    ```

    Args:
        obj: The value.
        root_tag: The root element. Without it, a mapping, model or list becomes several top-level elements.
        item_tag: The element for list items; for dataclasses and models it is the name of their class instead. Also the
            element for a scalar value without `root_tag`.
        none_str: The text for None.
        indent: The indentation of each level; None writes everything on one line.
        include_field_info: Whether elements for fields of dataclasses and models have their `title` and `description` as
            attributes: True for all of them, 'once' for the first occurrence of each field.

    Returns:
        The XML text. In keys, characters with which they would forge other markup become `_`; otherwise names are not checked,
        and the text is only well-formed if they are valid XML names.

    Raises:
        TypeError: `obj` contains a value of an unsupported type, or a mapping key that is neither str nor int.
        ValueError: `obj` contains itself, or is nested too deep.
    """
    builder = _Builder(item_tag, none_str, include_field_info)
    try:
        content = builder.content(obj)
        if root_tag is not None:
            nodes = [_Node(root_tag, content)]
        elif isinstance(content, str):
            nodes = [_Node(item_tag, content)]
        else:
            nodes = content
        newline = '' if indent is None else '\n'
        return newline.join(node.render(newline, indent or '') for node in nodes)
    except RecursionError:
        raise ValueError(
            f'format_as_xml() cannot write {short_repr(obj, 80)}: it contains itself, or is nested too deep. '
            'Pass only the part of it that the model needs.'
        ) from None


@dataclass
class _Node:
    """An element, whose content is text or other elements."""

    tag: str
    content: str | list[_Node]
    attributes: dict[str, str] = field(default_factory=dict[str, str])

    def render(self, newline: str, indent: str) -> str:
        opening = self.tag + ''.join(f' {name}="{_quote(text)}"' for name, text in self.attributes.items())
        if not self.content:
            return f'<{opening} />'
        if isinstance(self.content, str):
            return f'<{opening}>{_escape(self.content)}</{self.tag}>'
        pieces = [f'<{opening}>']
        for child in self.content:
            pieces.append(newline + indent + child.render(newline + indent, indent))
        return ''.join(pieces) + f'{newline}</{self.tag}>'


def _escape(text: str) -> str:
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def _quote(text: str) -> str:
    escaped = _escape(text).replace('"', '&quot;')
    return escaped.replace('\r', '&#13;').replace('\n', '&#10;').replace('\t', '&#09;')


@dataclass
class _Builder:
    item_tag: str
    none_str: str
    field_info: Literal['once'] | bool
    seen: set[tuple[type[object], str]] = field(default_factory=set[tuple[type[object], str]])

    def content(self, value: object, source: object = _NO_SOURCE) -> str | list[_Node]:
        """Return the content of the element for `value`.

        Inside a model, `value` is JSON data and `source` the Python value it represents, which has the classes;
        elsewhere, `value` is its own source.
        """
        if source is _NO_SOURCE:
            source = value
        if value is None:
            return self.none_str
        if isinstance(value, str):
            return value
        if isinstance(value, (bytes, bytearray)):
            return value.decode(errors='ignore')
        if isinstance(value, (datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, _AS_STR):
            return str(value)
        if isinstance(value, BaseModel):
            return self.content(_dump(value), value)
        if isinstance(source, RootModel):
            source = cast(Any, source).root
        if isinstance(value, Mapping):
            return self._fields(cast('Mapping[object, object]', value), source)
        if is_dataclass(value) and not isinstance(value, type):
            return self._fields({f.name: getattr(value, f.name) for f in fields(value)}, value)
        if isinstance(value, Iterable):
            return self._items(cast('Iterable[object]', value), source)
        raise TypeError(
            f'format_as_xml() does not support {type(value).__qualname__!r} ({value!r:.80}). Pass text, numbers, dates, '
            'mappings, iterables, dataclasses or pydantic models; convert anything else first.'
        )

    def _fields(self, values: Mapping[object, object], source: object) -> list[_Node]:
        infos = _field_infos(source)
        inner = _inner_sources(values, source)
        nodes: list[_Node] = []
        for key, value in values.items():
            if not isinstance(key, (str, int)):
                raise TypeError(
                    f'format_as_xml() cannot make a tag of the mapping key {key!r} '
                    f'({type(key).__qualname__}): use str or int keys.'
                )
            name = str(key)
            tag = _MARKUP.sub('_', name)
            attributes: dict[str, str] = {}
            if self.field_info and name in infos:
                place = (cast('type[object]', type(source)), name)
                if self.field_info != 'once' or place not in self.seen:
                    attributes = infos[name]
                    self.seen.add(place)
            nodes.append(_Node(tag, self.content(value, inner(key)), attributes))
        return nodes

    def _items(self, values: Iterable[object], source: object) -> list[_Node]:
        values = list(values)
        sources: list[object] = values
        if source is not values and isinstance(source, Iterable) and not isinstance(source, (str, Mapping)):
            parallel = list(cast('Iterable[object]', source))
            if len(parallel) == len(values):
                sources = parallel
        nodes: list[_Node] = []
        for value, origin in zip(values, sources):
            tag = self.item_tag
            if is_dataclass(origin) or (isinstance(origin, BaseModel) and not isinstance(origin, RootModel)):
                tag = type(cast('object', origin)).__name__
            nodes.append(_Node(tag, self.content(value, cast('object', origin))))
        return nodes


def _dump(model: BaseModel) -> object:
    from pydantic_core import PydanticSerializationError

    try:
        return model.model_dump(mode='json')
    except PydanticSerializationError as error:
        raise TypeError(
            f'format_as_xml() does not support {type(model).__qualname__!r}: {error}. Give the field a serializer.'
        ) from error


def _inner_sources(values: Mapping[object, object], source: object) -> Callable[[object], object]:
    """Return a function that maps keys of the JSON data of a model to the Python values they represent."""
    if source is values:
        return values.get
    if isinstance(source, Mapping):
        by_text = {str(key): value for key, value in cast('Mapping[object, object]', source).items()}
        return lambda key: by_text.get(str(key), values[key])
    return lambda key: getattr(source, str(key), values[key])


def _field_infos(source: object) -> dict[str, dict[str, str]]:
    """Return the attributes for the elements of the fields of a dataclass or model."""
    texts: dict[str, tuple[object, object]] = {}
    if isinstance(source, BaseModel):
        cls = type(source)
        for name, info in (*cls.model_fields.items(), *cls.model_computed_fields.items()):
            texts[name] = (info.title, info.description)
    elif is_dataclass(source):
        for f in fields(source):
            texts[f.name] = (f.metadata.get('title'), f.metadata.get('description'))
    infos: dict[str, dict[str, str]] = {}
    for name, (title, description) in texts.items():
        attributes = {'title': title, 'description': description}
        if attributes := {key: str(text) for key, text in attributes.items() if text is not None}:
            infos[name] = attributes
    return infos
