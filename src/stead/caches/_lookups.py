"""The parts of a key, and the record of a lookup."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from types import MappingProxyType
from typing import Any, Literal, cast

from pydantic import BaseModel
from pydantic_core import to_json, to_jsonable_python
from typing_extensions import TypeAlias

from .._kit.ids import digest
from .._kit.json_types import JsonObject
from .._kit.secret import is_secret, masked_data, masked_text
from ..exceptions import UserError
from ._stores import CacheStore, MemoryCache


@dataclass(frozen=True)
class CacheLookup:
    """A lookup in a cache."""

    kind: Literal['response', 'tool']
    """Whether a response of a model was looked up, or the result of a tool."""
    name: str
    """The model, or the tool."""
    is_hit: bool
    """Whether it was in the cache."""
    key: str
    """The key, a digest."""
    key_parts: JsonObject
    """What the key is made of, as JSON data; what looks like a secret is masked here."""

    def __str__(self) -> str:
        parts = ', '.join(f'{name} {digest(value)[:8]}' for name, value in self.key_parts.items())
        return f'{"hit" if self.is_hit else "miss"} {self.kind} {self.name} {self.key[:8]} ({parts})'


_NONE: Mapping[str, str] = MappingProxyType({})
OnLookup: TypeAlias = Callable[[CacheLookup], object]
"""A function that is called with each lookup, such as `print`."""


class Lookups:
    """The store of a cache, for how long its entries are valid, and the listener for lookups."""

    def __init__(self, store: CacheStore | None, ttl: float | None, on_lookup: OnLookup | None) -> None:
        """Check the options.

        Raises:
            UserError: `ttl` is not a number of seconds, or the store is not a store.
        """
        if ttl is not None and (isinstance(ttl, bool) or not isinstance(ttl, (int, float)) or not ttl > 0):  # type: ignore[reportUnnecessaryIsInstance]
            raise UserError(f'`ttl` of a cache is a number of seconds, more than 0, or `None`, not {ttl!r}.')
        if store is not None and not isinstance(store, CacheStore):  # type: ignore[reportUnnecessaryIsInstance]
            raise UserError(f'The store of a cache is a `CacheStore`, such as `SqliteCache(path)`, not {store!r}.')
        self.store: CacheStore = MemoryCache() if store is None else store
        self.ttl, self.on_lookup = ttl, on_lookup

    async def find(
        self,
        kind: Literal['response', 'tool'],
        name: str,
        key_parts: JsonObject,
        digests: Mapping[str, str] = _NONE,
    ) -> tuple[str, bytes | None]:
        """Return the key of what it is made of, and the entry; digests that are known stand for their parts in the key."""
        key = digest(kind, {**key_parts, **digests})
        entry = await self.store.get(key)
        if self.on_lookup is not None:
            self.on_lookup(CacheLookup(kind, name, entry is not None, key, _masked(key_parts)))
        return key, entry


def as_json(value: object) -> Any:
    """Return JSON data that is the same for the same values only, except for what records leave out of their JSON: see `whole`.

    Raises:
        ValueError: There is no JSON for it.
    """
    return to_jsonable_python(value, inf_nan_mode='strings', bytes_mode='base64')


def whole(value: object) -> Any:
    """Return a value with the fields of its records in place of them, whatever their JSON leaves out or hides.

    Raises:
        ValueError: A part of it is a secret, or it contains itself.
    """
    try:
        return _whole(value)
    except RecursionError:
        raise ValueError('it is too deep, or contains itself') from None


def _whole(value: Any) -> Any:
    if hasattr(value, 'get_secret_value'):
        raise ValueError('a part of it is a secret')
    if isinstance(value, BaseModel):
        return _whole({**value.__dict__, **(value.model_extra or {}), **(value.__pydantic_private__ or {})})
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _whole(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in cast('JsonObject', value).items()}
    return [_whole(one) for one in cast('list[Any]', value)] if isinstance(value, (list, tuple)) else value


def as_json_bytes(value: object) -> bytes:
    """Return JSON of a value, see `as_json`.

    Raises:
        ValueError: There is no JSON for it.
    """
    return to_json(value, inf_nan_mode='strings', bytes_mode='base64')


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return masked_text(value)
    if isinstance(value, dict):
        items = cast('JsonObject', value).items()
        return {
            name: masked_data(item) if is_secret(name) and not isinstance(item, dict) else _masked(item)
            for name, item in items
        }
    return [_masked(item) for item in cast('list[Any]', value)] if isinstance(value, list) else value
