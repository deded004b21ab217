"""Models that Outlines runs: in this process, or on a server of SGLang."""

from __future__ import annotations

from ..._kit.lazy import lazy_modules
from ._model import OutlinesModel
from ._stream import OutlinesStreamedResponse

__all__ = ('OutlinesModel', 'OutlinesStreamedResponse')

lazy_modules(__name__)
