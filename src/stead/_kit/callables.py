"""What can be called, and how."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

from typing_extensions import TypeIs


def is_async_callable(obj: object) -> TypeIs[Callable[..., Awaitable[Any]]]:
    """Return whether calling an object returns an awaitable: a function, method, partial or callable object."""
    while isinstance(obj, partial):
        obj = cast('partial[object]', obj).func
    if inspect.iscoroutinefunction(obj):
        return True
    return not inspect.isroutine(obj) and inspect.iscoroutinefunction(getattr(type(obj), '__call__', None))  # noqa: B004  # type: ignore[reportUnknownArgumentType]
