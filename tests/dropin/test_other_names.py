"""Names that programs import from modules that do not define them: answered with the alias, and only with it."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import stead.dropin
import stead.exceptions
from stead.dropin import HOMES

PLACES = [
    ('pydantic_ai.models', 'ToolDefinition', 'stead.tools'),
    ('pydantic_ai.result', 'RunContext', 'stead.tools'),
    ('pydantic_ai.agent', 'AbstractToolset', 'stead.toolsets'),
    ('pydantic_ai.providers.ollama', 'UserError', 'stead.exceptions'),
    ('pydantic_graph.beta.paths', 'BaseNode', 'stead.graph'),
]

NAMES: dict[str, str] = json.loads(Path(__file__).with_name('other_names.json').read_text())
"""The names that each module of the mirrored interface gives away besides its own, separated by spaces."""


def get(name: str) -> Any:
    return importlib.import_module(name)


@pytest.mark.parametrize(('module', 'name', 'home'), PLACES)
def test_modules_answer_names_of_others(alias: None, module: str, name: str, home: str) -> None:
    space: dict[str, Any] = {}
    exec(f'from {module} import {name} as found', space)
    assert space['found'] is getattr(get(home), name)


@pytest.mark.parametrize('module', sorted(NAMES))
@pytest.mark.filterwarnings('ignore::DeprecationWarning', 'ignore::stead.agent.PydanticAIDeprecationWarning')
def test_every_module_answers_all_names_that_it_is_known_for(alias: None, module: str) -> None:
    try:
        found = get(module)
    except ImportError as error:
        if error.name == module:  # the alias does not have it
            raise
        pytest.skip(f'a package is not installed: {error}')
    assert [name for name in NAMES[module].split() if not hasattr(found, name)] == []


@pytest.mark.parametrize('name', sorted(HOMES))
def test_every_name_is_at_home_there(name: str) -> None:
    module, _, there = HOMES[name].partition(':')
    if not module.startswith('stead'):
        pytest.importorskip(module, reason=f'the package {module} is not installed')
    assert hasattr(get(module), there or name)


def test_without_the_alias_each_name_has_one_address() -> None:
    code = (
        'import stead.models, stead.dropin\n'
        'def both(): return [hasattr(stead.models, name) for name in ("ToolDefinition", "no_such_name")]\n'
        'found = [both()]\n'
        'stead.dropin.install(); found.append(both())\n'
        'import stead.result; found.append(hasattr(stead.result, "RunContext"))\n'
        'stead.dropin.uninstall(); found.append(both())\n'
        'found.append(hasattr(stead.result, "RunContext"))\n'
        'print(found)'
    )
    process = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == '[[False, False], [True, False], True, [False, False], False]'


def test_a_module_keeps_its_own_answers(alias: None) -> None:
    with pytest.warns(Warning, match='old name') as warned:
        assert get('pydantic_ai.builtin_tools').WebSearchTool is get('stead.native_tools').WebSearchTool
    assert warned[0].filename == __file__
    with pytest.raises(AttributeError, match='no_such_name'):
        get('pydantic_ai.models').no_such_name  # noqa: B018


def test_modules_that_are_loaded_later_keep_their_source(alias: None) -> None:
    for name in [name for name in sys.modules if name.startswith('stead.providers.zai')]:
        del sys.modules[name]
    module = get('stead.providers.zai')
    assert module.__spec__.loader.get_source(module.__name__).startswith('"""')
    assert module.UserError is stead.UserError


def test_every_profile_takes_the_old_names_of_fields() -> None:
    from stead.profiles import ModelProfile
    from stead.providers._bedrock_profiles import BedrockModelProfile
    from stead.providers.openrouter import OpenRouterModelProfile

    kinds: list[type[ModelProfile]] = [ModelProfile, BedrockModelProfile, OpenRouterModelProfile]
    kinds += [kind for kind in ModelProfile.__subclasses__() if kind.__module__.startswith('stead.')]
    for kind in kinds:
        with pytest.warns(stead.exceptions.PydanticAIDeprecationWarning, match='supported_builtin_tools'):
            profile: Any = kind(supported_builtin_tools=frozenset())  # pyright: ignore[reportCallIssue]
        assert profile.supported_native_tools == frozenset(), kind
