"""Digests of JSON data, to recognise it again."""

from __future__ import annotations

import json
from hashlib import sha256


def digest(*values: object) -> str:
    """Return a digest of values that does not depend on how their JSON is written, such as the order of keys."""
    return sha256(canonical_json(values).encode()).hexdigest()


def canonical_json(value: object) -> str:
    """Return JSON that is the same for the same data only: `1`, `1.0` and `true` differ, the order of keys does not."""
    return json.dumps(value, sort_keys=True, default=str)
