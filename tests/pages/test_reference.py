"""The API reference has every public name, once, and every page of it is in the navigation."""

from __future__ import annotations

import importlib
import re
from collections import Counter

import pytest

import stead
from scripts.docs import llms, reference
from tests.test_exports import public_modules

WRITTEN = re.compile(r'^::: (\S+)$', re.MULTILINE)
OLD = {'stead.builtin_tools'}
"""Old addresses that make their names when they are asked for: the pages of the new ones have them."""


@pytest.mark.filterwarnings('ignore::stead._kit.warnings.PydanticAIDeprecationWarning')  # of whole modules that are old
def test_every_exported_name_is_there() -> None:
    missing: dict[str, set[str]] = {}
    for path in sorted({*public_modules()} - OLD):
        try:
            module = importlib.import_module(path)
        except ImportError as error:
            if 'pip install "stead[' not in str(error):
                raise
            continue
        page = reference.read()[path]
        there = {*(name.name for name in (*page.names, *page.elsewhere)), *page.foreign}
        exported = {name for name in getattr(module, '__all__', ()) if len(name) > 1 and name != '__version__'}
        if exported - there:
            missing[path] = exported - there
    assert missing == {}


def test_names_that_load_on_first_use_lead_to_where_they_are_described() -> None:
    index = reference.files()['api/index.md']
    for name in set(stead.__all__) - {'__version__'}:
        assert f'`{name}`' in index or f'stead.{name}' in index, name
    assert '[`Agent`](../api/agent.md#stead.agent.Agent)' in index


def test_each_name_is_described_once() -> None:
    written = Counter(path for text in reference.files().values() for path in WRITTEN.findall(text))
    names = [name.path for module in reference.read().values() for name in module.names]
    assert len(names) > 900
    assert written == Counter(names)


def test_what_agents_inherit_is_described_with_them() -> None:
    agent = reference.files()['api/agent.md'].split('::: stead.agent.Agent\n')[1].split(':::')[0]
    for method in ('run', 'run_sync', 'run_stream', 'run_stream_events', 'tool', 'output_validator', 'to_web'):
        assert f'        - {method}\n' in agent


def test_a_name_has_an_address_if_it_means_one_thing() -> None:
    targets = reference.targets()
    assert (
        targets['Agent'] == targets['stead.Agent'] == targets['stead.agent.Agent'] == 'api/agent.md#stead.agent.Agent'
    )
    assert targets['Agent.run'] == 'api/agent.md#stead.agent.Agent.run'
    assert targets['RunContext.deps'] == 'api/tools.md#stead.tools.RunContext.deps'
    assert 'Graph' not in targets, 'there are two'
    assert {'stead.graph.Graph', 'stead.graph.graph_builder.Graph'} <= targets.keys()


def test_the_navigation_has_every_page() -> None:
    def pages(item: object) -> list[str]:
        if isinstance(item, str):
            return [item]
        return [page for entry in item.values() for one in entry for page in pages(one)]  # type: ignore[attr-defined]

    found = [page for item in reference.navigation() for page in pages(item)]
    assert found[0] == 'api/index.md'
    assert sorted(found) == sorted(reference.files())


def test_llms_full_txt_has_the_pages_and_the_public_names() -> None:
    page = llms.Page('Start', 'index.md', '# Begin\n\nIt runs.')
    text = llms.full('it', 'What it is.', [page])
    assert page.text in text
    assert re.search(r'^## stead\.agent\n\n.*\n\n(?:- `.*\n)*?- `Agent`: An agent: ', text, re.MULTILINE)
