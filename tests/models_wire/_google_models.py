"""Models of Google and parts of their responses, for its cases."""

from __future__ import annotations

import base64
from typing import Any

from stead.messages import NativeToolCallPart, NativeToolReturnPart

THREE = 'gemini-3-pro-preview'
IMAGE = 'gemini-2.5-flash-image'
IMAGE_3 = 'gemini-3-pro-image-preview'
PDF = 'application/pdf'

SIGNED = {'thought_signature': base64.b64encode(b'sig').decode()}


def native(name: str, arguments: Any, content: Any, provider: str = 'google', details: Any = None) -> list[Any]:
    return [
        NativeToolCallPart(name, arguments, 'n1', provider_name=provider, provider_details=details),
        NativeToolReturnPart(name, content, 'n1', provider_name=provider),
    ]
