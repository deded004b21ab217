"""Ranking of tools by search queries, with three algorithms."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast
from unicodedata import combining, normalize

from .._contracts.tool_definition import ToolDefinition
from .._kit.json_types import JsonObject, JsonValue
from .._kit.linear_patterns import LinearPattern, Steps, StepsUsedUp, UnsearchablePattern
from .stems import related, stem

_WORD = re.compile(r'[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+|[^\W\d_a-zA-Z]+')
_STOPWORD_TEXT = """
a am an and any are as at be been but by can could did do does for from had has have how i if in into is it its just like
me my need of on or our out please so some that the their them then there these they this those to up us use used using
want was we were what when where which who why will with would you your
"""
_STOPWORDS = frozenset(_STOPWORD_TEXT.split())
# A word in the name of a tool counts more than one in its description, which counts more than one in its arguments.
_WEIGHTS = (3.0, 1.0, 0.6)
_RELATED = 0.45  # the weight of a word that is only related to a word of the query
_PARTIAL = 0.5  # the weight of a word that only begins with a word of the query
_SHORTEST_PARTIAL = 4
_TAIL = 0.2  # tools that score below this fraction of the best are left out
_K1, _B = 1.2, 0.6  # parameters of BM25: saturation of word counts, and normalization of lengths
_LONGEST_TEXT = 1000
# What the queries of a search may cost together, about 20 ms for patterns: models write them, and what they write may come
# from an attacker.
_MOST_WORDS = 50
_MOST_STEPS = 150_000
_LONGEST_PATTERN = 200
_MOST_STATES = 500  # of a pattern
_STEPS_TO_COMPILE = 5_000  # a pattern, before it is searched for


def words(text: str) -> list[str]:
    """Return the stems of the words of a text or identifier, without stopwords."""
    if not text.isascii():
        text = ''.join(character for character in normalize('NFKD', text) if not combining(character))
    lowered = [word.lower() for word in _WORD.findall(text)]
    return [stem(word) for word in lowered if word not in _STOPWORDS]


class _Entry(NamedTuple):
    """A tool in the index."""

    name: str
    """The name of the tool."""
    fields: tuple[Counter[str], Counter[str], Counter[str]]
    """How often each word occurs in the name, the description, and the arguments."""
    sizes: tuple[int, int, int]
    """The number of words in each field."""
    texts: tuple[str, str, str]
    """The texts of the fields, for regular expressions."""


class ToolIndex:
    """A search index of tools."""

    def __init__(self, tools: Iterable[ToolDefinition], related: Callable[[str], Collection[str]] = related) -> None:
        """Index tools.

        Args:
            tools: The tools. Their names and descriptions, and those of their arguments, are indexed.
            related: A function that returns the stems of words related to a stem.
        """
        self._entries = [_entry(tool) for tool in tools]
        self._related = related
        self._with: dict[str, list[_Entry]] = {}
        for entry in self._entries:
            for word in {word for counts in entry.fields for word in counts}:
                self._with.setdefault(word, []).append(entry)
        self._vocabulary = sorted(self._with)
        count = max(len(self._entries), 1)
        self._average_sizes = tuple(
            max(sum(entry.sizes[at] for entry in self._entries) / count, 1.0) for at in range(3)
        )

    def search(self, strategy: str, queries: Sequence[str], is_candidate: Callable[[str], bool]) -> list[str]:
        """Return the names of the tools that match any of the queries, the best match first.

        Args:
            strategy: `'keywords'`, `'bm25'` or `'regex'`.
            queries: The queries; each is ranked separately, and the best matches of each come first. Words after the
                first fifty of all queries are ignored.
            is_candidate: A function of the name of a tool that returns whether to search the tool.
        """
        costs = _Costs()
        score = {'keywords': self._keywords, 'bm25': self._bm25, 'regex': self._regex}[strategy]
        entries = [entry for entry in self._entries if is_candidate(entry.name)]
        relative: dict[str, list[float]] = {}
        for query in queries:
            scores = score(query, entries, costs)
            top = max(scores.values(), default=0.0)
            for name, value in scores.items():
                if value >= top * _TAIL:
                    relative.setdefault(name, []).append(value / top)
        return sorted(relative, key=lambda name: (-max(relative[name]), -sum(relative[name])))

    def _weight_of(self, word: str) -> float:
        """Return the weight of a word, which is higher the fewer tools have it."""
        count = len(self._with.get(word, ()))
        return math.log(1 + (len(self._entries) - count + 0.5) / (count + 0.5))

    def _expanded(self, query: str, costs: _Costs) -> list[dict[str, float]]:
        """Return for each word of a query the words of tools that match it, with their weights."""
        expanded: list[dict[str, float]] = []
        wanted = list(dict.fromkeys(words(query[:_LONGEST_TEXT])))[: costs.words]
        costs.words -= len(wanted)
        for word in wanted:
            options = {other: _RELATED for other in self._related(word) if other in self._with}
            if len(word) >= _SHORTEST_PARTIAL and word not in self._with:
                for place in range(bisect_left(self._vocabulary, word), len(self._vocabulary)):
                    other = self._vocabulary[place]
                    if not other.startswith(word):
                        break
                    options[other] = max(options.get(other, 0.0), _PARTIAL)
            if word in self._with:
                options[word] = 1.0
            if options:
                expanded.append(options)
        return expanded

    def _keywords(self, query: str, entries: list[_Entry], costs: _Costs) -> dict[str, float]:
        """Score by the best field in which a tool has each word of the query."""

        def value(entry: _Entry, word: str) -> float:
            return next(weight for weight, field in zip(_WEIGHTS, entry.fields) if word in field)

        return self._sums(query, entries, costs, value)

    def _bm25(self, query: str, entries: list[_Entry], costs: _Costs) -> dict[str, float]:
        """Score with Okapi BM25, where the fields of a tool are weighted and combined into one."""

        def value(entry: _Entry, word: str) -> float:
            frequency = sum(
                weight * field[word] / (1 - _B + _B * size / average)
                for weight, field, size, average in zip(_WEIGHTS, entry.fields, entry.sizes, self._average_sizes)
            )
            return frequency * (_K1 + 1) / (frequency + _K1)

        return self._sums(query, entries, costs, value)

    def _sums(
        self, query: str, entries: list[_Entry], costs: _Costs, value: Callable[[_Entry, str], float]
    ) -> dict[str, float]:
        """Return the sum of the best scores that each tool has for the words of a query."""
        sums = {entry.name: 0.0 for entry in entries}
        for options in self._expanded(query, costs):
            best: dict[str, float] = {}
            for word, part in options.items():
                weight = part * self._weight_of(word)
                for entry in self._with[word]:
                    if entry.name in sums:
                        best[entry.name] = max(best.get(entry.name, 0.0), weight * value(entry, word))
            for name, score in best.items():
                sums[name] += score
        return {name: score for name, score in sums.items() if score > 0}

    def _regex(self, query: str, entries: list[_Entry], costs: _Costs) -> dict[str, float]:
        """Score by the fields that match a pattern; one that is invalid, too long, or matches nothing is searched as keywords."""
        scores: dict[str, float] = {}
        try:
            pattern = _compiled(query, costs.steps)
            for entry in entries:
                places = [weight for weight, text in zip(_WEIGHTS, entry.texts) if pattern.search(text, costs.steps)]
                if places:
                    scores[entry.name] = sum(places)
        except UnsearchablePattern:
            pass
        except StepsUsedUp:
            scores.clear()  # the best of them may not have been searched
        return scores or self._keywords(query, entries, costs)


@dataclass
class _Costs:
    """What the queries of one search may still cost."""

    words: int = _MOST_WORDS
    """The words that are looked up."""
    steps: Steps = field(default_factory=lambda: Steps(_MOST_STEPS))
    """The steps that patterns take."""


def _entry(tool: ToolDefinition) -> _Entry:
    texts = (tool.name, tool.description or '', ' '.join(_argument_texts(tool.parameters_json_schema)))
    name, description, arguments = (Counter(words(text)) for text in texts)
    return _Entry(
        tool.name,
        (name, description, arguments),
        (sum(name.values()), sum(description.values()), sum(arguments.values())),
        (texts[0][:_LONGEST_TEXT], texts[1][:_LONGEST_TEXT], texts[2][:_LONGEST_TEXT]),
    )


def _argument_texts(schema: JsonObject) -> Iterable[str]:
    properties: JsonValue = schema.get('properties')
    if not isinstance(properties, dict):
        return
    for name, argument in cast('JsonObject', properties).items():
        yield name
        if isinstance(argument, dict) and isinstance(text := cast('JsonObject', argument).get('description'), str):
            yield text


def _compiled(query: str, steps: Steps) -> LinearPattern:
    if len(query) > _LONGEST_PATTERN:
        raise UnsearchablePattern(f'it has more than {_LONGEST_PATTERN} characters')
    steps.take(_STEPS_TO_COMPILE)
    return LinearPattern(query, re.IGNORECASE, _MOST_STATES)
