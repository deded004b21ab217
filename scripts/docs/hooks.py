"""Hooks of MkDocs, which `mkdocs.yml` names. What they write is made by the modules beside this one."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from scripts.docs import diagrams, linked, llms, reference, searched  # noqa: E402 - the path is known now

MERMAID = 'assets/mermaid/mermaid.tiny.js'
AT_ROOT = {'CHANGELOG.md': 'changelog.md', 'CONTRIBUTING.md': 'contributing.md'}
"""Files of the repository that are pages of the site, too."""
VERSIONED = re.compile(r'/v?\d+(\.\d+)*/?$')
"""The end of an address at which one version of several is published: the folder above lists them, as `mike` writes it."""
UNREADABLE = re.compile(r'`([^`\n]*<![^`\n]*)`')
"""Code that MkDocs takes for the beginning of a declaration in HTML, and fails."""
LOW_IN_SEARCH = '---\nsearch:\n  boost: 0.1\n---\n\n'
"""Topics are found before the reference, and the reference before nothing."""

_pages: list[llms.Page] = []


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the reference at the end of the navigation, and say which version this is, and where it comes from."""
    config.extra['built'] = version('stead').partition('+')[0]
    repository = os.environ.get('STEAD_REPOSITORY_URL')
    config.repo_url, config.repo_name = (repository, 'Repository') if repository else ('changelog/', 'Changelog')
    if VERSIONED.search(config.site_url or ''):
        config.extra['version'] = {'provider': 'mike'}
    config.nav = [*(config.nav or []), {'API': reference.navigation()}]
    _pages.clear()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, and those that lie at the root of the repository."""
    for path, text in reference.files().items():
        files.append(File.generated(config, path, content=LOW_IN_SEARCH + text))
    for source, path in AT_ROOT.items():
        files.append(File.generated(config, path, content=from_root((ROOT / source).read_text(encoding='utf-8'))))
    return files


def from_root(text: str) -> str:
    """Return a page of the root of the repository as one of `docs/`: its links lead to where the pages are."""
    for source, path in AT_ROOT.items():
        text = text.replace(f']({source}', f']({path}')
    return UNREADABLE.sub(as_html, text.replace('](docs/', ']('))


def as_html(code: re.Match[str]) -> str:
    """Return code as HTML in which no character means anything to Markdown."""
    text = code[1].replace(r'\|', '|')
    return '<code>' + re.sub(r'\W', lambda match: f'&#{ord(match[0])};', text) + '</code>'


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Draw the diagrams that examples print, and note what people type who look for this page."""
    if words := searched.SEARCHED_FOR.get(page.file.src_uri):
        page.meta['tags'] = words
    return diagrams.with_diagrams(markdown)


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> Environment:
    """Link names to the reference, when all of its pages are known."""
    pages = [file.page for file in files.documentation_pages() if file.page is not None]
    urls = {page.file.src_uri: page.url for page in pages}
    known = {
        f'{page.file.src_uri}#{anchor}'
        for page in pages
        if page.file.src_uri.startswith(f'{reference.FOLDER}/')
        for anchor in linked.anchors(page.content or '')
    }
    targets = reference.targets()
    for page in pages:
        here = page.url

        def url(target: str, here: str = here) -> str:
            path, _, anchor = target.partition('#')
            return f'{get_relative_url(urls[path], here)}#{anchor}'

        once = not page.file.src_uri.startswith(f'{reference.FOLDER}/')
        page.content = linked.link_names(page.content or '', targets, url, known=known, once=once)
    return env


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Load our own copy of Mermaid where there is a diagram: the theme would fetch one from elsewhere."""
    if 'class="mermaid"' in output:
        script = f'<script src="{get_relative_url(MERMAID, page.url)}"></script>'
        output = re.sub(r'(?=<script src="[^"]*assets/javascripts/bundle)', script, output, count=1)
    return output


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Note the pages in the order in which they are to be read."""
    for page in nav.pages:
        section = page.ancestors[-1].title if page.ancestors else config.site_name
        if not page.file.src_uri.startswith(f'{reference.FOLDER}/'):
            _pages.append(llms.Page(section, page.file.src_uri, page.file.content_string))
    return nav


def on_post_build(config: MkDocsConfig) -> None:
    """Write what models read."""
    site = Path(config.site_dir)
    description = config.site_description or ''
    for page in _pages:
        (site / page.path).write_text(page.text, encoding='utf-8')
    (site / 'llms.txt').write_text(
        llms.short(config.site_name, description, _pages, config.site_url or ''), encoding='utf-8'
    )
    (site / 'llms-full.txt').write_text(llms.full(config.site_name, description, _pages), encoding='utf-8')
