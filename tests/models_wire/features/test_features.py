"""Every cell of the table on the page of the features of models: what an API is sent, and what is read from its answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ._run import Bench
from ._table import Feature, Vendor, rows, vendors
from .write_table import PAGE, written

VENDORS = vendors()
ALL = [
    pytest.param(vendor, feature, direction, id=f'{vendor.name}-{feature.name}-{direction}')
    for vendor in VENDORS
    for feature in rows()
    for direction in feature.directions
    if (cell := vendor.cells.get((feature.name, direction))) is not None and cell.cases
]


@pytest.fixture(scope='module')
def bench() -> Iterator[Bench]:
    one = Bench()
    yield one
    one.close()


@pytest.mark.parametrize(('vendor', 'feature', 'direction'), ALL)
def test_a_cell_of_the_table_is_true(bench: Bench, vendor: Vendor, feature: Feature, direction: str) -> None:
    pytest.importorskip(vendor.sdk, reason=f'the SDK {vendor.sdk} is not installed')
    for case in vendor.cases(feature, direction):
        bench.check(vendor, direction, case)


@pytest.mark.parametrize('vendor', VENDORS, ids=lambda vendor: vendor.name)
def test_a_vendor_has_every_cell(vendor: Vendor) -> None:
    places = {(feature.name, direction) for feature in rows() for direction in feature.directions}
    assert sorted(places - vendor.cells.keys()) == []
    assert sorted(vendor.cells.keys() - places) == []


def test_what_a_vendor_has_is_tested() -> None:
    untested = [
        (vendor.name, *place)
        for vendor in VENDORS
        for place, cell in vendor.cells.items()
        if cell.has and not cell.cases
    ]
    assert untested == []


def test_the_page_says_what_the_tests_say() -> None:
    assert PAGE.read_text(encoding='utf-8') == written(), 'run python tests/models_wire/features/write_table.py'


def test_names_are_unique() -> None:
    for names in ([vendor.name for vendor in VENDORS], [feature.name for feature in rows()]):
        assert len(names) == len(set(names))


def test_patterns_find_differences() -> None:
    from ._match import ABSENT, ANY, Some, Text, differences

    found: Any = {'a': 1, 'b': [1, 2], 'c': 'one two', 'd': True}
    assert list(differences(found, {'a': 1, 'b': [1, ANY], 'c': Text('one', 'two'), 'e': ABSENT})) == []
    assert list(differences(found, {'b': Some(2)})) == []
    for wanted in ({'a': 2}, {'a': ABSENT}, {'b': [1]}, {'b': Some(3)}, {'c': Text('three')}, {'e': 1}, {'d': 1}):
        assert len(list(differences(found, wanted))) == 1
