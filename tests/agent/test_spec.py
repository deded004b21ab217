"""Agents made of specs: files in YAML and JSON, templates over dependencies, capabilities, runs, and the schema."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, AgentSpec, RunContext, TemplateStr, UserError
from stead._kit.warnings import PydanticAIDeprecationWarning
from stead.agent.spec import CapabilitySpec, SpecError
from stead.capabilities import AbstractCapability, Instrumentation, Thinking
from stead.messages import ModelMessage, ModelResponse, TextPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.native_tools import NATIVE_TOOL_TYPES


@dataclass
class User:
    name: str


@dataclass
class Greeting(AbstractCapability[Any]):
    """Says hello in the instructions."""

    words: list[str] = field(default_factory=lambda: ['hello'])

    def get_instructions(self) -> str:
        return ' '.join(self.words)


SPEC: dict[str, Any] = {
    'model': 'test',
    'name': 'héllo',
    'description': 'Greets {{name}}',
    'instructions': ['Be kind.', 'The user is {{name}}.'],
    'model_settings': {'temperature': 0.5},
    'retries': {'tools': 2},
    'metadata': {'team': 'a', 'since': None},
    'capabilities': ['ReinjectSystemPrompt', {'Greeting': ['well', 'met']}, {'Thinking': {'effort': 'low', 'id': 't'}}],
}


def instructions_of(agent: Agent[Any, Any], **options: Any) -> str | None:
    return agent.run_sync('x', **options).all_messages()[0].instructions


@pytest.mark.parametrize('name', ['agent.yaml', 'agent.yml', 'agent.json'])
def test_a_spec_comes_back_from_its_file(name: str, tmp_path: Path) -> None:
    if not name.endswith('json'):
        pytest.importorskip('yaml')
    path = tmp_path / name
    AgentSpec.from_dict(SPEC).to_file(path, custom_capability_types=[Greeting])
    agent = Agent.from_file(path, deps_type=User, custom_capability_types=[Greeting])
    assert (agent.name, agent.model_settings, agent.description) == ('héllo', {'temperature': 0.5}, 'Greets {{name}}')
    assert agent.render_description(User('Ann')) == 'Greets Ann'
    result = agent.run_sync('x', deps=User('Ann'))
    assert result.all_messages()[0].instructions == 'Be kind.\nwell met\n\nThe user is Ann.'
    assert result.metadata == {'team': 'a', 'since': None}
    again = AgentSpec.from_file(path).model_dump(exclude={'json_schema_path'})
    assert again == AgentSpec.from_dict(SPEC).model_dump(exclude={'json_schema_path'})


def test_yaml_files_are_easy_to_read(tmp_path: Path) -> None:
    pytest.importorskip('yaml')
    path = tmp_path / 'agent.yaml'
    AgentSpec.from_dict(SPEC).to_file(path)
    assert path.read_text(encoding='utf-8') == (
        '# yaml-language-server: $schema=agent_schema.json\n'
        'model: test\n'
        'name: héllo\n'
        'description: Greets {{name}}\n'
        'instructions:\n'
        '- Be kind.\n'
        '- The user is {{name}}.\n'
        'model_settings:\n'
        '  temperature: 0.5\n'
        'retries:\n'
        '  tools: 2\n'
        'metadata:\n'
        '  team: a\n'
        '  since: null\n'
        'capabilities:\n'
        '- ReinjectSystemPrompt\n'
        '- Greeting:\n'
        '  - well\n'
        '  - met\n'
        '- Thinking:\n'
        '    effort: low\n'
        '    id: t\n'
    )


def test_the_schema_is_written_once(tmp_path: Path) -> None:
    spec = AgentSpec(model='test')
    spec.to_file(tmp_path / 'a.json', schema_path='schemas_{stem}.json')
    schema = tmp_path / 'schemas_a.json'
    written = schema.stat().st_mtime_ns
    spec.to_file(tmp_path / 'a.json', schema_path='schemas_{stem}.json')
    assert schema.stat().st_mtime_ns == written
    assert json.loads((tmp_path / 'a.json').read_text())['$schema'] == 'schemas_a.json'
    spec.to_file(tmp_path / 'b.json', schema_path=None)
    assert json.loads((tmp_path / 'b.json').read_text()) == {'model': 'test'}


def test_files_whose_format_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / 'agent.toml'
    path.write_text('{"model": "test"}')
    for act in (lambda: AgentSpec.from_file(path), lambda: AgentSpec().to_file(path), lambda: Agent.from_file(path)):
        with pytest.raises(ValueError, match=r"'agent.toml' does not say how the spec is written. Pass `fmt`"):
            act()
    assert AgentSpec.from_file(path, fmt='json').model == 'test'
    with pytest.raises(UserError, match="no format 'toml'"):
        AgentSpec.from_text('', fmt='toml')  # type: ignore[arg-type]


def test_templates_are_checked_against_the_dependencies() -> None:
    spec = {'model': 'test', 'instructions': ['ok', 'Hi {{nam}}'], 'description': '{{name.first}}'}
    with pytest.raises(SpecError) as caught:
        Agent.from_spec(spec, deps_type=User)
    message = str(caught.value)
    assert (
        "instructions[1]: The template 'Hi {{nam}}' does not fit the dependencies: `nam` in line 1: there is no"
        in message
    )
    assert 'description: ' in message
    assert instructions_of(Agent.from_spec(spec), deps={'nam': 'Bo'}) == 'ok\n\nHi Bo'
    schema = {'type': 'object', 'properties': {'nam': {'type': 'string'}}}
    good = Agent.from_spec({'model': 'test', 'instructions': 'Hi {{nam}}', 'deps_schema': schema})
    assert instructions_of(good, deps={'nam': 'Bo'}) == 'Hi Bo'
    with pytest.raises(SpecError, match='there are: nam'):
        Agent.from_spec({'model': 'test', 'instructions': 'Hi {{name}}', 'deps_schema': schema})


def test_arguments_go_over_the_spec() -> None:
    agent = Agent.from_spec(SPEC, custom_capability_types=[Greeting], name='other', capabilities=[Thinking('high')])
    assert agent.name == 'other'
    assert [item.effort for item in agent.root_capability.capabilities if isinstance(item, Thinking)] == ['low', 'high']
    seen: list[Any] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.model_settings)
        return ModelResponse(parts=[TextPart('x')])

    def settings(ctx: RunContext[Any]) -> Any:
        return {'top_p': 0.2}

    base = {'model': 'test', 'model_settings': {'temperature': 0.5, 'top_p': 0.1}}
    Agent.from_spec(base, model=FunctionModel(answer), model_settings=settings).run_sync('x')
    Agent.from_spec(base, model=FunctionModel(answer), model_settings={'seed': 1}).run_sync('x')
    assert seen == [{'temperature': 0.5, 'top_p': 0.2}, {'temperature': 0.5, 'top_p': 0.1, 'seed': 1}]


def test_subclasses_make_their_own() -> None:
    class Mine(Agent[Any, Any]):
        pass

    assert type(Mine.from_spec({'model': 'test'})) is Mine


def test_specs_are_not_changed_and_can_be_used_again() -> None:
    spec = AgentSpec.from_dict(SPEC)
    before = spec.model_dump()
    for _ in range(2):
        Agent.from_spec(spec, custom_capability_types=[Greeting])
    assert spec.model_dump() == before


def test_old_names_still_work() -> None:
    with pytest.warns(PydanticAIDeprecationWarning) as caught:
        agent = Agent.from_spec({'model': 'test', 'tool_retries': 3, 'instrument': False})
    assert ['`tool_retries` in a spec' in str(one.message) for one in caught] == [True, False]
    assert agent.instrument is False
    with pytest.warns(PydanticAIDeprecationWarning, match="'BuiltinTool' in a spec is an old name; use 'NativeTool'"):
        Agent.from_spec({'model': 'test', 'capabilities': [{'BuiltinTool': {'kind': 'web_search'}}]})


def test_instrumentation_by_spec() -> None:
    agent = Agent.from_spec({'model': 'test', 'capabilities': [{'Instrumentation': {'version': 3}}]})
    (tracing,) = agent.root_capability.capabilities
    assert isinstance(tracing, Instrumentation)
    assert tracing.settings.version == 3


def test_the_spec_of_a_run_adds_to_the_agent() -> None:
    agent = Agent(TestModel(), deps_type=User, instructions='Base.')
    spec = AgentSpec(instructions='For {{name}}.', metadata={'a': 1}, capabilities=[{'Thinking': 'low'}])
    result = agent.run_sync('x', deps=User('Ann'), spec=spec, metadata={'b': 2})
    assert result.all_messages()[0].instructions == 'Base.\n\nFor Ann.'
    assert result.metadata == {'a': 1, 'b': 2}
    assert instructions_of(agent, deps=User('Ann')) == 'Base.'


def test_what_only_agents_can_use_is_told() -> None:
    agent = Agent(TestModel())
    with pytest.warns(UserWarning, match='`tool_timeout` in the spec of a run has no effect'):
        agent.run_sync('x', spec={'tool_timeout': 3})
    with pytest.warns(UserWarning, match='`retries.tools` in the spec of an override has no effect'):
        with agent.override(spec={'retries': 2}):
            pass


def test_a_spec_overrides() -> None:
    agent = Agent(TestModel(), name='base', instructions='Base.', capabilities=[Greeting()])
    with agent.override(
        spec={'instructions': 'New.', 'name': 'new', 'capabilities': [{'Thinking': 'low'}]}, name='mine'
    ):
        assert agent.name == 'mine'
        assert instructions_of(agent) == 'New.'
    assert instructions_of(agent) == 'Base.\nhello'


# The schema


def forms(schema: dict[str, Any], name: str) -> list[str]:
    """Which forms of a capability the schema has."""
    found: list[str] = []
    for form in schema['properties']['capabilities']['items']['anyOf']:
        if form.get('const') == name:
            found.append('name')
        elif form.get('$ref', '').endswith(f'/short_spec_{name}'):
            found.append('short')
        elif form.get('$ref', '').endswith(f'/spec_{name}'):
            found.append('long')
    return found


def test_the_schema_knows_every_form() -> None:
    schema = AgentSpec.model_json_schema_with_capabilities([Greeting])
    assert forms(schema, 'Thinking') == ['name', 'short', 'long']
    assert forms(schema, 'PrefixTools') == ['long']
    assert forms(schema, 'Instrumentation') == ['name', 'long']
    assert forms(schema, 'Greeting') == ['name', 'short', 'long']
    arguments = schema['$defs']['spec_Greeting']['properties']['Greeting']
    assert arguments['properties']['words'] == {'type': 'array', 'items': {'type': 'string'}}
    assert arguments['additionalProperties'] is False
    assert schema['properties']['instructions']['anyOf'] == [
        {'type': 'string'},
        {'type': 'array', 'items': {'type': 'string'}},
        {'type': 'null'},
    ]


def test_the_schema_is_whole() -> None:
    schema = AgentSpec.model_json_schema_with_capabilities([Greeting])
    text = json.dumps(schema)
    referred = {part.split('"')[0] for part in text.split('#/$defs/')[1:]}
    assert referred <= schema['$defs'].keys()
    assert schema['additionalProperties'] is False


def test_the_short_form_says_the_same() -> None:
    for arguments in (None, (1,), ([1],), ({'a': 1},), {'a': 1}):
        spec = CapabilitySpec(name='A', arguments=arguments)
        written = spec.model_dump(mode='json', context={'use_short_form': True})
        assert AgentSpec(capabilities=[written]).capabilities == [spec]


def test_text_with_braces_is_a_template() -> None:
    spec = AgentSpec(instructions=['plain', 'Hi {{a}}'], description='{ not one }')
    assert [type(text) for text in spec.instructions or ()] == [str, TemplateStr]
    assert spec.description == '{ not one }'
    assert json.loads(spec.model_dump_json(exclude_defaults=True)) == {
        'instructions': ['plain', 'Hi {{a}}'],
        'description': '{ not one }',
    }


@pytest.mark.parametrize('name', ['WebSearch', 'WebFetch'])
def test_native_tools_in_arguments_are_built_from_their_settings(name: str) -> None:
    kind = {'WebSearch': 'web_search', 'WebFetch': 'web_fetch'}[name]
    entry: Any = {name: {'native': {'kind': kind, 'allowed_domains': ['example.com']}, 'local': False}}
    agent = Agent.from_spec({'model': 'test', 'capabilities': [entry]})
    (tool,) = agent.root_capability.get_native_tools()
    assert isinstance(tool, NATIVE_TOOL_TYPES[kind])
    assert getattr(tool, 'allowed_domains') == ['example.com']
    entry[name]['native']['kind'] = 'no_such'
    with pytest.raises(SpecError, match='does not match any of the expected tags'):
        Agent.from_spec({'model': 'test', 'capabilities': [entry]})


def test_editors_tell_native_tools_apart_by_their_kind() -> None:
    definitions = AgentSpec.model_json_schema_with_capabilities()['$defs']
    settings = definitions['short_spec_NativeTool']['properties']['NativeTool']['anyOf']
    tools = [definitions[form['$ref'].rpartition('/')[2]] for form in settings if '$ref' in form]
    kinds = [tool['properties']['kind']['const'] for tool in tools]
    assert 'web_search' in kinds and len(kinds) == len(set(kinds)) == len(settings) - 1
    assert all('kind' in tool['required'] for tool in tools)
    long = definitions['spec_NativeTool']['properties']['NativeTool']
    assert long['additionalProperties'] is False
