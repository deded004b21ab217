"""Specs that are not valid: the error says where, and what was expected; and nothing runs from one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stead import Agent, AgentSpec, UserError
from stead.agent.spec import SpecError
from stead.capabilities import AbstractCapability
from stead.capabilities._registry import capability_from_spec


def message_of(act: Callable[[], Any]) -> str:
    with pytest.raises(SpecError) as caught:
        act()
    assert isinstance(caught.value, UserError)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


KEYS: dict[str, tuple[dict[str, Any], str]] = {
    'unknown key': ({'modl': 'x'}, "modl: there is no key 'modl'. Did you mean 'model'? There are: $schema, capab"),
    'model': ({'model': 3}, 'model: input should be a valid string; it is 3'),
    'end strategy': ({'end_strategy': 'erly'}, "end_strategy: input should be 'early', 'graceful' or 'exhaustive'; it"),
    'retries': ({'retries': {'tool': 3}}, "retries.tool: there is no key 'tool'."),
    'retries text': ({'retries': 'x'}, 'retries: input should be a valid integer'),
    'instructions': ({'instructions': ['a', 3]}, 'instructions[1]: input should be text; it is 3'),
    'template': ({'instructions': 'a {{#if}}'}, 'instructions: the template '),
    'unclosed template': (
        {'instructions': '{{#if a}}x'},
        'is not closed with `{{/if}}`, or input should be a valid list; ',
    ),
    'settings': (
        {'model_settings': {'temperature': 'hot'}},
        'model_settings.temperature: input should be a valid number',
    ),
    'output': ({'output_schema': {'type': 'string'}}, 'output_schema: '),
    'capabilities': ({'capabilities': 'Thinking'}, "capabilities: input should be a valid list; it is 'Thinking'"),
    'form': ({'capabilities': ['Thinking', {'a': 1, 'b': 2}]}, 'capabilities[1]: a capability is written as its name'),
}
CAPABILITIES: dict[str, tuple[Any, str]] = {
    'unknown': ('Thinkin', "capabilities[0]: there is no capability 'Thinkin'. Did you mean 'Thinking'? There are: "),
    'unknown argument': ({'Thinking': {'efort': 'low'}}, "capabilities[0].Thinking: there is no argument 'efort'. Did"),
    'value': (
        {'Thinking': {'effort': 'hgh'}},
        'capabilities[0].Thinking.effort: input should be a valid boolean, or input',
    ),
    'short form': (
        {'Thinking': 'hgh'},
        "capabilities[0].Thinking: input should be a valid boolean, or input should be 'min",
    ),
    'missing': (
        'PrefixTools',
        "capabilities[0].PrefixTools: 'prefix' and 'capability' missing; it takes: prefix, capab",
    ),
    'single': (
        {'PrefixTools': 'p'},
        'capabilities[0].PrefixTools: it does not take an argument without a name; it takes:',
    ),
    'none': ({'Instrumentation': 3}, 'capabilities[0].Instrumentation: it does not take an argument without a name'),
    'inner': (
        {'PrefixTools': {'prefix': 'p', 'capability': {'Thinking': {'effort': 1}}}},
        'capabilities[0].PrefixTools.capability.Thinking.effort: input should be a valid boolean',
    ),
    'inner form': (
        {'PrefixTools': {'prefix': 'p', 'capability': 3}},
        'capabilities[0].PrefixTools.capability: a capability is',
    ),
    'common': ({'Thinking': {'id': 3}}, 'capabilities[0].Thinking.id: input should be a valid string; it is 3'),
    'version': (
        {'Instrumentation': {'version': 9}},
        'capabilities[0].Instrumentation.version: input should be 1, 2, 3, 4',
    ),
    'object': ({'Instrumentation': {'tracer_provider': 'x'}}, "there is no argument 'tracer_provider'"),
    'in the class': (
        {'NativeTool': {'kind': 'nope'}},
        'capabilities[0].NativeTool: UserError: There is no native tool of the',
    ),
}


@pytest.mark.parametrize(('data', 'message'), KEYS.values(), ids=KEYS)
def test_a_wrong_key_of_a_spec_is_named(data: dict[str, Any], message: str) -> None:
    assert message in message_of(lambda: Agent.from_spec({'model': 'test', **data}))


@pytest.mark.parametrize(('entry', 'message'), CAPABILITIES.values(), ids=CAPABILITIES)
def test_what_is_wrong_with_a_capability_of_a_spec_is_said(entry: Any, message: str) -> None:
    assert message in message_of(lambda: Agent.from_spec({'model': 'test', 'capabilities': [entry]}))


def test_all_problems_are_told_at_once() -> None:
    data = {'model': 3, 'nam': 'x', 'retries': 'x'}
    head, *lines = message_of(lambda: AgentSpec.from_dict(data)).splitlines()
    assert head == 'The agent spec is not valid:'
    assert [line.split(': ')[0] for line in lines] == ['  model', '  retries', '  nam']
    spec = AgentSpec(model='test', capabilities=['A', {'Thinking': 'x'}, 'B'], model_settings={'seed': 'x'})
    places = [line.split(': ')[0].strip() for line in message_of(lambda: Agent.from_spec(spec)).splitlines()[1:]]
    assert places == ['model_settings.seed', 'capabilities[0]', 'capabilities[1].Thinking', 'capabilities[2]']


def test_errors_name_the_file_and_the_line(tmp_path: Path) -> None:
    pytest.importorskip('yaml')
    path = tmp_path / 'agent.yaml'
    path.write_text(
        'model: test\n'
        'retries:\n'
        '  tools: many\n'
        'capabilities:\n'
        '- ReinjectSystemPrompt\n'
        '- Thinking:\n'
        '    effort: low\n'
        'end_strategy: erly\n'
    )
    lines = message_of(lambda: Agent.from_file(path)).splitlines()
    assert lines[0] == f'{path} is not valid:'
    assert [line.split(': ')[0] for line in lines[1:]] == ['  retries.tools (line 3)', '  end_strategy (line 8)']
    path.write_text('model: test\ncapabilities:\n- Nope\n- Thinking:\n    effort: hgh\n')
    lines = message_of(lambda: Agent.from_file(path)).splitlines()
    assert [line.split(': ')[0] for line in lines[1:]] == [
        '  capabilities[0] (line 3)',
        '  capabilities[1].Thinking.effort (line 5)',
    ]


def test_errors_name_the_json_file(tmp_path: Path) -> None:
    path = tmp_path / 'agent.json'
    path.write_text('{"model": 3}')
    assert message_of(lambda: AgentSpec.from_file(path)) == (
        f'{path} is not valid: model: input should be a valid string; it is 3'
    )
    path.write_text('{"model":')
    assert message_of(lambda: AgentSpec.from_file(path)).startswith(f'{path} is not JSON: EOF while parsing')


@pytest.mark.parametrize('data', [None, 3, 'test', ['model']])
def test_what_is_no_object(data: Any) -> None:
    assert 'at the top: a spec is an object with keys such as `model`' in message_of(lambda: AgentSpec.from_dict(data))


def test_specs_of_runs_and_overrides_are_named() -> None:
    agent = Agent('test')
    assert message_of(lambda: agent.run_sync('x', spec={'capabilities': ['A']})).startswith('The spec of a run is not')
    assert message_of(lambda: agent.override(spec={'nam': 1}).__enter__()).startswith('The spec of an override is not')


def test_a_spec_without_a_model_says_where_to_add_it() -> None:
    with pytest.raises(UserError, match='There is no model. Add `model` to the spec, or pass it to `Agent.from_spec`'):
        Agent.from_spec({})


def test_an_unknown_argument_of_from_spec_is_named() -> None:
    with pytest.raises(UserError, match="`Agent.from_spec` has no argument 'modle'"):
        Agent.from_spec({'model': 'test'}, modle='x')  # type: ignore[call-arg]


@dataclass
class Window(AbstractCapability[Any]):
    """A capability whose types are checked before it is built."""

    size: int
    names: tuple[str, ...] = ()
    when: Callable[[], bool] | None = None
    unknown: 'Missing' = None  # type: ignore[name-defined] # noqa: F821


@dataclass
class Broken(AbstractCapability[Any]):
    def __post_init__(self) -> None:
        raise LookupError('no server')


def test_arguments_are_checked_against_the_types_of_the_class() -> None:
    types = {'Window': Window}
    window: Any = capability_from_spec({'Window': {'size': 3, 'names': ['a'], 'unknown': object}}, types)
    assert (window.size, window.names) == (3, ['a'])  # values are passed on as they are
    for arguments, message in (
        ({'size': '3'}, "Window.size: input should be a valid integer; it is '3'"),
        ({'size': 3, 'names': ['a', 4]}, 'Window.names[1]: input should be a valid string; it is 4'),
        ({'size': 3, 'when': 'later'}, 'Window.when: '),
    ):
        with pytest.raises(ValueError) as caught:
            capability_from_spec({'Window': arguments}, types)
        assert message in str(caught.value)


def test_errors_of_a_capability_are_the_cause() -> None:
    with pytest.raises(SpecError, match=r'capabilities\[0\].Broken: LookupError: no server') as caught:
        Agent.from_spec({'model': 'test', 'capabilities': ['Broken']}, custom_capability_types=[Broken])
    assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize(
    ('types', 'message'),
    [
        ([int], "takes capability classes, not <class 'int'>"),
        ([Window(1)], 'takes capability classes, not Window'),
        ([Window, Window], "are called 'Window' in specs"),
    ],
)
def test_custom_types_that_are_none(types: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Agent.from_spec({'model': 'test'}, custom_capability_types=types)


# Nothing runs


@pytest.mark.parametrize(
    'text',
    [
        'model: !!python/object/apply:os.system ["touch {path}"]',
        'model: !!python/object/new:subprocess.Popen [["touch", "{path}"]]',
        'model: !!python/name:os.system',
        '!!python/module:os',
        'metadata: !custom 3',
    ],
)
def test_tags_are_refused(text: str, tmp_path: Path) -> None:
    pytest.importorskip('yaml')
    mark = tmp_path / 'mark'
    assert 'is not plain YAML' in message_of(lambda: AgentSpec.from_text(text.replace('{path}', str(mark))))
    assert not mark.exists()


def bomb() -> str:
    lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    lines += [f'a{n}: &a{n} [{", ".join([f"*a{n - 1}"] * 10)}]' for n in range(1, 9)]
    return '\n'.join([*lines, 'metadata: {x: *a8}'])


@pytest.mark.parametrize(
    'text',
    [bomb(), 'metadata: &m\n  x: *m\n', 'metadata: ' + '{a: ' * 150 + '1' + '}' * 150],
    ids=['references', 'circle', 'depth'],
)
def test_specs_that_would_fill_the_memory_are_refused(text: str) -> None:
    pytest.importorskip('yaml')
    assert 'holds too much' in message_of(lambda: AgentSpec.from_text(text))


def test_deep_json_is_refused() -> None:
    for depth in (150, 100_000):
        text = '{"metadata": ' + '{"a":' * depth + '1' + '}' * depth + '}'
        assert 'The agent spec ' in message_of(lambda: AgentSpec.from_text(text, fmt='json'))


def test_yaml_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'yaml', None)
    with pytest.raises(ImportError, match=r'pip install "stead\[spec\]"`, or use JSON'):
        AgentSpec.from_text('model: test')
    assert AgentSpec.from_text('{"model": "test"}', fmt='json').model == 'test'
