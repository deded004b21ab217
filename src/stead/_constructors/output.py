"""Constructors of the records in `stead.output`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _compiled_CompiledType():
    def __init__(self, json_schema, outer_key, adapter, lenient=...):
        self.json_schema = json_schema
        self.outer_key = outer_key
        self.adapter = adapter
        self.lenient = lenient

    return __init__


def _functions_OutputFunction(put):
    def __init__(self, name, takes_ctx, parameters):
        put(self, 'name', name)
        put(self, 'takes_ctx', takes_ctx)
        put(self, 'parameters', parameters)

    return __init__


def _processors__UnionChoice():
    def __init__(self, kind, data):
        self.kind = kind
        self.data = data

    return __init__


def _processors__UnionOutput():
    def __init__(self, result):
        self.result = result

    return __init__


def _schema_OutputSchema():
    def __init__(self, *, allows_none=..., text_processor=..., toolset=..., object_def=..., allows_deferred_tools=...,
            allows_image=..., mode=..., template=..., spec=...):
        self.allows_none = allows_none
        self.text_processor = text_processor
        self.toolset = toolset
        self.object_def = object_def
        self.allows_deferred_tools = allows_deferred_tools
        self.allows_image = allows_image
        self.mode = mode
        self.template = template
        self.spec = spec

    return __init__


def _toolset_OutputToolset(unset, new__max_retries_overrides, new_output_validators):
    def __init__(self, _tool_defs, processors, max_retries=..., _max_retries_overrides=unset, output_validators=unset):
        self._tool_defs = _tool_defs
        self.processors = processors
        self.max_retries = max_retries
        self._max_retries_overrides = new__max_retries_overrides() if _max_retries_overrides is unset else _max_retries_overrides
        self.output_validators = new_output_validators() if output_validators is unset else output_validators

    return __init__
