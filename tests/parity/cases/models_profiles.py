"""Profiles: defaults, updates, subclasses, functions of the model name; and schemas with their definitions inlined."""

import dataclasses

from _models import attempt, fact
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.native_tools import CodeExecutionTool, WebSearchTool
from pydantic_ai.profiles import DEFAULT_PROFILE, InlineDefsJsonSchemaTransformer, ModelProfile

NAMES = [field.name for field in dataclasses.fields(ModelProfile) if field.name != 'supported_native_tools']


def described(profile):
    return {name: getattr(profile, name) for name in NAMES if getattr(profile, name) != getattr(DEFAULT_PROFILE, name)}


@dataclasses.dataclass(kw_only=True)
class Mine(ModelProfile):
    mine_only: int = 1


@dataclasses.dataclass(kw_only=True)
class Yours(ModelProfile):
    yours_only: int = 2


fact('fields', NAMES)
fact('defaults', {name: getattr(DEFAULT_PROFILE, name) for name in NAMES})
first = ModelProfile(supports_tools=False, supports_thinking=True, default_structured_output_mode='prompted')
second = ModelProfile(supports_json_schema_output=True, supports_thinking=False, prompted_output_template='x')
for one, other in (
    (first, second),
    (second, first),
    (first, None),
    (Mine(mine_only=5), second),
    (second, Mine(mine_only=5)),
):
    updated = one.update(other)
    fact('updated', [type(updated).__name__, described(updated), getattr(updated, 'mine_only', None)])
fact('over', described(first.update(ModelProfile(supports_tools=True))))
fact(
    'mixed',
    [type(Mine().update(Yours(yours_only=7))).__name__, hasattr(Mine().update(Yours(yours_only=7)), 'yours_only')],
)
for wanted in (None, first, Mine(mine_only=3), Yours(yours_only=3, supports_tools=False)):
    updated = Mine.from_profile(wanted)
    fact('from', [type(updated).__name__, described(updated), updated.mine_only])
fact('the same', Mine.from_profile(mine := Mine()) is mine)

TOOLS = ModelProfile(supported_native_tools=frozenset({WebSearchTool, CodeExecutionTool}))


def by_name(name):
    return ModelProfile(supports_tools=False) if 'small' in name else None


for name, wanted in {'none': None, 'profile': first, 'tools': TOOLS, 'function': by_name}.items():
    for model_name in ('test', 'small'):
        model = TestModel(model_name=model_name, profile=wanted)
        tools = sorted(tool.__name__ for tool in model.profile.supported_native_tools)
        fact(f'{name} {model_name}', [described(model.profile), tools])
        fact('wrapped', described(WrapperModel(model).profile))
        attempt(
            'function',
            lambda: described(
                FunctionModel(lambda messages, info: None, profile=wanted, model_name=model_name).profile
            ),
        )


class Little(TestModel):
    @classmethod
    def supported_native_tools(cls):
        return frozenset({WebSearchTool})


for wanted in (None, TOOLS):
    fact('little', sorted(tool.__name__ for tool in Little(profile=wanted).profile.supported_native_tools))

SCHEMA = {
    'type': 'object',
    'properties': {
        'a': {'$ref': '#/$defs/A'},
        'b': {'anyOf': [{'$ref': '#/$defs/A'}, {'type': 'null'}]},
        'n': {'$ref': '#/$defs/N'},
    },
    '$defs': {
        'A': {'type': 'object', 'properties': {'x': {'$ref': '#/$defs/X'}}},
        'X': {'type': 'integer'},
        'N': {'type': 'object', 'properties': {'n': {'$ref': '#/$defs/N'}}},
    },
}
flat = {**SCHEMA, 'properties': {'a': SCHEMA['properties']['a'], 'b': SCHEMA['properties']['b']}}
for name, schema in {'flat': flat, 'recursive': SCHEMA, 'plain': {'type': 'string', 'title': 'T'}}.items():
    for strict in (None, True, False):
        walker = InlineDefsJsonSchemaTransformer(schema, strict=strict)
        fact(f'{name} {strict}', [walker.walk(), walker.is_strict_compatible])
