"""Constructors of the records in `stead.providers`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _table_ProviderRow():
    def __init__(self, module, provider, model_module=..., model=..., chat=..., responses=...):
        self.module = module
        self.provider = provider
        self.model_module = model_module
        self.model = model
        self.chat = chat
        self.responses = responses

    return __init__
