"""The index: passages of Markdown files in SQLite, and their vectors.

Words choose candidates among all passages, by the full-text search of SQLite, which is quick; vectors choose among the
candidates. A vector is made when its passage is a candidate for the first time, and kept, so that the first question need not
wait until everything is embedded.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stead import Embedder

LONGEST = 600
"""How many characters of a section make a passage."""
CANDIDATES = 8
"""How many passages are chosen by their words."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS passages (
    digest TEXT PRIMARY KEY, page TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, vector BLOB
)
"""
WORDS = "CREATE VIRTUAL TABLE temp.words USING fts5(page, title, text, tokenize='porter')"
WEIGHTS = (4.0, 4.0, 1.0)
"""How much a word counts in the name of a page, in a heading, and in the text."""
_COMMON = re.compile(
    r'\b(?:an?|and|another|any|are|as|at|be|by|can|could|do|does|for|from|get|has|have|how|i|if|in|into|is|its?|let|make|my|not|'
    r'of|on|or|should|some|that|the|there|this|to|use|want|what|when|where|which|who|why|will|with|without|you)\b'
)


class Passage(NamedTuple):
    """A piece of a page."""

    page: str
    """The name of the file."""
    title: str
    """The headings above it."""
    text: str
    """The text of the passage."""


Row = tuple[str, str, str, str, 'bytes | None']
"""A passage as it is kept: its digest, page, headings and text, and its vector."""


def passages_of(page: Path) -> Iterator[Passage]:
    """Yield the prose of a page in pieces, by headings and paragraphs; code is left out."""
    titles: list[str] = []
    text = ''
    prose = re.sub(r'```.*?```', '', page.read_text(encoding='utf-8'), flags=re.DOTALL)
    for block in re.split(r'\n{2,}', prose):
        block = ' '.join(block.split())
        heading = re.match(r'(#+) (.*)', block)
        if text and (heading or len(text) + len(block) > LONGEST):
            yield Passage(page.name, ' / '.join(titles), text)
            text = ''
        if heading:
            titles = [*titles[: len(heading[1]) - 1], heading[2]]
        elif block:
            text = f'{text} {block}'.strip()
    if text:
        yield Passage(page.name, ' / '.join(titles), text)


def words_of(text: str) -> list[str]:
    """Return the words that carry the meaning of a text, each once."""
    return list(dict.fromkeys(re.findall('[a-z0-9]+', _COMMON.sub('', text.lower()))))


class Index:
    """Passages and their vectors, in a file of SQLite or in memory."""

    def __init__(self, file: str, embedder: Embedder) -> None:
        """Open the file, or create it."""
        self.database = sqlite3.connect(file)
        self.database.execute(SCHEMA)
        self.database.execute(WORDS)
        self.embedder = embedder
        self.model = str(getattr(embedder.model, 'model_name', embedder.model))

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def bring_up_to_date(self, folder: Path) -> int:
        """Take in passages that are new, forget those that are gone, and return how many there are."""
        wanted: dict[str, Passage] = {}
        for page in sorted(folder.glob('*.md')):
            for passage in passages_of(page):
                wanted[hashlib.sha256('\0'.join((self.model, *passage)).encode()).hexdigest()] = passage
        known = {digest for (digest,) in self.database.execute('SELECT digest FROM passages')}
        gone = [(digest,) for digest in known - wanted.keys()]
        new = [(digest, *passage, None) for digest, passage in wanted.items() if digest not in known]
        with self.database:
            self.database.executemany('DELETE FROM passages WHERE digest = ?', gone)
            self.database.executemany('INSERT INTO passages VALUES (?, ?, ?, ?, ?)', new)
            self.database.execute('DELETE FROM words')
            self.database.execute(
                "INSERT INTO words (rowid, page, title, text) SELECT rowid, replace(page, '-', ' '), title, text FROM passages"
            )
        return len(wanted)

    async def find(self, question: str, most: int = 3) -> list[Passage]:
        """Return the passages that fit a question best: those with its words, and among them those near in meaning."""
        rows = self._candidates(question)
        vectors = await self._vectors(rows)
        query: Sequence[float] = (await self.embedder.embed_query(question)).embeddings[0] if rows else ()
        nearness = [_product(query, vector) for vector in vectors]
        # The numbers cannot be compared, so the places in both orders are added. The vectors of small models are rough: words
        # count twice.
        by_meaning = sorted(range(len(rows)), key=nearness.__getitem__, reverse=True)
        order = sorted(range(len(rows)), key=lambda i: 2 * i + by_meaning.index(i))
        return [Passage(*rows[i][1:4]) for i in order[:most]]

    def _candidates(self, question: str) -> list[Row]:
        """Return the passages that have words of a question, or its stems, the best first; without any, the first ones."""
        words = ' OR '.join(f'"{word}"' for word in words_of(question))
        found = self.database.execute(
            f"""
            SELECT digest, passages.page, passages.title, passages.text, vector
            FROM words JOIN passages ON passages.rowid = words.rowid
            WHERE words MATCH ? ORDER BY bm25(words, {', '.join(map(str, WEIGHTS))}) LIMIT ?
            """,
            (words or '""', CANDIDATES),
        )
        return list(found) or list(
            self.database.execute('SELECT digest, page, title, text, vector FROM passages LIMIT ?', (CANDIDATES,))
        )

    async def _vectors(self, rows: list[Row]) -> list[array[float]]:
        """Return the vectors of passages; missing ones are made and stored."""
        missing = [row for row in rows if row[4] is None]
        found = {row[0]: array('f', row[4]) for row in rows if row[4] is not None}
        if missing:
            texts = [f'{title}: {text}' for _, _, title, text, _ in missing]
            result = await self.embedder.embed_documents(texts, settings={'truncate': True})
            found.update({row[0]: array('f', vector) for row, vector in zip(missing, result.embeddings)})
            with self.database:
                rows_to_update = [(found[row[0]].tobytes(), row[0]) for row in missing]
                self.database.executemany('UPDATE passages SET vector = ? WHERE digest = ?', rows_to_update)
        return [found[row[0]] for row in rows]


def _product(one: Iterable[float], other: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(one, other))
