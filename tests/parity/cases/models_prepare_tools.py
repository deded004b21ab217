"""Definitions of tools after the profile's schema transformer, and models that customize them."""

import dataclasses
import itertools

from _models import fact, plain, tool
from _models_prepare import OBJECT, prepared
from pydantic_ai.models.test import TestModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer, ModelProfile

NESTED = {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/A'}}, '$defs': {'A': {'type': 'integer'}}}


class Titled(InlineDefsJsonSchemaTransformer):
    def transform(self, schema):
        return {**super().transform(schema), 'title': f'strict {self.strict}'}


class Loose(Titled):
    def walk(self):
        walked = super().walk()
        self.is_strict_compatible = False
        return walked


for transformer, strict, known in itertools.product((None, Titled, Loose), (None, True, False), (True, False)):
    profile = ModelProfile(json_schema_transformer=transformer, supports_tool_return_schema=known)
    name = f'{transformer and transformer.__name__} strict {strict} return schemas {known}'
    function = tool('f', NESTED, strict=strict, return_schema=NESTED, include_return_schema=True, description='Does.')
    bare = dataclasses.replace(function, description=None)
    hidden = dataclasses.replace(function, include_return_schema=False)
    undecided = dataclasses.replace(function, include_return_schema=None)
    output = tool('final_result', NESTED, strict=strict, kind='output')
    prepared(
        name, profile, output_mode='tool', function_tools=[function, bare, hidden, undecided], output_tools=[output]
    )
    output_object = dataclasses.replace(OBJECT, strict=strict)
    prepared(f'{name} object', profile, output_mode='prompted', output_object=output_object)
fact('not changed', function)


class Looking(TestModel):
    def customize_request_parameters(self, model_request_parameters):
        fact('seen', plain(model_request_parameters))
        return dataclasses.replace(model_request_parameters, output_mode='text')


for mode in ('auto', 'native', 'prompted', 'tool'):
    fields = {'output_mode': mode, 'output_object': OBJECT, 'output_tools': [output], 'native_tools': [WebSearchTool()]}
    model = Looking(profile=ModelProfile(supports_thinking=True))
    prepared(f'customized {mode}', None, {'thinking': 'low'}, model=model, function_tools=[function], **fields)
