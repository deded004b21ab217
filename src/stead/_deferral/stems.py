"""Stems of English words, and of related words."""

from __future__ import annotations

from functools import cache, lru_cache

# Endings and their replacements, longest first.
_ENDINGS = (
    ('ization', 'iz'),
    ('isation', 'iz'),
    ('ations', ''),
    ('ation', ''),
    ('ments', ''),
    ('ment', ''),
    ('ings', ''),
    ('ions', ''),
    ('ies', 'y'),
    ('ers', ''),
    ('ors', ''),
    ('ing', ''),
    ('ion', ''),
    ('ied', 'y'),
    ('ed', ''),
    ('er', ''),
    ('or', ''),
    ('es', ''),
    ('ly', ''),
    ('s', ''),
)
_SHORTEST_STEM = 3
_WHOLE = frozenset({'news'})  # words that only look like forms of others
_VOWELS = frozenset('aeiouy')


@lru_cache(maxsize=4096)  # models choose the words of queries
def stem(word: str) -> str:
    """Return the stem of a lower-case English word; words with other than ASCII letters are returned unchanged."""
    if not word.isascii() or word in _WHOLE:
        return word
    while (shorter := _shortened(word)) != word:
        word = shorter
    return word[:-1] + 'i' if len(word) > _SHORTEST_STEM and word[-1] == 'y' else word


def _shortened(word: str) -> str:
    """Return a word without one ending; also `cancell` without the second `l`, and `invoice` without the `e`."""
    for ending, replacement in _ENDINGS:
        if word.endswith(ending):
            root = word[: -len(ending)] + replacement
            shortest = _SHORTEST_STEM + (ending == 'ly')
            if len(root) >= shortest and _VOWELS.intersection(root) and not (ending == 's' and word.endswith('ss')):
                return root
    if len(word) > _SHORTEST_STEM:
        if word[-1] == 'e' or (word[-1] == word[-2] and word[-1] not in 'sz'):
            return word[:-1]
        if word.endswith('at') and len(word) >= _SHORTEST_STEM + 2:
            return word[:-2]
    return word


@cache
def _table() -> dict[str, frozenset[str]]:
    from .word_groups import GROUPS

    table: dict[str, set[str]] = {}
    for line in GROUPS.split('\n'):
        group = {stem(word) for word in line.split()}
        for word in group:
            table.setdefault(word, set()).update(group - {word})
    return {word: frozenset(others) for word, others in table.items()}


def related(word: str) -> frozenset[str]:
    """Return the stems of words that mean something similar to a stem."""
    return _table().get(word, frozenset())
