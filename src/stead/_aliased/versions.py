"""The version of the mirrored interface, for programs that depend on it."""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

VERSION = '1.107.5'
"""The version of `pydantic_ai` and of the distributions below."""
_DISTRIBUTIONS = {'pydantic-ai': '', 'pydantic-ai-slim': 'pydantic_ai', 'pydantic-graph': 'pydantic_graph'}
"""The distributions that programs ask about, and the package of each."""


class _MirroredDistribution(importlib.metadata.Distribution):
    """A distribution that is not installed, since stead serves its package."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename: str) -> str | None:
        return {
            'METADATA': f'Metadata-Version: 2.1\nName: {self._name}\nVersion: {VERSION}\n',
            'top_level.txt': f'{_DISTRIBUTIONS[self._name]}\n',
        }.get(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        return Path(__file__).parent.parent / path


class MirroredDistributions(importlib.metadata.DistributionFinder):
    """A finder that answers for the mirrored distributions, as long as none of them is installed."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Find no module: the alias has a finder for modules."""

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context = importlib.metadata.DistributionFinder.Context()
    ) -> Iterable[importlib.metadata.Distribution]:
        """Return the requested distributions that no other finder has.

        Args:
            context: What is asked for; without a name, all distributions.
        """
        asked = None if context.name is None else re.sub('[-_.]+', '-', context.name).lower()
        return [
            _MirroredDistribution(name)
            for name in _DISTRIBUTIONS
            if asked in (None, name) and not self._is_installed(name)
        ]

    def _is_installed(self, name: str) -> bool:
        context = importlib.metadata.DistributionFinder.Context(name=name)
        finders: list[Any] = [
            getattr(finder, 'find_distributions', None) for finder in sys.meta_path if finder is not self
        ]
        return any(next(iter(find(context)), None) is not None for find in finders if find is not None)
