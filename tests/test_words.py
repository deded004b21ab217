"""Names, docstrings, comments, errors and pages use the words of the list in CONTRIBUTING.md, and no others for the same thing."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from .blocks import blocks
from .source import SRC, nodes, tree_of

ROOT = Path(__file__).parent.parent
ROW = re.compile(r'^\| `(?P<pattern>.+?)` \| (?P<where>text|name) \| (?P<instead>.+) \|$', re.MULTILINE)

# Names that stand for several classes: the mirrored interface has two graphs, and two `Unset`; a journal
# has conversations, too. This list may only shrink.
SAME_NAME = {
    'Conversation',
    'Graph',
    'GraphRun',
    'Path',
    'Unset',
}

# Vocabulary that is searched, not written.
DATA = {SRC / '_deferral' / 'word_groups.py'}


OTHER_ROOMS = ('examples', 'benchmarks', 'scripts')

# Names of functions in parity cases may be in the records.
PARITY_CASES = ROOT / 'tests' / 'parity' / 'cases'

# What may be bound to a value: neither the name of a test, nor a word of prose, which another word, a dot or a quote follows.
MAY_BE_BOUND = re.compile(r'\b(?!test_)[^\W\d]\w+(?=[ \t]*(?:[^\s\w.\'"`]|in\b|if\b|$))', re.MULTILINE)


class Rule(NamedTuple):
    """A row of the word list."""

    pattern: re.Pattern[str]
    """What is not written; in names, it has to be the whole name or one of its words."""
    where: str
    """`'text'`: anywhere in a line. `'name'`: variables, parameters, functions and classes."""
    instead: str
    """What to write instead."""


@cache
def rules() -> list[Rule]:
    page = (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8')
    return [
        Rule(re.compile(row['pattern'].replace(r'\|', '|'), re.MULTILINE), row['where'], row['instead'])
        for row in ROW.finditer(page)
    ]


def sources() -> list[Path]:
    return sorted([*SRC.rglob('*.py'), *(path for room in OTHER_ROOMS for path in (ROOT / room).rglob('*.py'))])


def pages() -> list[Path]:
    return [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]


@cache
def texts_of_tests() -> dict[Path, str]:
    """Return the files of tests, with their texts."""
    return {path: path.read_text(encoding='utf-8') for path in sorted((ROOT / 'tests').rglob('*.py'))}


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield what a tree binds, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.lineno, node.name
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname


def words_of(name: str) -> str:
    """Return a name as words: `_told_twice` and `ToldTwice` are both `told twice`."""
    return ' '.join(re.findall(r'[A-Z]?[a-z]+|[A-Z]+|\d+', name)).lower()


@cache
def broken_by(name: str) -> list[Rule]:
    """Return the rules for names that a name breaks."""
    words = words_of(name)
    in_names = (rule for rule in rules() if rule.where == 'name')
    return [rule for rule in in_names if re.search(rf'\b(?:{rule.pattern.pattern})\b', words)]


def wrong_words(path: Path) -> Iterator[str]:
    source = path.read_text(encoding='utf-8')
    texts = [rule for rule in rules() if rule.where == 'text' and rule.pattern.search(source)]
    for number, line in enumerate(source.splitlines(), 1):
        for rule in texts:
            if found := rule.pattern.search(line):
                yield f'{path.relative_to(ROOT)}:{number}: {found[0]!r}: say {rule.instead}'
    if path.suffix == '.py':
        yield from wrong_names(path, tree_of(path))


def wrong_names(path: Path, tree: ast.Module, start: int = 1) -> Iterator[str]:
    for line, name in names_in(tree):
        for rule in broken_by(name):
            yield f'{path.relative_to(ROOT)}:{line + start - 1}: the name {name!r}: say {rule.instead}'


def wrong_names_of_tests(path: Path, source: str) -> Iterator[str]:
    # Most files have none of the words where a name may be, and to parse all of them takes seconds.
    if not any(broken_by(name) for name in {*MAY_BE_BOUND.findall(source)}):
        return
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name.startswith('test_') or path.parent == PARITY_CASES:
                node.name = '_'
    yield from wrong_names(path, tree)


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of comments, and of the docstrings of modules and tests: other texts in tests may be data."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(source)):
        is_test = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith('test_')
        if isinstance(node, ast.Module) or is_test:
            text = ast.get_docstring(node, clean=False) or ''
            yield from enumerate(text.splitlines(), node.body[0].lineno)


def test_the_list_is_there() -> None:
    assert len(rules()) >= 15


def test_words_of_sources_and_pages() -> None:
    files = [path for path in (*sources(), *pages()) if path not in DATA]
    wrong = [line for path in files for line in wrong_words(path)]
    assert not wrong, f'{len(wrong)} places, see the word list in CONTRIBUTING.md:\n' + '\n'.join(wrong)


def test_words_of_comments_in_tests() -> None:
    texts = [rule for rule in rules() if rule.where == 'text']
    wrong: list[str] = []
    for path, source in texts_of_tests().items():
        if broken := [rule for rule in texts if rule.pattern.search(source)]:
            wrong += [
                f'{path.relative_to(ROOT)}:{line}: {found[0]!r}: say {rule.instead}'
                for line, text in prose_of(source)
                for rule in broken
                if (found := rule.pattern.search(text))
            ]
    assert not wrong, f'{len(wrong)} places, see the word list in CONTRIBUTING.md:\n' + '\n'.join(wrong)


def test_words_of_names_in_tests() -> None:
    wrong = [line for path, source in texts_of_tests().items() for line in wrong_names_of_tests(path, source)]
    assert not wrong, f'{len(wrong)} places, see the word list in CONTRIBUTING.md:\n' + '\n'.join(wrong)


def test_words_of_names_in_blocks_of_the_documentation() -> None:
    wrong = [line for block in blocks() for line in wrong_names(block.path, ast.parse(block.code), block.line)]
    assert not wrong, f'{len(wrong)} places, see the word list in CONTRIBUTING.md:\n' + '\n'.join(wrong)


@pytest.mark.parametrize(
    'code',
    [
        'told = 1',
        'told, x = 1, 2',
        'x = [\n    told\n    for told in ()\n]',
        'x.told += 1',
        'def told[T](): ...' if sys.version_info >= (3, 12) else 'def told(): ...',
        'class RunTold(str): ...',
        'f = lambda _told: 1',
        'with x as TOLD: ...',
        'for (told) in (): ...',
        'if (told_twice := 1): ...',
        'try: ...\nexcept OSError as told: ...',
        'match x:\n    case [y, *told] if y: ...',
        'match x:\n    case 1 as told if x: ...',
        'import x as told',
    ],
)
def test_wherever_a_name_is_bound_it_is_found(code: str) -> None:
    [wrong] = wrong_names_of_tests(ROOT / 'tests' / 'x.py', f'x = 1\n{code}\n')
    assert wrong.startswith('tests/x.py:') and 'say what it holds' in wrong


@pytest.mark.parametrize(
    'code',
    ['# It is made, given and told.', 'def test_what_is_told(): ...', 'x.told(told=told)', 'x = "made: given = 1"'],
)
def test_other_uses_of_a_word_are_no_names(code: str) -> None:
    assert not [*wrong_names_of_tests(ROOT / 'tests' / 'x.py', code)]


def test_one_class_a_name() -> None:
    counts = Counter(node.name for _, node in nodes() if isinstance(node, ast.ClassDef))
    twice = {name for name, count in counts.items() if count > 1}
    assert not twice - SAME_NAME, f'several classes are called {sorted(twice - SAME_NAME)}: name what sets each apart'
    assert not SAME_NAME - twice, f'take these off the list: {sorted(SAME_NAME - twice)}'


def test_each_field_of_a_dataclass_has_a_docstring_of_its_own() -> None:
    """Only a constructor that is written by hand has its arguments in the docstring of the class."""
    wrong = [
        f'{name}: {node.name}'
        for name, node in nodes()
        if isinstance(node, ast.ClassDef)
        and any('dataclass' in ast.unparse(decorator) for decorator in node.decorator_list)
        and 'Args:' in (ast.get_docstring(node) or '')
        and not any(isinstance(member, ast.FunctionDef) and member.name == '__init__' for member in node.body)
    ]
    assert not wrong, '\n'.join(wrong)
