"""Handlebars templates over plain data: a small interpreter that reads fields and calls nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..input_bounds import input_bounds, set_by
from .read import Block, Expression, Literal, Lookup, Node, Output, TemplateError


@dataclass
class _Frame:
    """Where in the data a block stands."""

    context: Any
    parent: _Frame | None = None
    data: dict[str, Any] = field(default_factory=lambda: {})
    names: dict[str, Any] = field(default_factory=lambda: {})

    def inside(
        self, context: Any, data: Mapping[str, Any] | None = None, names: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the frame of a block in this one."""
        return _Frame(context, self, {**self.data, **(data or {})}, {**self.names, **(names or {})})


class _Text:
    """The text of a template, as far as it is rendered, and what may be left to do."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._bounds = input_bounds()
        self._characters = self._bounds.template_length
        self._steps = self._bounds.template_steps

    def add(self, piece: str) -> None:
        """Add a piece.

        Raises:
            TemplateError: The text becomes too long.
        """
        self._characters -= len(piece)
        if self._characters < 0:
            most = self._bounds.template_length
            raise TemplateError(f'its text has more than {most} characters ({set_by("template_length")})')
        self.pieces.append(piece)

    def count(self, steps: int) -> None:
        """Count parts of the template that are rendered, and items that a block repeats for.

        Raises:
            TemplateError: There are too many.
        """
        self._steps -= steps
        if self._steps < 0:
            most = self._bounds.template_steps
            raise TemplateError(f'its blocks repeat more than {most} parts ({set_by("template_steps")})')


def render(nodes: Sequence[Node], context: Any) -> str:
    """Return the text of a template with data filled in; what the data does not have is left out.

    Raises:
        TemplateError: The text is too long, or takes too many steps; `stead.bounds` has both limits.
    """
    text = _Text()
    _render(nodes, _Frame(context, data={'root': context}), text)
    return ''.join(text.pieces)


def _render(nodes: Sequence[Node], frame: _Frame, text: _Text) -> None:
    text.count(len(nodes))
    for node in nodes:
        if isinstance(node, str):
            text.add(node)
        elif isinstance(node, Output):
            text.add(text_of(_evaluate(node.value, frame)))
        else:
            _render_block(node, frame, text)


def _render_block(block: Block, frame: _Frame, text: _Text) -> None:
    value = _evaluate(block.value, frame)
    repeats = block.helper == 'each' or (block.helper == 'section' and _is_sequence(value))
    items = items_of(value) if repeats else []
    holds = bool(items) if repeats else is_true(value) != (block.helper == 'unless')
    if not holds:
        _render(block.inverse, frame.inside(frame.context), text)
    elif repeats:
        text.count(len(items))
        for index, (key, item) in enumerate(items):
            data = {'index': index, 'key': key, 'first': index == 0, 'last': index == len(items) - 1}
            named = dict(zip(block.names, (item, index if key is None else key)))
            _render(block.body, frame.inside(item, data, named), text)
    else:
        enters = block.helper == 'with' or (block.helper == 'section' and value is not True)
        named: dict[str, Any] = dict(zip(block.names, (value,)))
        _render(block.body, frame.inside(value if enters else frame.context, names=named), text)


def _evaluate(expression: Expression, frame: _Frame) -> Any:
    if isinstance(expression, Literal):
        return expression.value
    if isinstance(expression, Lookup):
        key = _evaluate(expression.key, frame)
        # Other values are not keys, and to write a large one as text takes long.
        is_key = isinstance(key, (str, int, float))
        return child_of(_evaluate(expression.target, frame), text_of(key)) if is_key else None
    at: _Frame | None = frame
    for _ in range(expression.up):
        at = at.parent if at is not None else None
    if at is None:
        return None
    parts = expression.parts
    if expression.is_data:
        value: Any = at.data
    elif parts and not expression.up and parts[0] in at.names:
        value = at.names
    else:
        value = at.context
    for part in parts:
        value = child_of(value, part)
    return value


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple, set, frozenset))


def child_of(value: Any, name: str) -> Any:
    """Return a field of a value, or `None`. Only data is read: properties and methods are not."""
    if isinstance(value, Mapping):
        return value.get(name)  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if isinstance(value, (list, tuple)):
        try:
            return value[int(name)]  # type: ignore[reportUnknownVariableType]
        except (ValueError, IndexError):
            pass
    return fields_of(value).get(name)


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields that the class of an object declares, those with an underscore left out.

    Other attributes are not for templates: an HTTP client among the dependencies has its secrets there.
    """
    return {
        name: getattr(value, name, None) for name in field_names(cast(type, type(value))) if not name.startswith('_')
    }


def field_names(kind: type) -> list[str]:
    """Return the names of the fields that a class declares: a dataclass, a model, an attrs class, a named tuple."""
    if '__pydantic_fields__' in vars(kind) or hasattr(kind, 'model_fields'):
        computed: Any = getattr(kind, 'model_computed_fields', ())
        return [*getattr(kind, '__pydantic_fields__', ()), *(computed if isinstance(computed, dict) else ())]
    if attributes := getattr(kind, '__attrs_attrs__', None):
        return [attribute.name for attribute in attributes]
    return [*getattr(kind, '__dataclass_fields__', getattr(kind, '_fields', ()))]


def items_of(value: Any) -> list[tuple[str | None, Any]]:
    """Return what `each` goes through: the items of sequences, the fields of objects."""
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in value.items()]  # type: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [(None, item) for item in value]  # type: ignore[reportUnknownVariableType]
    return list(fields_of(value).items())


def is_true(value: Any) -> bool:
    """Return whether a value counts as one; an empty object does, an empty sequence does not."""
    if value is None or isinstance(value, (str, bool, int, float, list, tuple, set, frozenset)):
        return bool(value)  # type: ignore[reportUnknownArgumentType]
    return True


def text_of(value: Any) -> str:
    """Return a value as text; nothing for `None`."""
    if isinstance(value, str):
        return str(value)
    if value is None:
        return ''
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, Iterator):  # a generator would be run
        return _name_of(value)  # type: ignore[reportUnknownArgumentType]
    import pydantic_core

    plain = pydantic_core.to_jsonable_python(value, fallback=_name_of)
    return plain if isinstance(plain, str) else str(plain)


def _name_of(value: Any) -> str:
    return f'<{type(value).__name__}>'
