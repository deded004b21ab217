"""The public names of `stead.caches`, for type checkers. Written by `make stubs`."""

from ._lookups import CacheLookup as CacheLookup, OnLookup as OnLookup
from ._responses import ResponseCache as ResponseCache
from ._stores import (
    CacheError as CacheError,
    CacheStore as CacheStore,
    MemoryCache as MemoryCache,
    SqliteCache as SqliteCache,
)
from ._tools import ToolCache as ToolCache
