"""What `install` maps, what it refuses, and that `uninstall` leaves no trace."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
import sys
import threading
import typing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import stead
import stead.dropin


def aliases() -> list[str]:
    return [name for name in sys.modules if name.partition('.')[0] in ('pydantic_ai', 'pydantic_graph')]


def get(name: str) -> Any:
    return importlib.import_module(name)


@pytest.mark.parametrize(
    ('name', 'target'),
    [
        ('pydantic_ai.messages', 'stead.messages'),
        ('pydantic_ai.models.test', 'stead.models.test'),
        ('pydantic_ai.toolsets.abstract', 'stead.toolsets.abstract'),
        ('pydantic_graph', 'stead.graph'),
        ('pydantic_graph.basenode', 'stead.graph.basenode'),
        ('pydantic_graph.persistence.in_mem', 'stead.graph.persistence.in_mem'),
        ('pydantic_ai._run_context', 'stead._contracts.run_context'),
    ],
)
def test_modules_are_the_same_objects(alias: None, name: str, target: str) -> None:
    module = get(name)
    assert module is sys.modules[target] is sys.modules[name]
    assert (module.__name__, module.__spec__.name) == (target, target)


def test_every_way_to_import(alias: None) -> None:
    space: dict[str, Any] = {}
    exec(
        'import pydantic_ai\n'
        'import pydantic_ai.models.test as by_path\n'
        'from pydantic_ai.models import test as by_name\n'
        'from pydantic_ai import Agent, messages, _utils\n'
        'from pydantic_graph import End\n'
        'by_attribute = pydantic_ai.models.test\n'
        'private_attribute = pydantic_ai._function_schema\n',
        space,
    )
    assert space['by_path'] is space['by_name'] is space['by_attribute'] is get('stead.models.test')
    assert space['messages'] is get('stead.messages')
    assert space['Agent'] is stead.Agent
    assert space['End'] is get('stead.graph').End
    assert space['_utils'] is get('pydantic_ai._utils')
    assert space['private_attribute'] is get('stead.tools._schema')


def test_instances_cross_the_border(alias: None) -> None:
    part = get('pydantic_ai.messages').TextPart('hello')
    assert isinstance(part, stead.TextPart)
    assert pickle.loads(pickle.dumps(part)) == part
    with pytest.raises(get('pydantic_ai.exceptions').ModelRetry):
        raise stead.ModelRetry('again')


def test_classes_and_hints_from_aliased_modules(alias: None) -> None:
    space: dict[str, Any] = {'__name__': __name__}
    exec(
        'from __future__ import annotations\n'
        'from dataclasses import dataclass\n'
        'import pydantic_ai\n'
        'from pydantic_ai.messages import TextPart\n'
        '@dataclass\n'
        'class Longer(TextPart):\n'
        '    extra: pydantic_ai.ThinkingPart | None = None\n'
        'def tool(part: pydantic_ai.messages.TextPart) -> TextPart: ...\n',
        space,
    )
    assert [field.name for field in dataclasses.fields(space['Longer'])][-1] == 'extra'
    assert typing.get_type_hints(space['tool'], space) == {'part': stead.TextPart, 'return': stead.TextPart}


@pytest.mark.parametrize(
    'name',
    [
        'pydantic_ai.no_such_module',
        'pydantic_ai.messages.inner',
        'pydantic_ai._no_such_module',
        'pydantic_ai._kit',  # stead has it, but the mirrored API has no such private module
        'pydantic_ai.toolsets._no_such_module',
        'pydantic_graph.no_such_module',
    ],
)
def test_what_does_not_exist_is_named(alias: None, name: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=f'No module named {name!r}') as info:
        get(name)
    assert info.value.name == name
    assert name not in sys.modules


@pytest.mark.parametrize('module', ['pydantic_ai', 'pydantic_ai._utils', 'pydantic_ai._output'])
def test_names_that_do_not_exist_are_import_errors(alias: None, module: str) -> None:
    with pytest.raises(ImportError, match='cannot import name'):
        exec(f'from {module} import no_such_name')


def rows() -> list[tuple[str, str, str]]:
    """Each row of the table of private modules: the module, and a name with the module that has it."""
    spread = [
        (module, name, home)
        for module, target in stead.dropin.PRIVATE_MODULES.items()
        if not isinstance(target, str)
        for name, home in target.items()
    ]
    return spread + [
        (module, '', target) for module, target in stead.dropin.PRIVATE_MODULES.items() if isinstance(target, str)
    ]


@pytest.mark.parametrize(('module', 'name', 'home'), rows())
def test_every_row_of_the_table_leads_somewhere(alias: None, module: str, name: str, home: str) -> None:
    if name:
        home, _, there = home.partition(':')
        assert getattr(get(module), name) is getattr(get(home), there or name)
        assert name in dir(get(module))
    else:
        assert get(module) is get(home)


def test_names_that_extensions_use_are_in_the_modules_they_use() -> None:
    stead.dropin.install()
    try:
        for module, names in {
            'pydantic_ai._function_schema': ('FunctionSchema', 'function_schema'),
            'pydantic_ai._griffe': ('doc_descriptions',),
            'pydantic_ai._run_context': ('AgentDepsT', 'RunContext'),
            'pydantic_ai.toolsets._dynamic': ('DynamicToolset',),
        }.items():
            assert [name for name in names if not hasattr(get(module), name)] == []
    finally:
        stead.dropin.uninstall()


def test_install_and_uninstall_can_be_repeated() -> None:
    finders, modules = list(sys.meta_path), {name for name in sys.modules if not name.startswith('stead')}
    for _ in range(3):
        stead.dropin.install()
        stead.dropin.install()
        assert get('pydantic_ai').Agent is stead.Agent
        exec('from pydantic_ai import _utils, _output')
        assert stead.messages is get('pydantic_ai.messages')
        stead.dropin.uninstall()
        stead.dropin.uninstall()
    assert sys.meta_path == finders
    assert {name for name in sys.modules if not name.startswith('stead')} - modules == set()
    assert not {'_utils', '_output'} & vars(stead).keys()
    assert not [name for name in sys.modules if name in ('stead._utils', 'stead._output')]


def test_the_real_package_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'pydantic_ai').mkdir()
    (tmp_path / 'pydantic_ai' / '__init__.py').write_text('REAL = True')
    monkeypatch.syspath_prepend(tmp_path)
    stead.dropin.install()
    assert get('pydantic_ai').Agent is stead.Agent
    stead.dropin.uninstall()
    try:
        assert get('pydantic_ai').REAL
        with pytest.raises(RuntimeError, match="'pydantic_ai' was imported before .* Install the alias first"):
            stead.dropin.install()
        assert get('pydantic_ai').REAL
    finally:
        del sys.modules['pydantic_ai']


def test_reload_keeps_the_names(alias: None) -> None:
    module = get('pydantic_ai')
    agent = module.Agent
    assert importlib.reload(module) is module
    assert module.Agent is stead.Agent is agent


def test_threads_import_at_once(alias: None) -> None:
    names = [
        'pydantic_ai.messages',
        'pydantic_ai.models.test',
        'pydantic_ai._utils',
        'pydantic_graph.nodes',
        'pydantic_ai',
    ]
    found: list[tuple[str, Any]] = []
    start = threading.Barrier(20)

    def work(name: str) -> None:
        start.wait()
        found.append((name, get(name)))

    threads = [threading.Thread(target=work, args=(names[i % len(names)],)) for i in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20
    assert all(module is sys.modules[name] for name, module in found)


def test_what_is_set_in_the_package_is_set_in_stead(alias: None) -> None:
    module, own = get('pydantic_ai'), stead.Agent
    with mock.patch('pydantic_ai.Agent', object()) as put:
        assert stead.Agent is module.Agent is put
    assert stead.Agent is module.Agent is own
    assert {'Agent', 'messages'} <= {*dir(module)}


def test_programs_find_the_version_of_the_interface(alias: None) -> None:
    from importlib import metadata

    module = get('pydantic_ai')
    assert module.__version__ == '1.107.5'
    assert stead.__version__ == metadata.version('stead') != module.__version__
    for name in ('pydantic-ai', 'pydantic_ai_slim', 'Pydantic.Graph'):
        assert metadata.version(name) == module.__version__
    assert metadata.packages_distributions()[module.__name__] == ['pydantic-ai-slim']
    assert [found.version for found in metadata.distributions() if found.metadata['Name'] == 'pydantic-ai'] == [
        '1.107.5'
    ]
    stead.dropin.uninstall()
    with pytest.raises(metadata.PackageNotFoundError):  # it is not installed where stead is tested
        metadata.version('pydantic-ai-slim')


def test_the_version_of_an_installed_distribution_is_left_alone(
    alias: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import metadata

    folder = tmp_path / 'pydantic_ai_slim-1.60.0.dist-info'
    folder.mkdir()
    (folder / 'METADATA').write_text('Metadata-Version: 2.1\nName: pydantic-ai-slim\nVersion: 1.60.0\n')
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    assert metadata.version('pydantic-ai-slim') == '1.60.0'
    named = [found.version for found in metadata.distributions() if found.metadata['Name'] == 'pydantic-ai-slim']
    assert named == ['1.60.0']
    assert metadata.version('pydantic-graph') == '1.107.5'
