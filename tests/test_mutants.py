"""The changes that `make mutants` makes: where it makes them, and where it does not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from scripts.mutants.operators import mutants_of  # noqa: I001

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
    made = {mutant.difference((source + '\n').encode())[1] for mutant in mutants_of(tmp_path, 'file.py')}
    missing = expected - made
    assert not missing
    if not expected:
        assert not made


def test_what_is_listed_as_equivalent_has_a_reason() -> None:
    rows = json.loads((ROOT / 'scripts' / 'mutants' / 'equivalent.json').read_text(encoding='utf-8'))
    for path, _, _, line, becomes, reason in rows:
        assert (ROOT / path).is_file() and line != becomes and reason.endswith('.')
