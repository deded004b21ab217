"""Ranking tools by what is asked for: words, fields and three ways to score them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, cast
from unicodedata import combining, normalize

from .._contracts.tool_definition import ToolDefinition
from .stems import related, stem

_WORD = re.compile(r'[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+|[^\W\d_a-zA-Z]+')
_EMPTY_WORDS = """
a am an and any are as at be been but by can could did do does for from had has have how i if in into is it its just like
me my need of on or our out please so some that the their them then there these they this those to up us use used using
want was we were what when where which who why will with would you your
"""
_STOPWORDS = frozenset(_EMPTY_WORDS.split())
# A word says more about a tool in its name than in its description, and there more than in the description of an argument.
_WEIGHTS = (3.0, 1.0, 0.6)
_RELATED = 0.45  # what a word counts for that only means something like the word asked for
_PARTIAL = 0.5  # and one that only begins like it
_SHORTEST_PARTIAL = 4
_TAIL = 0.2  # tools that score below this part of the best do not answer
_K1, _B = 1.2, 0.6
_LONGEST_PATTERN = 200
_LONGEST_TEXT = 1000
_MOST_REPEATS = 2
_MOST_OPTIONS = 6


def words(text: str) -> list[str]:
    """Return the words of a text or an identifier as stems, those left out that say nothing."""
    if not text.isascii():
        text = ''.join(sign for sign in normalize('NFKD', text) if not combining(sign))
    found = [word.lower() for word in _WORD.findall(text)]
    return [stem(word) for word in found if word not in _STOPWORDS]


class _Entry(NamedTuple):
    """A tool as it is searched."""

    name: str
    fields: tuple[Counter[str], Counter[str], Counter[str]]
    """How often words occur in the name, the description, and the arguments."""
    sizes: tuple[int, int, int]
    texts: tuple[str, str, str]


class ToolIndex:
    """Tools prepared for being searched."""

    def __init__(self, tools: Iterable[ToolDefinition], related: Callable[[str], Collection[str]] = related) -> None:
        """Read the tools.

        Args:
            tools: Their names, descriptions, and the names and descriptions of their arguments are searched.
            related: Returns the stems of words that may be meant by a stem.
        """
        self._entries = [_entry(tool) for tool in tools]
        self._related = related
        self._having: Counter[str] = Counter()
        for entry in self._entries:
            self._having.update({word for field in entry.fields for word in field})
        count = max(len(self._entries), 1)
        self._usual = tuple(max(sum(entry.sizes[at] for entry in self._entries) / count, 1.0) for at in range(3))

    def search(self, strategy: str, queries: Sequence[str], among: Callable[[str], Any]) -> list[str]:
        """Return the names of the tools that answer any of some queries, the best one first.

        Args:
            strategy: `'keywords'`, `'bm25'` or `'regex'`.
            queries: What is looked for; each counts for itself, and the best answers to each come first.
            among: Says of a name whether the tool is among those searched.
        """
        score = {'keywords': self._keywords, 'bm25': self._bm25, 'regex': self._regex}[strategy]
        entries = [entry for entry in self._entries if among(entry.name)]
        found: dict[str, list[float]] = {}
        for query in queries:
            scores = score(query, entries)
            top = max(scores.values(), default=0.0)
            for name, value in scores.items():
                if value >= top * _TAIL:
                    found.setdefault(name, []).append(value / top)
        return sorted(found, key=lambda name: (-max(found[name]), -sum(found[name])))

    def _weight_of(self, word: str) -> float:
        """Return how much a word tells tools apart."""
        having = self._having[word]
        return math.log(1 + (len(self._entries) - having + 0.5) / (having + 0.5))

    def _meant(self, query: str) -> list[dict[str, float]]:
        """Return for each word of a query the words of tools that may be meant, and how far they count."""
        meant: list[dict[str, float]] = []
        for word in dict.fromkeys(words(query)):
            options = {other: _RELATED for other in self._related(word) if self._having[other]}
            if len(word) >= _SHORTEST_PARTIAL and word not in self._having:
                for other in self._having:
                    if other.startswith(word):
                        options[other] = max(options.get(other, 0.0), _PARTIAL)
            if word in self._having:
                options[word] = 1.0
            if options:
                meant.append(options)
        return meant

    def _keywords(self, query: str, entries: list[_Entry]) -> dict[str, float]:
        """Add up, for each word asked for, the best place at which a tool has it."""

        def value(entry: _Entry, options: dict[str, float]) -> float:
            best = 0.0
            for word, part in options.items():
                places = [weight for weight, field in zip(_WEIGHTS, entry.fields) if word in field]
                if places:
                    best = max(best, part * places[0] * self._weight_of(word))
            return best

        return self._sums(query, entries, value)

    def _bm25(self, query: str, entries: list[_Entry]) -> dict[str, float]:
        """Score as Okapi BM25 does, with a tool's fields weighed into one."""

        def value(entry: _Entry, options: dict[str, float]) -> float:
            best = 0.0
            for word, part in options.items():
                often = sum(
                    weight * field[word] / (1 - _B + _B * size / usual)
                    for weight, field, size, usual in zip(_WEIGHTS, entry.fields, entry.sizes, self._usual)
                )
                if often:
                    best = max(best, part * self._weight_of(word) * often * (_K1 + 1) / (often + _K1))
            return best

        return self._sums(query, entries, value)

    def _sums(
        self, query: str, entries: list[_Entry], value: Callable[[_Entry, dict[str, float]], float]
    ) -> dict[str, float]:
        meant = self._meant(query)
        scores = ((entry.name, sum(value(entry, options) for options in meant)) for entry in entries)
        return {name: score for name, score in scores if score > 0}

    def _regex(self, query: str, entries: list[_Entry]) -> dict[str, float]:
        """Look for a pattern; one that is found nowhere, or is not a pattern, is taken for a list of words."""
        pattern = _compiled(query)
        scores: dict[str, float] = {}
        if pattern is not None:
            for entry in entries:
                places = [weight for weight, text in zip(_WEIGHTS, entry.texts) if pattern.search(text)]
                if places:
                    scores[entry.name] = sum(places)
        return scores or self._keywords(query, entries)


