"""`Caching` and `Citations`: the settings that they give, alone and from specs."""

from __future__ import annotations

from typing import Any

from pydantic_ai.capabilities import Caching, Citations
from pydantic_ai.capabilities.caching import Caching as FromItsModule

print(FromItsModule is Caching, Caching.get_serialization_name(), Citations.get_serialization_name())
examples: list[Any] = [
    *(Caching(), Caching('1h'), Caching(False), Caching(messages=False), Caching('1h', messages=False)),
    *(Caching.from_spec(), Caching.from_spec('1h'), Caching.from_spec(retention='5m', messages=False)),
    *(Citations(), Citations.from_spec()),
]
for capability in examples:
    print(type(capability).__name__, capability.get_model_settings())
