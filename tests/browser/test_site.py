"""The documentation that `make docs` has built, in a real browser: nothing is fetched from elsewhere, diagrams are drawn."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not os.environ.get('STEAD_NEEDS_BROWSER'), reason='run by `make test-browser`')

SITE = Path(__file__).parent.parent.parent / 'site'
PAGES = ('', 'agents/', 'model-features/', 'graph/', 'api/', 'api/agent/', 'changelog/', 'examples/')


@pytest.fixture
def site(serve: Callable[[Any], str]) -> str:
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    if not (SITE / 'index.html').exists():
        pytest.skip('`make docs` has not built the site')
    return serve(Starlette(routes=[Mount('/', StaticFiles(directory=SITE, html=True))]))


@pytest.mark.parametrize('dark', [False, True], ids=['light', 'dark'])
@pytest.mark.parametrize('width', [390, 768, 1280])
def test_no_page_scrolls_sideways(site: str, open_page: Callable[..., Any], width: int, dark: bool) -> None:
    page = open_page(site, width=width, dark=dark)
    for path in PAGES:
        page.goto(site + path)
        wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        assert page.evaluate(wider) <= 0, f'{path} scrolls sideways'


@pytest.mark.parametrize('path', ['graph/', 'inspector/', 'architecture/'])
def test_diagrams_are_drawn(site: str, open_page: Callable[..., Any], path: str) -> None:
    page = open_page(site)
    page.goto(site + path)
    page.wait_for_function("document.querySelector('div.mermaid')?.shadowRoot !== undefined")
    page.wait_for_function("document.querySelector('div.mermaid').getBoundingClientRect().height > 60")
    assert page.locator('pre.mermaid').count() == 0


def test_argument_names_are_in_one_line(site: str, open_page: Callable[..., Any]) -> None:
    page = open_page(site, width=390)
    page.goto(site + 'agents/')
    lines = page.evaluate(
        """[...document.querySelectorAll('td:first-child > code')].filter(code => /^\\w+$/.test(code.textContent))
        .map(code => [code.textContent, code.getClientRects().length])"""
    )
    assert len(lines) > 10
    assert [name for name, count in lines if count > 1] == []


def test_the_header_of_a_wide_table_stays(site: str, open_page: Callable[..., Any]) -> None:
    page = open_page(site, width=390, height=400)
    page.goto(site + 'model-features/')
    moved = page.evaluate(
        """() => {
            const table = [...document.querySelectorAll('table')].sort((a, b) => b.rows.length - a.rows.length)[0];
            const box = table.closest('.md-typeset__scrollwrap');
            box.scrollIntoView();
            box.scrollLeft = 300;
            box.scrollTop = 200;
            const at = (element) => element.getBoundingClientRect();
            const [head, first] = [at(table.rows[0].cells[5]), at(table.rows[8].cells[0])];
            return [box.scrollLeft, box.scrollTop, head.top - at(box).top, first.left - at(box).left];
        }"""
    )
    left, top, head, first = moved
    assert left > 100 and top > 50
    assert abs(head) < 2 and abs(first) < 2


def test_the_table_of_what_works_together_fits(site: str, open_page: Callable[..., Any]) -> None:
    page = open_page(site, width=1280)
    page.goto(site + 'what-works-together/')
    box = page.locator('.md-typeset__scrollwrap').first
    assert box.evaluate('box => box.scrollWidth - box.clientWidth') <= 0
    page.set_viewport_size({'width': 390, 'height': 844})
    box.scroll_into_view_if_needed()
    first = box.locator('th, td').first
    before = first.bounding_box()['x']
    box.evaluate('box => box.scrollTo(10_000, 0)')
    assert abs(first.bounding_box()['x'] - before) < 2, 'the names of the rows stay in sight'


def test_names_are_links_to_the_reference(site: str, open_page: Callable[..., Any]) -> None:
    page = open_page(site)
    page.goto(site + 'toolsets/')
    page.locator('a.api', has_text=re.compile('^FunctionToolset$')).first.click()
    assert page.url.endswith('/api/toolsets/#stead.toolsets.FunctionToolset')
    page.locator('[id="stead.toolsets.FunctionToolset"]').wait_for(state='attached')


@pytest.mark.parametrize(
    ('word', 'path'), [('handoff', '/multi-agent/'), ('retry', '/http-clients/'), ('deps', '/dependencies/')]
)
def test_the_search_finds_pages_before_attributes(
    site: str, open_page: Callable[..., Any], word: str, path: str
) -> None:
    page = open_page(site, width=1280)
    page.goto(site)
    page.locator('[data-md-component=search-query]').click()
    page.wait_for_function("!/Initial/.test(document.querySelector('.md-search-result__meta').textContent)")
    page.keyboard.type(word)  # the page listens to keys
    first = page.locator('.md-search-result__item > a').first
    first.wait_for()
    assert path in first.get_attribute('href')


def test_the_header_says_the_version(site: str, open_page: Callable[..., Any]) -> None:
    page = open_page(site, width=1280)
    page.goto(site + 'agents/')
    link = page.locator('.md-header__source a')
    assert re.search(r'\d+\.\d+', link.inner_text())
    link.click()
    assert page.url.endswith('/changelog/')