def _entry(tool: ToolDefinition) -> _Entry:
    texts = (tool.name, tool.description or '', ' '.join(_argument_texts(tool.parameters_json_schema)))
    counted = tuple(Counter(words(text)) for text in texts)
    sizes = tuple(sum(field.values()) for field in counted)
    return _Entry(
        tool.name, cast(Any, counted), cast(Any, sizes), cast(Any, tuple(text[:_LONGEST_TEXT] for text in texts))
    )


def _argument_texts(schema: dict[str, Any]) -> Iterable[str]:
    properties: Any = schema.get('properties')
    if not isinstance(properties, dict):
        return
    for name, argument in cast('dict[str, Any]', properties).items():
        yield name
        if isinstance(argument, dict) and isinstance(text := cast('dict[str, Any]', argument).get('description'), str):
            yield text


def _compiled(query: str) -> re.Pattern[str] | None:
    """Return a pattern, or `None` if it is none, is too long, or could take forever on an unlucky text."""
    if len(query) > _LONGEST_PATTERN or _may_backtrack_long(query):
        return None
    try:
        return re.compile(query, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError):
        return None


def _may_backtrack_long(pattern: str) -> bool:
    """Return whether a pattern repeats what repeats or has alternatives, or has many repetitions one after the other.

    Models write the patterns, and what they write may come from an attacker.
    """
    plain = re.sub(r'\\.|\[\^?\]?(?:\\.|[^\]\\])*\]', 'x', pattern)
    open_groups: list[int] = []
    for at, sign in enumerate(plain):
        if sign == '(':
            open_groups.append(at)
        elif sign == ')' and open_groups:
            inside = plain[open_groups.pop() + 1 : at]
            if plain[at + 1 : at + 2] in ('*', '+', '{') and re.search(r'[*+{|]|[^(]\?', inside):
                return True
    if '(?' in plain.replace('(?:', '').replace('(?i)', ''):  # looking around and back is too clever to judge
        return True
    return any(
        len(re.findall(r'[*+{]', alternative)) > _MOST_REPEATS or alternative.count('?') > _MOST_OPTIONS
        for alternative in plain.split('|')
    )
