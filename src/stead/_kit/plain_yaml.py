"""YAML as plain data, within bounds.

A few lines of YAML can stand for billions of values, by aliases and merge keys, or contain themselves. No tag in it makes code
run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from .input_bounds import InputBounds, input_bounds, set_by
from .json_types import JsonValue
from .records import is_dict, is_list

MAX_TAG_DIRECTIVES = 100
"""How many `%TAG` lines there may be: each is compared with all others."""
_TAG_DIRECTIVE = re.compile(r'(?:\A\ufeff?|[\n\r\x85\u2028\u2029])%TAG')
_MERGE = 'tag:yaml.org,2002:merge'


class YamlError(ValueError):
    """A text is not plain YAML, or holds more than it may. The message continues a sentence about the text."""


def _too_deep(bounds: InputBounds) -> YamlError:
    return YamlError(f'holds too much: it is nested deeper than {bounds.yaml_depth} levels ({set_by("yaml_depth")})')


def load_yaml() -> Any:
    """Return the module `yaml`, which has no types.

    Raises:
        ImportError: PyYAML is not installed.
    """
    import yaml

    return yaml


def read_yaml(text: str, name: Literal['yaml_length', 'frontmatter_length'] = 'yaml_length') -> JsonValue:
    """Return the data in YAML.

    Args:
        text: The YAML.
        name: The bound of its length.

    Raises:
        YamlError: The text is malformed, or holds too much.
        ImportError: PyYAML is not installed.
    """
    longest: int = getattr(input_bounds(), name)
    if len(text) > longest:
        raise YamlError(f'is too long: {len(text)} characters, where the limit is {longest} ({set_by(name)})')
    return check_size(_read(text, 'get_single_data'))


def read_nodes(text: str) -> Any:
    """Return the node at the top of YAML, which knows its line, with those in it; `None` if the text is empty.

    Raises:
        YamlError: The text is malformed, or holds too much.
        ImportError: PyYAML is not installed.
    """
    return _read(text, 'get_single_node')


def _read(text: str, method: str) -> Any:
    yaml = load_yaml()
    loader_class = _loader_class(yaml)
    if text.count('%TAG') > MAX_TAG_DIRECTIVES and len(_TAG_DIRECTIVE.findall(text)) > MAX_TAG_DIRECTIVES:
        raise YamlError(f'holds too much: more than {MAX_TAG_DIRECTIVES} `%TAG` lines')
    try:
        # Values are counted before they are made, which takes ten times as long, and is recursive, in C as well.
        loader = loader_class(text)
        try:
            _count(yaml, loader)
        finally:
            loader.dispose()
        loader = loader_class(text)
        try:
            return getattr(loader, method)()
        finally:
            loader.dispose()
    except YamlError:
        raise
    except RecursionError:
        raise YamlError('holds too much: it is nested too deep') from None
    except Exception as error:  # numbers and dates that do not exist raise errors of Python's
        if 'maximum nesting depth' in str(error):  # libyaml reads ahead, and since 0.2.6 no further than 1,000 levels
            raise _too_deep(input_bounds()) from None
        raise YamlError(f'is not plain YAML: {str(error)[:1000]}') from None


def _count(yaml: Any, loader: Any) -> None:
    """Check how many values a text writes out, and how deep."""
    bounds = input_bounds()
    values = depth = 0
    while loader.check_event():
        event = loader.get_event()
        if isinstance(event, yaml.NodeEvent):
            values += 1
            if values > bounds.yaml_values:
                raise YamlError(
                    f'holds too much: more than {bounds.yaml_values} values are written in it ({set_by("yaml_values")})'
                )
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > bounds.yaml_depth:
                    raise _too_deep(bounds)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def check_size(data: JsonValue) -> JsonValue:
    """Return data if it is small enough, also when aliases are written out.

    Raises:
        YamlError: It is not.
    """
    # What aliases refer to is looked at once, and counted as often as it is referred to.
    bounds = input_bounds()
    sizes: dict[int, tuple[int, int] | None] = {}  # values and levels; `None` while they are counted
    stack: list[tuple[JsonValue, bool]] = [(data, False)]
    while stack:
        value, is_counted = stack.pop()
        items = value.values() if is_dict(value) else value if is_list(value) else None
        if items is None:
            continue
        if is_counted:
            sizes[id(value)] = _size(sizes, items, bounds)
        elif id(value) not in sizes:
            sizes[id(value)] = None
            stack.append((value, True))
            stack.extend((item, False) for item in items)
        elif sizes[id(value)] is None:  # it contains itself
            raise _too_deep(bounds)
    return data


def _size(
    sizes: Mapping[int, tuple[int, int] | None], items: Iterable[JsonValue], bounds: InputBounds
) -> tuple[int, int]:
    """Return how many values a list or mapping stands for, with itself, and how many levels there are in it."""
    values, levels = 1, 0
    for item in items:
        inside, deep = sizes.get(id(item)) or (1, 0)
        values += inside
        levels = max(levels, deep + 1)
    if values > bounds.yaml_expanded_values:
        raise YamlError(
            f'holds too much: more than {bounds.yaml_expanded_values} values ({set_by("yaml_expanded_values")})'
        )
    if levels > bounds.yaml_depth:
        raise _too_deep(bounds)
    return values, levels


_loaders: list[Any] = []


def _loader_class(yaml: Any) -> Any:
    """Return the loader. Its merge keys (`<<`) are bounded, because PyYAML copies what they refer to.

    It reads with libyaml where PyYAML was built with it, as its wheels are: that takes a twentieth of the time.
    """
    if _loaders:
        return _loaders[0]

    class BoundedLoader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):
        merged = 0

        def flatten_mapping(self, node: Any) -> None:
            for key, value in node.value:
                if key.tag != _MERGE:
                    continue
                for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    if isinstance(one, yaml.MappingNode):
                        self.flatten_mapping(one)
                        self.merged += len(one.value)
                        if self.merged > (most := input_bounds().yaml_merged):
                            raise YamlError(
                                f'holds too much: merge keys (`<<`) copy more than {most} entries. Write them out, or merge '
                                f'fewer ({set_by("yaml_merged")})'
                            )
            super().flatten_mapping(node)  # type: ignore[reportUnknownMemberType]

    # The time that a number takes grows with the square of its length, on the base 60 that YAML has as well.
    for kind in ('int', 'float'):
        tag = f'tag:yaml.org,2002:{kind}'
        BoundedLoader.add_constructor(tag, _bounded_number(BoundedLoader.yaml_constructors[tag]))
    _loaders.append(BoundedLoader)
    return BoundedLoader


def _bounded_number(construct: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def construct_short(loader: Any, node: Any) -> Any:
        if len(node.value) > (most := input_bounds().yaml_digits):
            raise YamlError(
                f'has a number of {len(node.value)} characters, where the limit is {most}. Write it as text, in quotes '
                f'({set_by("yaml_digits")})'
            )
        return construct(loader, node)

    return construct_short
