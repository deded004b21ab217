"""xAI's models, through its own protocol."""

from __future__ import annotations

from .model import XaiModel
from .settings import XaiModelName, XaiModelSettings
from .stream import XaiStreamedResponse

__all__ = ('XaiModel', 'XaiModelName', 'XaiModelSettings', 'XaiStreamedResponse')
