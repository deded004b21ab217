"""The changes that `make mutants` makes: where it makes them, and where it does not."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from scripts.mutants import __main__ as mutants_main
from scripts.mutants.forks import changed_functions, place_of  # noqa: I001
from scripts.mutants.operators import mutants_of

CHANGES = [
    ('if a and b:\n    f()', {'if (b):', 'if (a):', 'if (a or b):', 'if (not (a and b)):', 'pass'}),
    ('if not a:\n    f(x, k=y)', {'if (a):', 'pass', 'f(x, k=(None))'}),
    ('x = 1 if a < 2 else -3', {'x = (1)', 'x = (-3)', 'x = (2) if a < 2 else -3', 'x = 1 if (a <= 2) else -3'}),
    ('for x in y:\n    continue', {'for x in (()):', 'break'}),
    ('try:\n    f()\nexcept E:\n    raise', {'pass', 'except (()):'}),
    ('def f():\n    return [x for x in y if x]', {'return (None)', 'return [x for x in y if (True)]'}),
    ('def f():\n    return False', {'return (True)'}),
    ('self.x = y', {'pass'}),
    ('assert a and b', set()),
    ('x: int | None', set()),
    ('class A:\n    __slots__ = ("a",)\n    def __repr__(self):\n        return f(self.a)', set()),
    ('if TYPE_CHECKING:\n    f(x, k=y)', set()),
    ('def f(a: int = 1) -> bool:\n    """Not this."""', {'def f(a: int = (2)) -> bool:'}),
]


@pytest.mark.parametrize(('source', 'expected'), CHANGES)
def test_what_becomes_of_a_line(tmp_path: Path, source: str, expected: set[str]) -> None:
    (tmp_path / 'file.py').write_text(source + '\n', encoding='utf-8')
    changed_lines = {mutant.difference((source + '\n').encode())[1] for mutant in mutants_of(tmp_path, 'file.py')}
    missing = expected - changed_lines
    assert not missing
    if not expected:
        assert not changed_lines


def test_a_mutant_in_a_fork_changes_the_functions_that_are_loaded(tmp_path: Path) -> None:
    source = 'def first():\n    return [\n        1,\n    ]\n\n\nclass Second:\n    def third(self):\n        return (lambda: 2)()\n'
    file = tmp_path / 'loaded.py'
    file.write_text(source, encoding='utf-8')
    names = runpy.run_path(str(file))
    first, third = names['first'], names['Second'].third
    living = {place_of(function.__code__): [function] for function in (first, third)}
    becomes = source.replace('[\n        1,\n    ]', '[3]')
    [(function, code)] = changed_functions(source, becomes, str(file), living) or []
    assert function is first, 'what only moved to other lines is the same'
    function.__code__ = code
    assert (first(), third(None)) == ([3], 2)
    [(function, code)] = changed_functions(source, source.replace('2', '4'), str(file), living) or []
    function.__code__ = code
    assert third(None) == 4
    assert changed_functions(source, source.replace('first', 'fourth'), str(file), living) is None


def test_what_is_listed_as_equivalent_has_a_reason() -> None:
    rows = json.loads((ROOT / 'scripts' / 'mutants' / 'equivalent.json').read_text(encoding='utf-8'))
    for path, _, _, line, becomes, reason in rows:
        assert (ROOT / path).is_file() and line != becomes and reason.endswith('.')


def test_what_came_of_mutants_is_kept_until_the_sources_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'src').mkdir()
    source = tmp_path / 'src' / 'file.py'
    source.write_text('def f(a, b):\n    return a + b\n', encoding='utf-8')
    monkeypatch.setattr(mutants_main, 'ROOT', tmp_path)
    monkeypatch.setattr(mutants_main, 'source_of', lambda path: (tmp_path / path).read_bytes())
    first, second = mutants_of(tmp_path, 'src/file.py')
    place = tmp_path / 'outcomes.jsonl'
    kept = mutants_main.Kept(place, tmp_path)
    assert kept.outcomes([first, second]) == []
    kept.keep(mutants_main.Outcome(first, None, 1.5))
    known = mutants_main.Kept(place, tmp_path).outcomes([first, second])
    assert known == [mutants_main.Outcome(first, None, 1.5)]
    assert mutants_main.left_over([first, second], known) == [second]
    source.write_text('def f(a, b):\n    return b + a\n', encoding='utf-8')
    assert mutants_main.Kept(place, tmp_path).outcomes([first, second]) == []
