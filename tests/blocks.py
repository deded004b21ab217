"""The Python blocks of the documentation, the README and the docstrings, read once for all tests that look into them."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / 'docs').rglob('*.md')), *(ROOT / name for name in ('README.md', 'CONTRIBUTING.md'))]
FENCE = re.compile(
    r'^(?P<indent> *)```(?:python|py)\b(?P<info>[^\n]*)\n(?P<code>.*?)^(?P=indent)```', re.MULTILINE | re.DOTALL
)
TITLE = re.compile(r'title="(\w+\.py)"')


class Block(NamedTuple):
    """A Python block, and where it is."""

    path: Path
    line: int
    code: str
    title: str | None
    """The file that the page says it is; later blocks of the page may import it."""
    files: tuple[Block, ...]
    """The files among the blocks before it."""

    @property
    def id(self) -> str:
        return f'{self.path.relative_to(ROOT).as_posix()}:{self.line}'


def blocks_of(path: Path, text: str, start: int = 1) -> Iterator[Block]:
    files: tuple[Block, ...] = ()
    for match in FENCE.finditer(text):
        title = TITLE.search(match['info'])
        line = start + text[: match.start('code')].count('\n')
        block = Block(path, line, textwrap.dedent(match['code']), title[1] if title else None, files)
        files = (*files, block) if title else files
        yield block


@cache
def blocks() -> tuple[Block, ...]:
    return tuple(_blocks())


def _blocks() -> Iterator[Block]:
    for page in PAGES:
        if page.exists():
            yield from blocks_of(page, page.read_text(encoding='utf-8'))
    for path in sorted((ROOT / 'src').rglob('*.py')):
        text = path.read_text(encoding='utf-8')
        if '```py' in text:
            for node in ast.walk(ast.parse(text)):
                if (
                    isinstance(node, ast.Expr)
                    and isinstance(node.value, ast.Constant)
                    and isinstance(node.value.value, str)
                ):
                    yield from blocks_of(path, node.value.value, node.lineno)
