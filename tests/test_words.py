"""Names, docstrings, comments, errors and pages use the words of the list in CONTRIBUTING.md, and no others for the same thing."""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .source import SRC, nodes, tree_of

ROOT = Path(__file__).parent.parent
ROW = re.compile(r'^\| `(?P<pattern>.+?)` \| (?P<where>text|name) \| (?P<instead>.+) \|$', re.MULTILINE)

# Names that stand for several classes: the mirrored interface has two graphs, and two `Unset`. This list may only shrink.
SAME_NAME = {
    'Graph',
    'GraphRun',
    'Path',
    'Unset',
}

# Vocabulary that is searched, not written.
DATA = {SRC / '_deferral' / 'word_groups.py'}


OTHER_ROOMS = ('examples', 'benchmarks', 'scripts')


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


def names_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr


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
        for line, name in names_in(tree_of(path)):
            for rule in broken_by(name):
                yield f'{path.relative_to(ROOT)}:{line}: the name {name!r}: say {rule.instead}'


def prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of comments, and of the docstrings of modules and tests: other texts in tests may be data."""
    with path.open(encoding='utf-8') as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        is_test = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith('test_')
        if isinstance(node, ast.Module) or is_test:
            text = ast.get_docstring(node, clean=False) or ''
            yield from enumerate(text.splitlines(), node.body[0].lineno)


def test_the_list_is_there() -> None:
    assert len(rules()) >= 15


def test_words() -> None:
    files = [path for path in (*sources(), *pages()) if path not in DATA]
    wrong = [line for path in files for line in wrong_words(path)]
    assert not wrong, f'{len(wrong)} places, see the word list in CONTRIBUTING.md:\n' + '\n'.join(wrong)


def test_words_of_comments_in_tests() -> None:
    texts = [rule for rule in rules() if rule.where == 'text']
    wrong: list[str] = []
    for path in sorted((ROOT / 'tests').rglob('*.py')):
        source = path.read_text(encoding='utf-8')
        if broken := [rule for rule in texts if rule.pattern.search(source)]:
            wrong += [
                f'{path.relative_to(ROOT)}:{line}: {found[0]!r}: say {rule.instead}'
                for line, text in prose_of(path)
                for rule in broken
                if (found := rule.pattern.search(text))
            ]
    assert not wrong, f'{len(wrong)} places, see the word list in CONTRIBUTING.md:\n' + '\n'.join(wrong)


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
