"""xAI's models, through its gRPC API."""

from __future__ import annotations

from ._model import XaiModel
from ._settings import XaiModelName, XaiModelSettings
from ._stream import XaiStreamedResponse

__all__ = ('XaiModel', 'XaiModelName', 'XaiModelSettings', 'XaiStreamedResponse')
