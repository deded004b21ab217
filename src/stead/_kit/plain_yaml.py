"""YAML as plain data, within bounds.

A few lines of YAML can stand for billions of values, by aliases and merge keys, or contain themselves. No tag in it makes code
run.
"""

from __future__ import annotations

from typing import Any

from .json_types import JsonValue
from .records import is_dict, is_list

MAX_VALUES = 100_000
"""How many values data may hold. A value that aliases repeat is counted each time."""
MAX_DEPTH = 100
"""How deep the values may be nested."""
MAX_LENGTH = 200_000
"""How many characters a text may have. Reading this many takes seconds."""
MAX_MERGED = 5_000
"""How many entries merge keys (`<<`) may copy. Copying takes as long as reading."""
_MERGE = 'tag:yaml.org,2002:merge'


class YamlError(ValueError):
    """A text is not plain YAML, or holds more than it may. The message continues a sentence about the text."""


def load_yaml() -> Any:
    """Return the module `yaml`, which has no types.

    Raises:
        ImportError: PyYAML is not installed.
    """
    import yaml

    return yaml


def read_yaml(text: str, longest: int = MAX_LENGTH) -> JsonValue:
    """Return the data in YAML.

    Args:
        text: The YAML.
        longest: How many characters it may have.

    Raises:
        YamlError: The text is malformed, or holds too much.
        ImportError: PyYAML is not installed.
    """
    yaml = load_yaml()
    if len(text) > longest:
        raise YamlError(f'is too long: {len(text)} characters, where {longest} is the most')
    loader: Any = _loader_class(yaml)(text)
    try:
        data = loader.get_single_data()
    except YamlError:
        raise
    except RecursionError:
        raise YamlError('holds too much: it is nested too deep') from None
    except Exception as error:  # numbers and dates that do not exist raise errors of Python's
        raise YamlError(f'is not plain YAML: {str(error)[:1000]}') from None
    finally:
        loader.dispose()
    return check_size(data)


def check_size(data: JsonValue) -> JsonValue:
    """Return data if it is small enough, also when aliases are written out.

    Raises:
        YamlError: It is not.
    """
    # Values are visited as often as they are referred to.
    left = MAX_VALUES
    stack: list[tuple[JsonValue, int]] = [(data, 0)]
    while stack:
        value, depth = stack.pop()
        left -= 1
        if left < 0:
            raise YamlError(f'holds too much: more than {MAX_VALUES} values')
        if depth > MAX_DEPTH:
            raise YamlError(f'holds too much: it is nested deeper than {MAX_DEPTH} levels')
        if is_dict(value):
            stack.extend((item, depth + 1) for item in value.values())
        elif is_list(value):
            stack.extend((item, depth + 1) for item in value)
    return data


_loaders: list[Any] = []


def _loader_class(yaml: Any) -> Any:
    """Return the loader, whose merge keys (`<<`) are bounded: PyYAML copies what they refer to."""
    if _loaders:
        return _loaders[0]

    class BoundedLoader(yaml.SafeLoader):
        merged = 0

        # Deep nesting is noticed where it begins: reading on takes quadratic time, and ends in a `RecursionError`.
        def fetch_flow_collection_start(self, token: object) -> None:
            self.check_depth()
            super().fetch_flow_collection_start(token)  # type: ignore[reportUnknownMemberType]

        def add_indent(self, column: object) -> object:
            self.check_depth()
            return super().add_indent(column)  # type: ignore[reportUnknownMemberType, reportUnknownVariableType]

        def check_depth(self) -> None:
            scanner: Any = self
            if scanner.flow_level + len(scanner.indents) > MAX_DEPTH:
                raise YamlError(f'holds too much: it is nested deeper than {MAX_DEPTH} levels')

        def flatten_mapping(self, node: Any) -> None:
            for key, value in node.value:
                if key.tag != _MERGE:
                    continue
                for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                    if isinstance(one, yaml.MappingNode):
                        self.flatten_mapping(one)
                        self.merged += len(one.value)
                        if self.merged > MAX_MERGED:
                            raise YamlError(
                                f'holds too much: merge keys (`<<`) copy more than {MAX_MERGED} entries. Write them out, or '
                                'merge fewer'
                            )
            super().flatten_mapping(node)  # type: ignore[reportUnknownMemberType]

    _loaders.append(BoundedLoader)
    return BoundedLoader
