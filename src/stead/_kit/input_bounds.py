"""How large what comes from outside may be, where no argument of a function says so: one record for the process."""

from __future__ import annotations

import dataclasses
import threading
from dataclasses import dataclass, fields
from typing import Final

MOST_LEVELS: Final = 500
"""How deep a bound may let data be nested: libraries that read it are recursive, and some end the process."""


@dataclass(frozen=True)
class InputBounds:
    """Bounds of what comes from outside. What is larger is refused with an error that says so, or shown as plain text."""

    yaml_length: int = 200_000
    """Characters of YAML, in specs."""
    yaml_values: int = 10_000
    """Values that YAML writes out: texts, numbers, keys, lists and mappings. Reading this many takes a tenth of a second."""
    yaml_expanded_values: int = 100_000
    """Values in YAML, or in a spec in JSON, when those that aliases repeat are counted each time."""
    yaml_depth: int = 100
    """Levels of lists and mappings in each other, at most 500."""
    yaml_merged: int = 5_000
    """Entries that merge keys (`<<`) of YAML copy."""
    yaml_digits: int = 1_000
    """Characters of a number in YAML."""
    template_length: int = 1_000_000
    """Characters of the text that a template becomes."""
    template_steps: int = 200_000
    """Parts of a template that are rendered, and items that its blocks repeat for. This many take half a second."""
    skill_size: int = 1_000_000
    """Bytes of a skill, and of each file beside it."""
    frontmatter_length: int = 20_000
    """Characters of YAML at the beginning of a skill."""
    html_length: int = 2_000_000
    """Characters of a page that become Markdown; the rest is left out."""
    html_depth: int = 200
    """Elements of a page in each other, at most 500; of deeper ones, the text is shown."""
    json_length: int = 200_000
    """Characters of fetched JSON that is laid out; longer JSON is shown as it came."""
    json_depth: int = 100
    """Levels of fetched JSON that is laid out, at most 500."""
    inflated_size: int = 4_000_000
    """Bytes that a compressed download may become in any case."""
    inflated_ratio: int = 100
    """How many times its size a compressed download may become beyond that. Texts become 20 times as large at most."""
    schema_values: int = 100_000
    """Values of definitions that are written out in a JSON schema, for models that know no references."""
    answer_errors: int = 50
    """Validation errors that an answer to the model lists."""

    def __post_init__(self) -> None:
        values: dict[str, object] = vars(self)
        for name, value in values.items():
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f'`{name}` is {value!r:.60}, which is not a whole number.')
            if value < 1:
                raise ValueError(f'`{name}` is {value}. It must be at least 1.')
            if name.endswith('_depth') and value > MOST_LEVELS:
                raise ValueError(f'`{name}` is {value}. It must be at most {MOST_LEVELS}: deeper data ends processes.')


_lock = threading.Lock()
_in_force = InputBounds()


def input_bounds() -> InputBounds:
    """Return the bounds that hold in this process."""
    return _in_force


def set_by(name: str) -> str:
    """Return what an error says about a bound: how it is set."""
    return f'set by `set_input_bounds({name}=...)` of `stead.bounds`'


def set_input_bounds(bounds: InputBounds | None = None, /, **changes: int) -> InputBounds:
    """Set bounds for this process, and return those that held before.

    Args:
        bounds: The bounds; by default those that hold now.
        changes: Bounds to change in them, by the names of the fields of `InputBounds`.

    Raises:
        TypeError: There is no bound of this name, or a value is not a whole number.
        ValueError: A value is smaller than 1, or larger than this bound can be.
    """
    global _in_force
    with _lock:
        before = _in_force
        names = {field.name for field in fields(InputBounds)}
        if unknown := [name for name in changes if name not in names]:
            raise TypeError(f'There is no bound {unknown[0]!r}. There are: {", ".join(sorted(names))}.')
        _in_force = dataclasses.replace(before if bounds is None else bounds, **changes)
    return before
