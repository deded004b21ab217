"""What differs from run to run, or by the version of Python, and says nothing: ids, times, addresses, unions; the package."""

from __future__ import annotations

import re
from collections.abc import Callable

MASKS: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = [
    (re.compile(r'\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b'), '<uuid>'),
    (re.compile(r'\b(pyd_ai|stead)_[0-9a-f]{32}\b'), '<call-id>'),
    (re.compile(r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?'), '<time>'),
    (re.compile(r'datetime\.datetime\([^)]*\)+'), '<time>'),
    (re.compile(r'0x[0-9a-f]{6,}'), '<addr>'),
    (re.compile(r'errors\.pydantic\.dev/[\d.]+'), 'errors.pydantic.dev/<version>'),
    # Python writes it in two ways, by its version.
    (re.compile(r'\bOrderedDict\((\[.*?\]|\{.*?\})\)'), '<OrderedDict>'),
    (re.compile(r'\btyping\.Union\[([\w, ]+)\]'), lambda union: union[1].replace(', ', ' | ')),
    (re.compile(r'\bpydantic_graph\b(?=[.\w])'), 'pydantic_ai.graph'),
    (re.compile(r'\bstead\b(?=[.\w])'), 'pydantic_ai'),
]


def masked(text: str) -> list[str]:
    """Return the lines of a text with everything masked that differs from run to run."""
    for pattern, word in MASKS:
        text = pattern.sub(word, text)
    return text.splitlines()
