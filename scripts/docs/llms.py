"""`llms.txt` and `llms-full.txt`: the documentation for readers that are models, as llmstxt.org describes it.

The former is a list of the pages; they lie beside it as Markdown, under the names that they have in `docs/`, so that links
between them work. The latter is all of them in one file, and the public names with a line on each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from scripts.docs import reference


class Page(NamedTuple):
    """A page of the documentation, not one of the reference."""

    section: str
    """The part of the navigation in which it is."""
    path: str
    """Its file, below `docs/`."""
    text: str

    @property
    def title(self) -> str:
        """Its first heading."""
        match = re.search(r'^# (.+)$', self.text, re.MULTILINE)
        return match[1].strip() if match else self.path.removesuffix('.md')

    @property
    def summary(self) -> str:
        """Its first sentence, without links and emphasis."""
        for block in re.split(r'\n\s*\n', self.text):
            if block.strip() and re.match(r'(?!```)[A-Za-z`*\[]', block.strip()):
                plain = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', ' '.join(block.split())).replace('**', '')
                return re.split(r'(?<=[.!?])\s', plain, maxsplit=1)[0].rstrip(':')
        return ''


def short(name: str, description: str, pages: Iterable[Page], base: str = '') -> str:
    """Return `llms.txt`.

    Args:
        name: The name of the project.
        description: What it is, in a sentence.
        pages: The pages, in the order of the navigation.
        base: The address of the site with a slash at its end, if it is known. Links are relative to the file without it.
    """
    lines = [f'# {name}', '', f'> {description}', '']
    section = None
    for page in pages:
        if page.section != section:
            section = page.section
            lines += ['', f'## {section}', ''] if lines[-1] else [f'## {section}', '']
        lines.append(f'- [{page.title}]({base}{page.path}): {page.summary}')
    lines += [
        '',
        '## Optional',
        '',
        f'- [Everything in one file]({base}llms-full.txt): these pages, and all public names.',
    ]
    return '\n'.join(lines) + '\n'


def full(name: str, description: str, pages: Iterable[Page]) -> str:
    """Return `llms-full.txt`: see `short` for the arguments."""
    parts = [f'# {name}\n\n> {description}']
    parts += [f'<!-- {page.path} -->\n\n{page.text.strip()}' for page in pages]
    return '\n\n---\n\n'.join([*parts, names()]) + '\n'


def names() -> str:
    """Return all public names, module by module, with the first line of the docstring of each."""
    lines = ['# Public names']
    for path, module in sorted(reference.read().items()):
        if module.names:
            lines += ['', f'## {path}', '', module.summary, '']
            lines += [
                f'- `{name.name}`: {name.summary}' if name.summary else f'- `{name.name}`' for name in module.names
            ]
    return '\n'.join(lines)
