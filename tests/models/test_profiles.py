"""Profiles: what families of models can do, and how two of them go together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from stead import Agent
from stead.messages import ModelResponse
from stead.models.function import FunctionModel
from stead.models.test import TestModel
from stead.native_tools import SUPPORTED_NATIVE_TOOLS, CodeExecutionTool, ToolSearchTool, WebSearchTool
from stead.profiles import InlineDefsJsonSchemaTransformer, ModelProfile, merge_profile
from stead.profiles.openai import OpenAIModelProfile


@dataclass(kw_only=True)
class Mine(ModelProfile):
    mine_only: int = 1


def test_a_profile_over_another():
    under = ModelProfile(supports_tools=False, supports_thinking=True)
    over = ModelProfile(supports_json_schema_output=True, supports_tools=True)
    merged = under.update(over)
    assert merged.supports_thinking and merged.supports_json_schema_output
    assert not merged.supports_tools  # what is a default says nothing
    assert under.update(None) is under
    assert not under.supports_json_schema_output


def test_profiles_of_families():
    merged = Mine(mine_only=5).update(ModelProfile(supports_tools=False))
    assert (type(merged), merged.mine_only, merged.supports_tools) == (Mine, 5, False)
    assert Mine.from_profile(merged) is merged
    assert Mine.from_profile(ModelProfile(supports_tools=False)) == Mine(supports_tools=False)
    assert Mine.from_profile(None) == Mine()
    assert ModelProfile().update(Mine(mine_only=5, supports_thinking=True)) == ModelProfile(supports_thinking=True)


def test_a_profile_is_read_like_a_dict():
    profile = OpenAIModelProfile(supports_tools=False)
    assert (profile['supports_tools'], profile.get('nothing', 1), 'supports_tools' in profile) == (False, 1, True)
    assert {**profile} == dict(profile.items()) and set(profile) == set(profile.keys())
    with pytest.raises(KeyError):
        profile['nothing']


def test_values_of_a_dict_are_over_the_profile_that_a_model_has():
    values = {'supports_tools': False, 'not_known': 1}
    own = FunctionModel(lambda messages, info: ModelResponse(parts=[])).profile
    for profile in (values, lambda name: values):
        assert FunctionModel(lambda messages, info: ModelResponse(parts=[]), profile=profile).profile == replace(
            own, supports_tools=False
        )
    assert TestModel(profile={}).profile == TestModel().profile
    assert Agent(TestModel(profile=values)).run_sync('q').output == 'success (no tool calls)'


def test_merged_profiles():
    values = {'supports_tools': False}
    assert merge_profile(None, values, None, {'more': 1}) == {'supports_tools': False, 'more': 1}
    assert merge_profile(values) == values and merge_profile(values) is not values
    merged = merge_profile(ModelProfile(supports_thinking=True), {'openai_supports_sampling_settings': False, **values})
    expected = OpenAIModelProfile(supports_thinking=True, supports_tools=False, openai_supports_sampling_settings=False)
    assert merged == expected
    assert merge_profile({'supports_thinking': True}, OpenAIModelProfile(supports_tools=False)) == OpenAIModelProfile(
        supports_thinking=True, supports_tools=False
    )
    assert merge_profile(expected, ModelProfile(supports_thinking=True)) == expected


def test_a_profile_may_depend_on_the_name():
    def by_name(name: str) -> ModelProfile | None:
        return ModelProfile(supports_tools=False) if 'small' in name else None

    assert TestModel(model_name='small-1', profile=by_name).profile.supports_tools is False
    assert TestModel(model_name='large-1', profile=by_name).profile == TestModel().profile


def test_native_tools_are_those_of_the_profile_and_the_class():
    class Little(TestModel):
        @classmethod
        def supported_native_tools(cls):  # noqa: ANN206
            return frozenset({WebSearchTool})

    both = ModelProfile(supported_native_tools=frozenset({WebSearchTool, CodeExecutionTool}))
    assert Little().profile.supported_native_tools == {WebSearchTool}
    assert Little(profile=both).profile.supported_native_tools == {WebSearchTool}
    assert TestModel(profile=both).profile.supported_native_tools == {WebSearchTool, CodeExecutionTool}
    assert TestModel.supported_builtin_tools() == SUPPORTED_NATIVE_TOOLS - {ToolSearchTool}


def test_definitions_in_place_of_references():
    schema = {
        'type': 'object',
        'properties': {'a': {'$ref': '#/$defs/A'}, 'n': {'$ref': '#/$defs/N'}},
        '$defs': {
            'A': {'type': 'object', 'properties': {'x': {'$ref': '#/$defs/X'}}},
            'X': {'type': 'integer'},
            'N': {'type': 'object', 'properties': {'n': {'$ref': '#/$defs/N'}}},
        },
    }
    inlined = InlineDefsJsonSchemaTransformer(schema).walk()
    assert (inlined['$ref'], set(inlined['$defs'])) == ('#/$defs/root', {'root', 'N'})  # what refers to itself stays
    a = inlined['$defs']['root']['properties']['a']
    assert a == {'type': 'object', 'properties': {'x': {'type': 'integer'}}}
    assert schema['properties']['a'] == {'$ref': '#/$defs/A'}
