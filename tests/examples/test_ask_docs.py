"""The example that answers questions about the documentation."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.ask_docs.index import Index
from stead import Embedder
from stead.embeddings import TestEmbeddingModel

ROOT = Path(__file__).parent.parent.parent
CATS = '# Pets\n\n## Cats\n\nCats sleep. They purr at night.\n\n```python\nfish()\n```\n'


@pytest.fixture(scope='module')
def index() -> Iterator[Index]:
    index = Index(':memory:', Embedder(TestEmbeddingModel()))
    index.bring_up_to_date(ROOT / 'docs')
    yield index
    index.close()


def test_passages_are_kept_until_their_page_changes(tmp_path: Path) -> None:
    (tmp_path / 'pets.md').write_text(CATS + '\n## Dogs\n\nDogs bark.\n', encoding='utf-8')
    model = TestEmbeddingModel()
    index = Index(str(tmp_path / 'index.sqlite'), Embedder(model))
    assert index.bring_up_to_date(tmp_path) == 2
    first = asyncio.run(index.find('What purrs?'))[0]
    assert first == ('pets.md', 'Pets / Cats', 'Cats sleep. They purr at night.')
    assert model.last_settings == {}, 'the question alone was embedded last'
    index.close()
    (tmp_path / 'pets.md').write_text(CATS, encoding='utf-8')
    again = Index(str(tmp_path / 'index.sqlite'), Embedder(model))
    assert again.bring_up_to_date(tmp_path) == 1
    assert asyncio.run(again.find('barking dogs')) == [first]
    count = again.database.execute('SELECT count(vector) FROM passages').fetchone()
    assert count == (1,)
    again.close()


@pytest.mark.parametrize(
    ('question', 'page'),
    [
        ('How do I stream text?', 'streaming.md'),
        ('How do I connect to an MCP server?', 'mcp.md'),
        ('How do I test an agent without a model?', 'testing.md'),
        ('How do I use AWS credentials with Bedrock?', 'bedrock.md'),
        ('How do I set a timeout for HTTP requests?', 'http-clients.md'),
    ],
)
def test_the_page_about_a_question_is_found(index: Index, question: str, page: str) -> None:
    assert asyncio.run(index.find(question))[0].page == page


@pytest.mark.parametrize('question', ['', 'What is it?', '"OR" AND ( * NEAR', 'zzz qqq', 'word ' * 5000])
def test_any_question_finds_something(index: Index, question: str) -> None:
    assert 1 <= len(asyncio.run(index.find(question))) <= 3


def test_every_quote_stands_in_the_pages(tmp_path: Path) -> None:
    command = [sys.executable, '-m', 'examples.ask_docs', '--model', 'test', '--embeddings', 'test']
    command += ['--index', str(tmp_path / 'index.sqlite'), 'How do I limit the calls of a tool?']
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding='utf-8')
    assert process.returncode == 0, process.stderr
    quotes = [line[4:] for line in process.stdout.splitlines() if line.startswith('  > ')]
    pages = ' '.join(' '.join(page.read_text(encoding='utf-8').split()) for page in (ROOT / 'docs').glob('*.md'))
    assert quotes
    assert all(quote in pages for quote in quotes)
