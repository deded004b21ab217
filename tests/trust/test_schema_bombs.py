"""JSON schemas of servers, which models without references get with their definitions written out, cost little."""

from __future__ import annotations

from typing import Any

import pytest

from stead.bounds import set_input_bounds
from stead.exceptions import UserError
from stead.models import ModelRequestParameters
from stead.models.test import TestModel
from stead.profiles.amazon import amazon_model_profile
from stead.profiles.meta import meta_model_profile
from stead.profiles.qwen import qwen_model_profile
from stead.tools import ToolDefinition

PROFILES = {'meta': meta_model_profile, 'qwen': qwen_model_profile, 'amazon': amazon_model_profile}


def doubling(count: int) -> dict[str, Any]:
    """Return a schema whose definitions each have the next one twice."""

    def twice(number: int) -> dict[str, Any]:
        reference = {'$ref': f'#/$defs/D{number}'}
        return {'type': 'object', 'properties': {'x': reference, 'y': reference}}

    return {**twice(0), '$defs': {**{f'D{n}': twice(n + 1) for n in range(count)}, f'D{count}': {'type': 'string'}}}


def sent(vendor: str, schema: dict[str, Any]) -> Any:
    """Return the schema of a tool as a model of a vendor gets it."""
    model = TestModel(profile=PROFILES[vendor]('x'))
    tool = ToolDefinition(name='look', parameters_json_schema=schema)
    (tool,) = model.customize_request_parameters(ModelRequestParameters(function_tools=[tool])).function_tools
    return tool.parameters_json_schema


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {'type': 'object'}
    for _ in range(levels):
        schema = {'type': 'object', 'properties': {'a': schema}}
    return schema


@pytest.mark.parametrize('vendor', PROFILES)
def test_definitions_that_double_are_refused(vendor: str) -> None:
    assert sent(vendor, doubling(3))['properties']['x']['properties']['y']['type'] == 'object'
    with pytest.raises(UserError, match=r"tool 'look' cannot .* more than 100000 values .*schema_values"):
        sent(vendor, doubling(41))
    with pytest.raises(UserError, match="tool 'look' cannot .* too many levels"):
        sent(vendor, deep(500))


def test_large_definitions_count_each_time() -> None:
    one = {'$ref': '#/$defs/A'}
    schema = {
        'type': 'object',
        'properties': {f'p{n}': one for n in range(2000)},
        '$defs': {'A': {'enum': [*range(2000)]}},
    }
    with pytest.raises(UserError, match='schema_values'):
        sent('meta', schema)
    before = set_input_bounds(schema_values=10_000_000)
    try:
        assert len(sent('meta', schema)['properties']) == 2000
    finally:
        set_input_bounds(before)


@pytest.mark.parametrize('definitions', ['text', ['x'], {'x': 3}, None])
def test_definitions_that_are_none_are_an_error_that_names_the_tool(definitions: Any) -> None:
    with pytest.raises(UserError, match="tool 'look' cannot"):
        sent('qwen', {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/x'}}, '$defs': definitions})
