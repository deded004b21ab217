"""`dataclass`: that of the standard library; before Python 3.13, too, its constructor says which argument may have been meant."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .meant import with_hint

if not TYPE_CHECKING and sys.version_info < (3, 13):
    _dataclass = dataclass

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        if cls is None:
            return lambda cls: dataclass(cls, **options)
        built = _dataclass(**options)(cls)
        if '__init__' in built.__dict__:
            built.__init__ = with_hint(built.__init__)
        return built


__all__ = ('dataclass',)
