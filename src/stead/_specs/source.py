"""Texts of specs, in YAML or JSON: how they are read, as data only, and errors that point into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pydantic_core
from typing_extensions import TypeAlias

from .._kit import plain_yaml
from .._kit.json_types import JsonValue
from .._kit.problems import Problem, shown
from .._kit.records import is_list
from ..exceptions import UserError

Format: TypeAlias = Literal['yaml', 'json']
"""How a spec is written."""
FORMATS: dict[str, Format] = {'.yaml': 'yaml', '.yml': 'yaml', '.json': 'json'}
"""The formats by the suffix of a file."""
_MOST_PROBLEMS = 20
_LONGEST_READ_AGAIN = 20_000  # characters


class SpecError(UserError, ValueError):
    """An error about a spec that is not valid; the message says where, and what was expected there."""

    __module__ = 'stead.agent.spec'  # where it is imported from, as a traceback shows it


@dataclass
class Origin:
    """The source that a spec was read from."""

    name: str = 'The agent spec'
    """What error messages call it."""
    text: str = ''
    """The text; empty if the spec came as data."""
    fmt: Format | None = None
    """The format of the text; `None` if the spec came as data."""

    def error(self, problems: Sequence[Problem]) -> SpecError:
        """Return an error that lists problems with their places."""
        root = self._root()
        lines = [f'{_place(problem.path, root)}: {problem.message}' for problem in problems[:_MOST_PROBLEMS]]
        if len(problems) > len(lines):
            lines.append('and more')
        if len(lines) == 1:
            return SpecError(f'{self.name} is not valid: {lines[0]}')
        listed = '\n'.join(f'  {line}' for line in lines)
        return SpecError(f'{self.name} is not valid:\n{listed}')

    def _root(self) -> Any:
        """Return the text as nodes of YAML, which know their lines; `None` if it is not YAML, or reading it again takes long."""
        if self.fmt != 'yaml' or len(self.text) > _LONGEST_READ_AGAIN:
            return None
        try:
            return plain_yaml.read_nodes(self.text)
        except Exception:  # problems are reported without a line
            return None


def _place(path: Sequence[str | int], root: Any) -> str:
    """Return a path, with the line that it leads to, or that of its last key that exists."""
    line, node = None, root
    for part in path if root is not None else ():
        step = _step(node, part)
        if step is None:
            break
        line, node = step
    return (shown(path) or 'at the top') + ('' if line is None else f' (line {line})')


def _step(node: Any, part: str | int) -> tuple[int, Any] | None:
    """Return the line and the node that a key or an index leads to from a node."""
    content: list[Any] = node.value if is_list(node.value) else []
    if isinstance(part, int) and node.id == 'sequence' and part < len(content):
        item: Any = content[part]
        return item.start_mark.line + 1, item
    if node.id == 'mapping':
        for key, value in content:
            if key.value == part:
                return key.start_mark.line + 1, value
    # A capability without arguments is just its name.
    return (node.start_mark.line + 1, node) if node.id == 'scalar' and node.value == part else None


def load_yaml() -> Any:
    """Return the module `yaml`, which has no types.

    Raises:
        ImportError: PyYAML is not installed.
    """
    try:
        return plain_yaml.load_yaml()
    except ImportError as error:
        raise ImportError(
            'Specs in YAML need the package PyYAML. Install it with `pip install "stead[spec]"`, or use JSON.'
        ) from error


def format_of(path: Path, fmt: Format | None) -> Format:
    """Return the format of a file.

    Raises:
        ValueError: There is no `fmt`, and the suffix of the file is unknown.
    """
    if fmt is not None:
        return fmt
    by_suffix = FORMATS.get(path.suffix.lower())
    if by_suffix is None:
        raise ValueError(
            f'The name {path.name!r} does not say how the spec is written. Pass `fmt`, or end it in {", ".join(FORMATS)}.'
        )
    return by_suffix


def parse(origin: Origin) -> JsonValue:
    """Return the data in the text of a spec. No tag, alias or key in it makes code run.

    Raises:
        SpecError: The text is malformed, or holds more than a spec can.
        UserError: The format is neither `'yaml'` nor `'json'`.
        ImportError: The text is YAML, and PyYAML is not installed.
    """
    if origin.fmt not in ('json', 'yaml'):
        raise UserError(f"There is no format {origin.fmt!r} for specs. Use 'yaml' or 'json'.")
    try:
        if origin.fmt == 'json':
            return plain_yaml.check_size(pydantic_core.from_json(origin.text))
        load_yaml()
        return plain_yaml.read_yaml(origin.text)
    except plain_yaml.YamlError as error:
        raise SpecError(f'{origin.name} {error}.') from None
    except ValueError as error:
        raise SpecError(f'{origin.name} is not JSON: {error}') from None
