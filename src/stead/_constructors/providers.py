"""Constructors of the records in `stead.providers`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _table_ProviderRow(put):
    def __init__(self, module, provider, model_module=..., model=..., chat=..., responses=...):
        put(self, 'module', module)
        put(self, 'provider', provider)
        put(self, 'model_module', model_module)
        put(self, 'model', model)
        put(self, 'chat', chat)
        put(self, 'responses', responses)

    return __init__
