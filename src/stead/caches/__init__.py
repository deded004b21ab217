"""Caches keep answers of models and results of tools. For a while, the same question gets the same answer."""

from __future__ import annotations

from .._kit.lazy import lazy_exports

_MODULES = {
    '_lookups': ('CacheLookup', 'OnLookup'),
    '_responses': ('ResponseCache',),
    '_stores': ('CacheError', 'CacheStore', 'MemoryCache', 'SqliteCache'),
    '_tools': ('ToolCache',),
}

__all__ = [name for names in _MODULES.values() for name in names]  # type: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = lazy_exports(__name__, _MODULES)
