"""xAI's models, through its gRPC API."""

from __future__ import annotations

from ..._kit.deprecated import warn_caller
from ..._kit.lazy import missing_name
from ._model import XaiModel
from ._settings import XaiModelName, XaiModelSettings
from ._stream import XaiStreamedResponse


def __getattr__(name: str) -> object:
    if name != 'XAI_EFFORT_MAP':
        missing_name(__name__, name)
    warn_caller('`XAI_EFFORT_MAP` is deprecated: the profile of a model says which efforts it has.')
    return {True: 'high', 'minimal': 'low', 'low': 'low', 'medium': 'high', 'high': 'high', 'xhigh': 'high'}


__all__ = ('XaiModel', 'XaiModelName', 'XaiModelSettings', 'XaiStreamedResponse')
