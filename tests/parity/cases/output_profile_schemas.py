"""Schemas of outputs as a profile's transformer rewrites them, with `strict` in each marker."""

from _output import show
from pydantic import BaseModel, Field
from pydantic_ai import NativeOutput, PromptedOutput, StructuredDict, ToolOutput
from pydantic_ai._json_schema import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer
from pydantic_ai.profiles import ModelProfile


class Inner(BaseModel):
    """Inside."""

    x: int = 1


class Row(BaseModel):
    """A row."""

    n: int = Field(ge=1, title='Number')
    inner: Inner
    rest: list[Inner] = []


def make(n: int, inner: Inner) -> Row:
    return Row(n=n, inner=inner)


class Marking(JsonSchemaTransformer):
    def transform(self, schema):
        schema.pop('title', None)
        schema['x-strict'] = self.strict
        return schema


class Strict(JsonSchemaTransformer):
    def transform(self, schema):
        if schema.get('type') == 'object':
            if 'default' in schema:
                self.is_strict_compatible = False
            if self.strict:
                schema['additionalProperties'] = False
        return schema


for name, transformer in {'marking': Marking, 'inlining': InlineDefsJsonSchemaTransformer, 'strict': Strict}.items():
    for mode in ('tool', 'native', 'prompted') if transformer is Marking else ('native',):
        profile = ModelProfile(
            json_schema_transformer=transformer,
            default_structured_output_mode=mode,
            supports_json_schema_output=True,
            supports_json_object_output=True,
        )
        show(f'{name} {mode}: bare', Row, profile, schema=False)
        show(f'{name} {mode}: function', make, profile, schema=False)
        show(f'{name} {mode}: several', [Row, Inner, int], profile, schema=False)
        show(
            f'{name} {mode}: dict',
            StructuredDict({'type': 'object', 'properties': {'a': {'type': 'integer', 'title': 'A'}}}, name='D'),
            profile,
            schema=False,
        )
        for strict in (None, True, False):
            show(f'{name} {mode}: tool {strict}', ToolOutput(Row, strict=strict), profile, schema=False)
            show(f'{name} {mode}: native {strict}', NativeOutput(Row, strict=strict), profile, schema=False)
        show(f'{name} {mode}: native several', NativeOutput([Row, Inner], strict=True), profile, schema=False)
        show(f'{name} {mode}: prompted', PromptedOutput(Row), profile, schema=False)
