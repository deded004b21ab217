"""The order of capabilities: tiers, relations, ties, what is refused."""

import json

from pydantic_ai.capabilities import (
    AbstractCapability,
    CapabilityOrdering,
    CombinedCapability,
    Hooks,
    WrapperCapability,
)


class Named(AbstractCapability):
    order = None

    def __init__(self, name):
        self.name = name

    def get_ordering(self):
        return self.order() if self.order else None


def kind(name, **constraints):
    by_name = {
        key: (lambda value: value if isinstance(value, str) else list(value))(value)
        for key, value in constraints.items()
    }
    return type(name, (Named,), {'order': lambda self: CapabilityOrdering(**by_name)})


def names(combined):
    return [getattr(capability, 'name', type(capability).__name__) for capability in combined.capabilities]


def show(label, make):
    try:
        print(json.dumps([label, names(make())]))
    except Exception as error:
        print(json.dumps([label, 'refused', type(error).__name__]))


class A(Named): ...


class B(Named): ...


class C(Named): ...


class A2(A): ...


Outer = kind('Outer', position='outermost')
Inner = kind('Inner', position='innermost')
WrapsB = kind('WrapsB', wraps=[B])
InB = kind('InB', wrapped_by=[B])
NeedsB = kind('NeedsB', requires=[B])
WrapsA = kind('WrapsA', wraps=[A])
b0 = B('b0')
WrapsInstance = kind('WrapsInstance', wraps=[b0])
Both = kind('Both', wraps=[A], wrapped_by=[B])
OuterInB = kind('OuterInB', position='outermost', wrapped_by=[B])
InnerWrapsOuter = kind('InnerWrapsOuter', position='innermost', wraps=[Outer])
OuterInOuter = kind('OuterInOuter', position='outermost', wrapped_by=[Outer])
WrapsSelf = kind('WrapsSelf', wraps=[Named])

show('none', lambda: CombinedCapability([A('a'), B('b'), C('c')]))
show('tiers', lambda: CombinedCapability([A('a'), Inner('i1'), B('b'), Outer('o1'), Inner('i2'), Outer('o2')]))
show('wraps behind', lambda: CombinedCapability([A('a'), B('b'), C('c'), WrapsB('w')]))
show('wraps ahead', lambda: CombinedCapability([WrapsB('w'), A('a'), B('b'), C('c')]))
show('wraps two', lambda: CombinedCapability([B('b1'), A('a'), B('b2'), WrapsB('w'), C('c')]))
show('wrapped_by', lambda: CombinedCapability([InB('i'), A('a'), B('b'), C('c')]))
show('wrapped_by two', lambda: CombinedCapability([InB('i'), B('b1'), A('a'), B('b2')]))
show('absent', lambda: CombinedCapability([InB('i'), A('a'), WrapsB('w')]))
show('both', lambda: CombinedCapability([A('a'), Both('x'), C('c'), B('b')]))
show('subclass', lambda: CombinedCapability([A2('a2'), C('c'), WrapsA('w')]))
show('instance', lambda: CombinedCapability([B('other'), b0, WrapsInstance('w')]))
show('requires ok', lambda: CombinedCapability([NeedsB('n'), B('b')]))
show('requires missing', lambda: CombinedCapability([NeedsB('n'), A('a')]))
show('requires nested', lambda: CombinedCapability([NeedsB('n'), CombinedCapability([B('b')])]))
show('requires outside', lambda: CombinedCapability([CombinedCapability([NeedsB('n')]), B('b')]))
show('requires in wrapper', lambda: CombinedCapability([NeedsB('n'), WrapperCapability(B('b'))]))
show('wrapper around ordered', lambda: CombinedCapability([A('a'), WrapperCapability(Outer('o'))]))
show('wraps a wrapped one', lambda: CombinedCapability([WrapperCapability(B('b')), A('a'), WrapsB('w')]))
show('cycle', lambda: CombinedCapability([kind('X', wraps=[B])('x'), kind('Y', wraps=[A])('y'), A('a'), B('b')]))
X = kind('X', wraps=[Named])
show('wraps everything', lambda: CombinedCapability([A('a'), X('x'), B('b')]))
show('two wrap everything', lambda: CombinedCapability([A('a'), X('x1'), X('x2'), B('b')]))
P, Q = type('P', (Named,), {}), type('Q', (Named,), {})
P.order = lambda self: CapabilityOrdering(wraps=[Q])
Q.order = lambda self: CapabilityOrdering(wraps=[P])
show('real cycle', lambda: CombinedCapability([P('p'), Q('q')]))
show('outermost inside', lambda: CombinedCapability([A('a'), OuterInB('o'), B('b')]))
show('innermost wraps outermost', lambda: CombinedCapability([Outer('o'), InnerWrapsOuter('i')]))
show('order in a tier', lambda: CombinedCapability([A('a'), OuterInOuter('o1'), Outer('o2')]))
show('wraps itself', lambda: CombinedCapability([WrapsSelf('w')]))
show(
    'nested is flattened',
    lambda: CombinedCapability([CombinedCapability([A('a'), Outer('o')]), CombinedCapability([]), B('b')]),
)
show('nested order', lambda: CombinedCapability([C('c'), CombinedCapability([A('a'), Outer('o')]), Outer('o2')]))
one, two = Hooks(ordering=CapabilityOrdering(position='innermost')), Hooks()
show(
    'hooks',
    lambda: (
        [capability is two for capability in CombinedCapability([one, two]).capabilities] == [True, False]
        and CombinedCapability([A('swapped')])
    ),
)
show(
    'tie',
    lambda: CombinedCapability([C('c'), kind('V', wrapped_by=[B])('v'), A('a'), B('b'), kind('U', wraps=[A])('u')]),
)
show('same twice', lambda: CombinedCapability([b0, A('a'), b0]))
show('deep ties', lambda: CombinedCapability([InB('i1'), InB('i2'), A('a'), WrapsB('w1'), B('b'), WrapsB('w2')]))
