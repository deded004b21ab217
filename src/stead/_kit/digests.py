"""Digests of JSON data, to recognise it again."""

from __future__ import annotations

import json
from types import ModuleType


def digest(*values: object) -> str:
    """Return a digest of values that does not depend on how their JSON is written, such as the order of keys."""
    return _hashlib().sha256(canonical_json(values).encode()).hexdigest()


def short_hash(data: str | bytes) -> str:
    """Return six hexadecimal digits that identify content in a prompt."""
    return _hashlib().sha1(data.encode() if isinstance(data, str) else data, usedforsecurity=False).hexdigest()[:6]


def id_of_names(names: list[str]) -> str:
    """Return 16 hexadecimal digits that are the same for the same names in the same order."""
    return _hashlib().blake2s(chr(0).join(names).encode(), digest_size=8).hexdigest()


def _hashlib() -> ModuleType:
    import hashlib  # loads a library of 4 MB, and few runs need a digest

    return hashlib


def canonical_json(value: object) -> str:
    """Return JSON that is the same for the same data only: `1`, `1.0` and `true` differ, the order of keys does not."""
    return json.dumps(value, sort_keys=True, default=str)
