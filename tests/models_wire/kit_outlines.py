"""Models of Outlines that ask the loopback server, as one of SGLang."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from _wire import Wire


def outlines_model(wire: Wire | str, name: str = 'sg', **options: Any) -> Any:
    """A model of Outlines whose client tries once; `name` is what the server knows it by."""
    pytest.importorskip('outlines.models', reason='the package outlines is not installed')
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.outlines import OutlinesModel

    url = wire if isinstance(wire, str) else wire.url
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        model = OutlinesModel.from_sglang(url, 'sk-secret-of-ours', name, **options)
    model.model.client.max_retries = 0
    return model
