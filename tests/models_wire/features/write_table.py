"""Writes the page of the features of models from the table: `python tests/models_wire/features/write_table.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == '__main__':  # files here have the names of SDKs, so this folder must not be where modules are looked up
    sys.path[0] = str(Path(__file__).parent.parent)

from features._table import RESPONSE, STREAM, Cell, Feature, Section, Vendor, sections, vendors

PAGE = Path(__file__).parents[3] / 'docs' / 'model-features.md'
HEAD = """\
# Features of models

Vendors differ in what their APIs can do, and stead does not pretend otherwise. This page says what works with which of them.
The table is generated from tests, and every mark in it stands for one or more of them. Each test sends a
request through the SDK of the vendor to a server that answers as the vendor does, and looks at what was sent, or at what was
read from the answer.

- **✓** works.
- **–** does not: the API has no such thing, or a note says what there is to say. Where nothing is said, asking for it changes
  nothing.
- **In** says where a feature shows: in the *request* that is sent, in an *answer* that comes as a whole, in a *stream*. Where
  these differ, there is a mark for each, in this order.
- Numbers lead to the notes below a table.

That an API takes something does not mean that each of its models does: that is in the documentation of the vendor, and
what stead knows of it is in the [profile](models.md#providers) of the model.
"""
WORDS = {RESPONSE: 'answer', STREAM: 'stream'}


class _Notes:
    """The notes below a table; what is said twice has one number."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def number(self, text: str) -> int:
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def written() -> str:
    """Return the page."""
    columns = vendors()
    about = '\n'.join(f'- **{vendor.title}** is {vendor.about}' for vendor in columns)
    return '\n'.join([HEAD, about, *(_section(section, columns) for section in sections())]) + '\n'


def _section(section: Section, columns: list[Vendor]) -> str:
    notes = _Notes()
    lines = [f'\n## {section.title}\n\n{section.about}\n', _line(['', 'In', *(vendor.title for vendor in columns)])]
    lines.append(_line(['---', '---', *(':-:' for _ in columns)]))
    for row in section.rows:
        ways = ', '.join(WORDS.get(way, way) for way in row.directions)
        lines.append(_line([row.title, ways, *(_cell(vendor, row, notes) for vendor in columns)]))
    if notes.texts:
        lines.append('')
        lines.extend(f'{number}. {text}' for number, text in enumerate(notes.texts, 1))
    return '\n'.join(lines)


def _line(items: list[str]) -> str:
    return f'| {" | ".join(items)} |'


def _cell(vendor: Vendor, row: Feature, notes: _Notes) -> str:
    cells = [vendor.cells[row.name, way] for way in row.directions]
    marks = ['✓' if cell.has else '–' for cell in cells]
    marks_text = ' '.join(marks if len(set(marks)) > 1 else marks[:1])
    numbers = sorted({notes.number(text) for cell in cells for text in _notes_of(cell)})
    return f'{marks_text}<sup>{" ".join(map(str, numbers))}</sup>' if numbers else marks_text


def _notes_of(cell: Cell) -> Iterator[str]:
    """Yield what there is to say about a cell; some of that is in its cases."""
    yield from cell.notes
    if any(case.get('download') for case in cell.cases):
        yield 'stead downloads what the link leads to, and sends that.'
    if not cell.has:
        for error in sorted({case['error'].__name__ for case in cell.cases if case.get('error')}):
            yield f'Asking for it is a `{error}`.'


def main() -> None:
    PAGE.write_text(written(), encoding='utf-8')


if __name__ == '__main__':
    main()
