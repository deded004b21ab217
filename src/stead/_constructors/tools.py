"""Constructors of the records in `stead.tools`, compiled ahead; `_kit/constructors.py` says how. Written by `make stubs`."""

# pyright: basic

from __future__ import annotations


def _builder_CompiledSchema(put):
    def __init__(self, validator, json_schema, single_arg_name, positional_fields, var_positional_field, ctx_name,
            takes_ctx, description, return_schema, per_class):
        put(self, 'validator', validator)
        put(self, 'json_schema', json_schema)
        put(self, 'single_arg_name', single_arg_name)
        put(self, 'positional_fields', positional_fields)
        put(self, 'var_positional_field', var_positional_field)
        put(self, 'ctx_name', ctx_name)
        put(self, 'takes_ctx', takes_ctx)
        put(self, 'description', description)
        put(self, 'return_schema', return_schema)
        put(self, 'per_class', per_class)

    return __init__


def _builder_SchemaBuilder():
    def __init__(self, function, name, schema_generator, takes_ctx, docstring_format, require_parameter_descriptions):
        self.function = function
        self.name = name
        self.schema_generator = schema_generator
        self.takes_ctx = takes_ctx
        self.docstring_format = docstring_format
        self.require_parameter_descriptions = require_parameter_descriptions

    return __init__


def _schema_FunctionSchema(unset, new_positional_fields):
    def __init__(self, *, function, description, validator, json_schema, takes_ctx, is_async, single_arg_name=...,
            positional_fields=unset, var_positional_field=..., ctx_name=..., return_schema=...):
        self.function = function
        self.description = description
        self.validator = validator
        self.json_schema = json_schema
        self.takes_ctx = takes_ctx
        self.is_async = is_async
        self.single_arg_name = single_arg_name
        self.positional_fields = new_positional_fields() if positional_fields is unset else positional_fields
        self.var_positional_field = var_positional_field
        self.ctx_name = ctx_name
        self.return_schema = return_schema

    return __init__


def _signature_ToolSignature(put):
    def __init__(self, parameters, hints, takes_ctx, ctx_name, hidden_names=..., per_class=...):
        put(self, 'parameters', parameters)
        put(self, 'hints', hints)
        put(self, 'takes_ctx', takes_ctx)
        put(self, 'ctx_name', ctx_name)
        put(self, 'hidden_names', hidden_names)
        put(self, 'per_class', per_class)

    return __init__
