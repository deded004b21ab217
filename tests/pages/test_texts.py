"""What is added to pages: links of names, diagrams of what examples print, texts for models; and the README of the package."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import stead
from scripts.docs import diagrams, linked, llms

ROOT = Path(__file__).parent.parent.parent


def build_hook() -> Any:
    pytest.importorskip('hatchling')
    spec = importlib.util.spec_from_file_location('hatch_build', ROOT / 'hatch_build.py')
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ('html', 'expected'),
    [
        ('<p><code>Tool</code></p>', '<p><a class="api" href="/t#Tool"><code>Tool</code></a></p>'),
        ('<p><code>Tool.run()</code></p>', '<p><a class="api" href="/t#Tool.run"><code>Tool.run()</code></a></p>'),
        ('<p><code>tool</code></p>', None),
        ('<p><code>Hidden</code></p>', None),
        ('<h2><code>Tool</code></h2>', None),
        ('<p><a href="x">the <code>Tool</code></a></p>', None),
        ('<pre><span></span><code>Tool</code></pre>', None),
    ],
)
def test_names_in_code_become_links(html: str, expected: str | None) -> None:
    targets = {'Tool': 't#Tool', 'Tool.run': 't#Tool.run', 'Hidden': 't#Hidden'}
    known = {'t#Tool', 't#Tool.run'}
    assert linked.link_names(html, targets, '/{}'.format, known=known, once=True) == (expected or html)


@pytest.mark.parametrize(('once', 'links'), [(True, 1), (False, 2)])
def test_a_topic_page_links_a_name_once(once: bool, links: int) -> None:
    html = '<p><code>Tool</code> and <code>Tool</code></p>'
    linked_html = linked.link_names(html, {'Tool': 't#Tool'}, str, known={'t#Tool'}, once=once)
    assert linked_html.count('<a ') == links


def test_a_diagram_that_an_example_prints_is_drawn() -> None:
    page = (
        '```python\nprint(graph)\n# > ---\n# > title: it\n# > ---\n# > stateDiagram-v2\n# >   [*] --> A\n```\n\nMore.\n'
    )
    drawn = diagrams.with_diagrams(page)
    assert drawn.endswith('```mermaid\n---\ntitle: it\n---\nstateDiagram-v2\n  [*] --> A\n```\n\nMore.\n')
    assert drawn.startswith(page.removesuffix('\n\nMore.\n'))
    other = '```python\nprint(1)\n# > 1\n```\n'
    assert diagrams.with_diagrams(other) == other


@pytest.mark.parametrize('page', ['graph.md', 'inspector.md'])
def test_the_pages_with_diagrams_have_them_drawn(page: str) -> None:
    assert '```mermaid\n' in diagrams.with_diagrams((ROOT / 'docs' / page).read_text(encoding='utf-8'))


PAGES = [
    llms.Page(
        'Start',
        'index.md',
        '# Begin\n\n![A picture](x.png)\n\nAn **agent** is a [model](models.md) with tools. It runs.',
    ),
    llms.Page('Start', 'install.md', '# Install\n\n```bash\npip install it\n```\n\nIt needs Python.'),
    llms.Page('Tools', 'tools.md', '# Tools\n\nA tool is a function:\n'),
]


def test_llms_txt_lists_the_pages_with_a_sentence_on_each() -> None:
    assert llms.short('it', 'What it is.', PAGES) == (
        '# it\n\n> What it is.\n\n'
        '## Start\n\n'
        '- [Begin](index.md): An agent is a model with tools.\n'
        '- [Install](install.md): It needs Python.\n\n'
        '## Tools\n\n'
        '- [Tools](tools.md): A tool is a function\n\n'
        '## Optional\n\n'
        '- [Everything in one file](llms-full.txt): these pages, and all public names.\n'
    )
    assert '(https://it.example/tools.md)' in llms.short('it', 'What it is.', PAGES, 'https://it.example/')


def test_every_page_of_the_docs_says_what_it_is_about() -> None:
    for path in sorted((ROOT / 'docs').glob('*.md')):
        page = llms.Page('', path.name, path.read_text(encoding='utf-8'))
        assert page.summary, f'{path.name} begins without a sentence'


@pytest.fixture
def text() -> str:
    return (ROOT / 'README.md').read_text(encoding='utf-8')


TARGET = re.compile(r'\]\(([^()\s]+)\)')


def test_the_readme_leads_to_files_that_exist(text: str) -> None:
    assert [path for target in TARGET.findall(text) if not (ROOT / (path := target.partition('#')[0])).exists()] == []


def test_without_an_address_the_readme_of_the_package_has_no_dead_links(text: str) -> None:
    bare = build_hook().readme(text, stead.__version__, None, None)
    assert TARGET.findall(bare) == []
    assert '![' not in bare and 'docs/' not in bare
    assert '[' not in re.sub(r'```.*?```|`[^`]*`', '', bare, flags=re.DOTALL), 'a part of a link was left over'


@pytest.mark.parametrize('site', [None, 'https://stead.example'])
def test_with_addresses_all_links_of_the_readme_are_absolute(text: str, site: str | None) -> None:
    full = build_hook().readme(text, '1.2', 'https://forge.example/stead', site)
    targets = TARGET.findall(full)
    assert len(targets) == len(TARGET.findall(text))
    assert [target for target in targets if not target.startswith('https://')] == []
    assert 'https://forge.example/stead/raw/v1.2/docs/pictures/chat-dark.png' in targets
    pages = 'https://stead.example/tools/' if site else 'https://forge.example/stead/blob/v1.2/docs/tools.md'
    assert pages in targets


def test_the_links_of_the_project_are_those_that_are_known() -> None:
    addresses = build_hook().addresses
    assert addresses('1.2', None, None) == {}
    assert addresses('1.2', 'https://forge.example/stead', None) == {
        'Source': 'https://forge.example/stead',
        'Changelog': 'https://forge.example/stead/blob/v1.2/CHANGELOG.md',
    }
    assert addresses('1.3.dev7+gabc', 'https://forge.example/stead', None)['Changelog'].endswith(
        '/blob/HEAD/CHANGELOG.md'
    )
    assert addresses('1.2', None, 'https://stead.example')['Documentation'] == 'https://stead.example/'


def test_a_clone_without_tags_is_on_its_way_to_the_newest_release_of_the_changelog() -> None:
    newest = re.search(r'^## (\S+)', (ROOT / 'CHANGELOG.md').read_text(encoding='utf-8'), re.MULTILINE)
    fallback = re.search(
        r'^fallback-version = "(.+)\.dev0"$', (ROOT / 'pyproject.toml').read_text(encoding='utf-8'), re.MULTILINE
    )
    assert newest and fallback and newest[1] == fallback[1]


@pytest.mark.skipif(importlib.util.find_spec('tomllib') is None, reason='Python 3.10 has no tomllib')
def test_the_number_of_dependencies_is_what_the_pages_say(text: str) -> None:
    import tomllib

    project = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))['project']
    assert len(project['dependencies']) == 7
    for page in (text, (ROOT / 'docs' / 'index.md').read_text(encoding='utf-8')):
        assert 'seven direct dependencies' in ' '.join(page.split())
