"""The index: passages of Markdown files in SQLite, and their vectors.

Words choose candidates among all passages, which is quick; vectors choose among the candidates. A vector is made when its
passage is a candidate for the first time, and kept, so that the first question need not wait until everything is embedded.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from array import array
from collections.abc import Iterable, Iterator
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
_WORD = re.compile(r'[a-z0-9]{3,}')
_COMMON = frozenset(
    [
        'the',
        'and',
        'are',
        'can',
        'does',
        'for',
        'from',
        'has',
        'how',
        'into',
        'its',
        'not',
        'that',
        'this',
        'what',
        'when',
        'where',
        'which',
        'who',
        'why',
        'with',
        'you',
    ]
)


class Passage(NamedTuple):
    """A piece of a page."""

    page: str
    """The name of the file."""
    title: str
    """The headings above it."""
    text: str
    """What it says."""


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


def words_of(text: str) -> set[str]:
    """Return the words of a text that say what it is about, cut to their stems."""
    return {word.removesuffix('s')[:7] for word in _WORD.findall(text.lower()) if word not in _COMMON}


class Index:
    """Passages and their vectors, in a file of SQLite or in memory."""

    def __init__(self, file: str, embedder: Embedder) -> None:
        """Open the file, or create it."""
        self.database = sqlite3.connect(file)
        self.database.execute(SCHEMA)
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
        return len(wanted)

    async def find(self, question: str, most: int = 3) -> list[Passage]:
        """Return the passages that fit a question best: those with its words, and among them those near in meaning."""
        rows = list(self.database.execute('SELECT digest, page, title, text, vector FROM passages'))
        shared = _shared_words(words_of(question), [words_of(f'{title} {text}') for _, _, title, text, _ in rows])
        chosen = sorted(range(len(rows)), key=shared.__getitem__, reverse=True)[:CANDIDATES]
        vectors = await self._vectors([rows[i] for i in chosen])
        asked = (await self.embedder.embed_query(question)).embeddings[0] if chosen else []
        nearness = {i: _product(asked, vector) for i, vector in zip(chosen, vectors)}
        # The numbers cannot be compared, so the places in both orders are added.
        by_meaning = sorted(chosen, key=nearness.__getitem__, reverse=True)
        order = sorted(chosen, key=lambda i: chosen.index(i) + by_meaning.index(i))
        return [Passage(*rows[i][1:4]) for i in order[:most]]

    async def _vectors(self, rows: list[tuple[str, str, str, str, bytes | None]]) -> list[array[float]]:
        """Return the vectors of passages; those that are missing are made, and kept."""
        missing = [row for row in rows if row[4] is None]
        found = {row[0]: array('f', row[4]) for row in rows if row[4] is not None}
        if missing:
            texts = [f'{title}: {text}' for _, _, title, text, _ in missing]
            result = await self.embedder.embed_documents(texts, settings={'truncate': True})
            found.update({row[0]: array('f', vector) for row, vector in zip(missing, result.embeddings)})
            with self.database:
                kept = [(found[row[0]].tobytes(), row[0]) for row in missing]
                self.database.executemany('UPDATE passages SET vector = ? WHERE digest = ?', kept)
        return [found[row[0]] for row in rows]


def _product(one: Iterable[float], other: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(one, other))


def _shared_words(asked: set[str], texts: list[set[str]]) -> list[float]:
    """Return how much each text shares with a question; rare words count more."""
    weights = {word: 1 / (1 + sum(word in text for text in texts)) for word in asked}
    return [sum(weights[word] for word in asked & text) for text in texts]
