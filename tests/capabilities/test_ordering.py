"""The order of capabilities, and what is said when there is none."""

from __future__ import annotations

from typing import Any

import pytest

from stead.capabilities import AbstractCapability, CapabilityOrdering, CombinedCapability, Hooks
from stead.capabilities._ordering import sort_capabilities
from stead.exceptions import UserError


class Named(AbstractCapability[None]):
    ordering: CapabilityOrdering | None = None

    def __init__(self, name: str) -> None:
        self.name = name

    def get_ordering(self) -> CapabilityOrdering | None:
        return self.ordering


class A(Named): ...


class B(Named): ...


class C(Named): ...


def kind(name: str, **constraints: Any) -> type[Named]:
    return type(name, (Named,), {'ordering': CapabilityOrdering(**constraints)})


Outer, Inner = kind('Outer', position='outermost'), kind('Inner', position='innermost')
WrapsA, WrapsB, InB = kind('WrapsA', wraps=[A]), kind('WrapsB', wraps=[B]), kind('InB', wrapped_by=[B])
NeedsB = kind('NeedsB', requires=[B])
P, Q = kind('P'), kind('Q')
P.ordering, Q.ordering = CapabilityOrdering(wraps=[Q]), CapabilityOrdering(wraps=[P])
R = kind('R', position='innermost', wraps=[Outer])

CASES: list[tuple[list[Named], str]] = [
    ([A('a'), B('b'), C('c')], 'a b c'),
    ([A('a'), Inner('i1'), B('b'), Outer('o1'), Inner('i2'), Outer('o2')], 'o1 o2 a b i1 i2'),
    ([A('a'), B('b'), C('c'), WrapsB('w')], 'a c w b'),
    ([InB('i'), A('a'), B('b'), C('c')], 'a b c i'),
    ([InB('i1'), InB('i2'), A('a'), WrapsB('w1'), B('b'), WrapsB('w2')], 'a w1 w2 b i1 i2'),
    ([C('c'), InB('v'), A('a'), B('b'), WrapsA('u')], 'c b u v a'),
    ([NeedsB('n'), B('b')], 'n b'),
]


@pytest.mark.parametrize(('capabilities', 'order'), CASES)
def test_capabilities_are_sorted_by_what_they_ask_for(capabilities: list[Named], order: str) -> None:
    assert ' '.join(c.name for c in CombinedCapability(capabilities).capabilities) == order  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ('capabilities', 'named'),
    [
        ([P('p'), Q('q')], ['P wraps Q', 'Q wraps P']),
        ([A('a'), NeedsB('n')], ['NeedsB', 'B capability']),
        ([Outer('o'), A('a'), R('r')], ['R wraps Outer', 'Outer is outermost']),
        ([A('a'), P('p'), B('b'), Q('q'), InB('i')], ['P wraps Q', 'Q wraps P']),
    ],
)
def test_refused_with_names(capabilities: list[Named], named: list[str]) -> None:
    with pytest.raises(UserError) as caught:
        CombinedCapability(capabilities)
    assert all(words in str(caught.value) for words in named), str(caught.value)


def test_message_names_only_those_in_the_cycle() -> None:
    with pytest.raises(UserError) as caught:
        sort_capabilities([P('p'), Q('q'), kind('Behind', wrapped_by=[P])('x')])
    assert 'Behind' not in str(caught.value)


def test_id_in_message() -> None:
    needs = NeedsB('n')
    needs.id = 'my id'
    with pytest.raises(UserError, match="NeedsB 'my id' requires a B"):
        sort_capabilities([needs])


def test_an_ordering_may_name_an_instance() -> None:
    first, second = Hooks[None](), Hooks[None](ordering=CapabilityOrdering(position='outermost'))
    third = Hooks[None](ordering=CapabilityOrdering(wraps=[first]))
    assert CombinedCapability([first, second, third]).capabilities == [second, third, first]


def test_requirement_beside_a_nested_combination() -> None:
    combined = CombinedCapability([CombinedCapability([NeedsB('n')]), B('b')])
    assert len(combined.capabilities) == 2
