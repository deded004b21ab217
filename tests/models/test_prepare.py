"""`Model.prepare_request`: settings and parameters fitted to what a model can do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stead import Agent, NativeOutput, PromptedOutput, UserError
from stead.messages import InstructionPart, ModelResponse, TextPart
from stead.models import ModelRequestParameters
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.native_tools import CodeExecutionTool, MCPServerTool, WebSearchTool
from stead.output import OutputObjectDefinition
from stead.profiles import InlineDefsJsonSchemaTransformer, ModelProfile

from .kit import tool

SCHEMA = {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/A'}}, '$defs': {'A': {'type': 'integer'}}}
OBJECT = OutputObjectDefinition(json_schema=SCHEMA, name='Name', description='What it is.')
NATIVE = ModelProfile(supports_json_schema_output=True, default_structured_output_mode='native')
PROMPTED = ModelProfile(default_structured_output_mode='prompted')


def prepared(
    profile: ModelProfile | None = None, settings: Any = None, **fields: Any
) -> tuple[Any, ModelRequestParameters]:
    return TestModel(profile=profile).prepare_request(settings, ModelRequestParameters(**fields))


def fitted(profile: ModelProfile | None = None, **fields: Any) -> ModelRequestParameters:
    return prepared(profile, **fields)[1]


@pytest.mark.parametrize(
    ('able', 'always', 'level', 'thinking'),
    [
        (False, False, 'high', None),
        (True, False, 'high', 'high'),
        (True, False, False, False),
        (True, False, None, None),
        (False, True, 'low', 'low'),
        (True, True, False, None),
    ],
)
def test_thinking_goes_into_the_parameters(able: bool, always: bool, level: Any, thinking: Any):
    profile = ModelProfile(supports_thinking=able, thinking_always_enabled=always)
    settings = {'thinking': level, 'seed': 1}
    left, params = prepared(profile, settings)
    assert (left, params.thinking) == ({'seed': 1}, thinking)
    assert settings == {'thinking': level, 'seed': 1}
    assert prepared(profile, {'thinking': level})[0] is None


def test_settings_of_the_request_go_over_those_of_the_model():
    model = TestModel(settings={'thinking': 'low', 'seed': 1}, profile=ModelProfile(supports_thinking=True))
    params = ModelRequestParameters()
    for settings, left, thinking in (
        (None, {'seed': 1}, 'low'),
        ({'thinking': False, 'seed': 2}, {'seed': 2}, False),
        ({'thinking': None}, {'seed': 1}, None),
    ):
        merged, fit = model.prepare_request(settings, params)  # type: ignore[arg-type]
        assert (merged, fit.thinking) == (left, thinking)
    assert params == ModelRequestParameters()


def test_thinking_that_is_not_set_stays():
    profile = ModelProfile(supports_thinking=True)
    assert prepared(profile, {'seed': 1}, thinking='high')[1].thinking == 'high'
    assert prepared(profile, {'thinking': 'low'}, thinking='high')[1].thinking == 'low'


@pytest.mark.parametrize(
    ('profile', 'mode', 'text'),
    [(ModelProfile(), 'tool', False), (NATIVE, 'native', True), (PROMPTED, 'prompted', True)],
)
def test_the_profile_chooses_the_mode(profile: ModelProfile, mode: str, text: bool):
    out = tool('final_result', kind='output')
    params = fitted(profile, output_mode='auto', output_object=OBJECT, output_tools=[out])
    assert (params.output_mode, params.allow_text_output) == (mode, text)
    assert bool(params.output_tools) == (mode == 'tool')
    assert (params.output_object is not None) == (mode != 'tool')
    assert bool(params.instruction_parts) == (mode == 'prompted')


@pytest.mark.parametrize(
    ('profile', 'fields', 'problem'),
    [
        (ModelProfile(), {'output_mode': 'native'}, 'does not support native structured output. Use `ToolOutput` or'),
        (
            ModelProfile(supports_tools=False),
            {'output_mode': 'tool'},
            'does not support tool output. Use `NativeOutput`',
        ),
        (ModelProfile(), {'allow_image_output': True}, 'does not support image output. Use one that does'),
        (
            ModelProfile(supported_native_tools=frozenset({WebSearchTool})),
            {'native_tools': [WebSearchTool(), CodeExecutionTool()]},
            r"does not support the native tools \['CodeExecutionTool'\], only \['WebSearchTool'\].*NativeOrLocalTool",
        ),
    ],
)
def test_what_a_model_cannot_do(profile: ModelProfile, fields: dict[str, Any], problem: str):
    with pytest.raises(UserError, match=f"The model 'test' {problem}"):
        prepared(profile, **fields)


TEXT = (
    '{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "integer"}}, '
    '"title": "Name", "description": "What it is."}'
)


@pytest.mark.parametrize(
    ('template', 'text'),
    [
        ('Like {schema}, please', f'Like {TEXT}, please'),
        ('Just words', f'Just words\n\n{TEXT}'),
        ('{{"not": 1}} {schema}', f'{{"not": 1}} {TEXT}'),
        ('{"not": 1} {schema}', f'{{"not": 1}} {TEXT}'),
        ('{} {schema}', f'{{}} {TEXT}'),
        (False, None),
    ],
)
def test_the_template_of_a_prompted_output_becomes_instructions(template: Any, text: str | None):
    params = fitted(output_mode='prompted', output_object=OBJECT, prompted_output_template=template)
    assert params.prompted_output_instructions == text
    assert params.instruction_parts == (None if text is None else [InstructionPart(content=text)])


def test_prompts_come_before_what_changes():
    parts = [InstructionPart(content='said'), InstructionPart(content='made', dynamic=True)]
    params = fitted(output_mode='prompted', output_object=OBJECT, instruction_parts=parts)
    assert [part.content[:5] for part in params.instruction_parts or []] == ['said', '\nAlwa', 'made']
    assert len(parts) == 2


def test_native_output_may_need_the_schema_in_words():
    repeats = replace(NATIVE, native_output_requires_schema_in_instructions=True, prompted_output_template='T {schema}')
    assert fitted(NATIVE, output_mode='native', output_object=OBJECT).instruction_parts is None
    for template, text in ((None, f'T {TEXT}'), ('U {schema}', f'U {TEXT}'), (False, None)):
        fields = {'output_mode': 'native', 'output_object': OBJECT, 'prompted_output_template': template}
        assert fitted(repeats, **fields).prompted_output_instructions == text


def seen_by_the_model(output_type: Any, profile: ModelProfile) -> AgentInfo:
    seen: list[AgentInfo] = []

    def answer(messages: Any, info: AgentInfo) -> ModelResponse:
        seen.append(info)
        return ModelResponse(parts=[TextPart('{"response": 3}')])

    assert Agent(FunctionModel(answer, profile=profile), output_type=output_type).run_sync('x').output == 3
    return seen[0]


def test_templates_of_markers():
    assert seen_by_the_model(PromptedOutput(int, template='Mine.'), PROMPTED).instructions == (
        'Mine.\n\n{"properties": {"response": {"type": "integer"}}, "required": ["response"], "type": "object", "title": "int"}'
    )
    assert seen_by_the_model(PromptedOutput(int, template=False), PROMPTED).instructions is None
    assert seen_by_the_model(NativeOutput(int), NATIVE).instructions is None
    assert seen_by_the_model(NativeOutput(int, template='Mine: {schema}'), NATIVE).instructions is not None


def test_schemas_are_rewritten_as_the_profile_says():
    profile = replace(NATIVE, json_schema_transformer=InlineDefsJsonSchemaTransformer)
    inlined = {'type': 'object', 'properties': {'a': {'type': 'integer'}}}
    mine = tool('f', SCHEMA)
    params = fitted(profile, function_tools=[mine], output_mode='native', output_object=OBJECT)
    assert params.function_tools[0].parameters_json_schema == inlined
    assert params.output_object is not None and params.output_object.json_schema == inlined
    assert mine.parameters_json_schema == SCHEMA


def test_prompts_show_the_rewritten_schema():
    profile = replace(PROMPTED, json_schema_transformer=InlineDefsJsonSchemaTransformer)
    params = fitted(profile, output_mode='prompted', output_object=OBJECT, prompted_output_template='{schema}')
    assert '$ref' not in (params.prompted_output_instructions or '')


def test_a_model_may_change_parameters_first():
    class Modest(TestModel):
        def customize_request_parameters(self, model_request_parameters: Any) -> Any:
            assert model_request_parameters.output_mode == 'auto'
            return replace(model_request_parameters, output_mode='prompted')

    params = ModelRequestParameters(output_mode='auto', output_object=OBJECT)
    assert Modest().prepare_request(None, params)[1].instruction_parts


def test_return_schemas_are_described_to_models_that_do_not_take_them():
    mine = tool('f', description='Does.', return_schema={'type': 'integer'}, include_return_schema=True)
    definition = fitted(function_tools=[mine]).function_tools[0]
    assert definition.description == 'Does.\n\nReturn schema:\n\n{\n  "type": "integer"\n}'
    assert definition.return_schema is None
    assert fitted(ModelProfile(supports_tool_return_schema=True), function_tools=[mine]).function_tools == [mine]
    quiet = replace(mine, include_return_schema=False)
    assert fitted(function_tools=[quiet]).function_tools == [replace(quiet, return_schema=None)]


A, B = MCPServerTool(id='a', url='https://example.com/a'), MCPServerTool(id='b', url='https://example.com/b')


@pytest.mark.parametrize(
    ('native', 'unless', 'remaining', 'local'),
    [
        ([WebSearchTool()], 'web_search', [WebSearchTool()], False),
        ([CodeExecutionTool()], 'code_execution', [], True),
        ([CodeExecutionTool(optional=True)], 'web_search', [], True),
        ([A, B], 'mcp_server:a', [A, B], False),
        ([A, B], 'mcp_server', [A, B], True),  # says no server in particular
    ],
)
def test_local_tools_stand_in_for_native_ones(native: list[Any], unless: str, remaining: list[Any], local: bool):
    profile = ModelProfile(supported_native_tools=frozenset({WebSearchTool, MCPServerTool}))
    params = fitted(profile, native_tools=native, function_tools=[tool('local', unless_native=unless), tool('other')])
    assert params.native_tools == remaining
    assert [each.name for each in params.function_tools] == (['local', 'other'] if local else ['other'])


def test_the_same_parameters_are_fitted_once():
    model = TestModel(profile=ModelProfile(supports_thinking=True))
    params = ModelRequestParameters(function_tools=[tool('f')])
    first = model.prepare_request({'thinking': 'low', 'seed': 1}, params)
    second = model.prepare_request({'thinking': 'low', 'seed': 2}, params)
    assert second[1] is first[1]
    assert (first[0], second[0]) == ({'seed': 1}, {'seed': 2})
    assert model.prepare_request({'thinking': 'high'}, params)[1].thinking == 'high'


def test_the_parameters_say_how_the_prompt_is_cached():
    profile = ModelProfile(supports_cache=True, supported_cache_retentions=('5m', '1h'))
    caching = TestModel(profile=profile)
    for setting, found in (('30m', '5m'), ('1h', '1h'), (True, True), (False, False)):
        _, prepared = caching.prepare_request({'cache': setting}, ModelRequestParameters())
        assert prepared.cache == found
    parameters = ModelRequestParameters()
    assert [caching.prepare_request(settings, parameters)[1].cache for settings in ({'cache': True}, None)] == [
        True,
        None,
    ]
    assert TestModel().prepare_request({'cache': True}, ModelRequestParameters())[1].cache is None
