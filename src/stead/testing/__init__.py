"""For tests of what others build on stead: proofs of stores, and of agents whose process dies."""

from __future__ import annotations

from .._kit.lazy import lazy_modules
from ._crashes import CrashReport, CrashScene, crash_everywhere
from ._stores import check_store

__all__ = ['CrashReport', 'CrashScene', 'check_store', 'crash_everywhere']

lazy_modules(__name__)
