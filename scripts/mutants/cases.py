"""A plugin of pytest for `make mutants`: a parity case is a test, so that it can be seen which lines each case executes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parity.harness import CASES, difference, record_of
from tests.parity.masks import masked
from tests.parity.worker import output_of


class Case(pytest.Item):
    """A parity case, run in the process of the other tests; the alias that it needs stays, so cases come last."""

    module = None  # which the tests' own settings ask for

    def runtest(self) -> None:
        import stead.dropin

        stead.dropin.install()
        before = sys.argv
        sys.path.insert(0, str(CASES))
        try:
            output = masked(output_of(self.path))
        finally:
            sys.argv = before
            sys.path.remove(str(CASES))
        wrong = difference(
            masked(record_of(self.path.stem).read_text(encoding='utf-8')), output, ('reference', self.name)
        )
        if wrong:
            pytest.fail(wrong, pytrace=False)


class CaseFile(pytest.File):
    """The file of a parity case."""

    def collect(self) -> Iterator[Case]:
        yield Case.from_parent(self, name=self.path.stem)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    if file_path.parent == CASES and file_path.suffix == '.py' and not file_path.name.startswith('_'):
        return CaseFile.from_parent(parent, path=file_path)
    return None
