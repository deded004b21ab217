"""Specs of things of one's own: classes by name, objects from entries, and the forms of entries."""

import dataclasses
from typing import Any, Optional

from _common import fact
from pydantic import BaseModel, RootModel, TypeAdapter
from pydantic_ai._spec import (
    NamedSpec,
    build_registry,
    build_schema_types,
    load_from_registry,
    serializes_as_string_keyed_dict,
)


@dataclasses.dataclass
class Nothing: ...


@dataclasses.dataclass
class One:
    a: int


@dataclasses.dataclass
class Maybe:
    a: int = 3


@dataclasses.dataclass
class Two:
    a: int
    b: str = 'x'


@dataclasses.dataclass
class Both:
    a: int
    b: str


@dataclasses.dataclass
class Loose:
    f: Any = None
    c: Optional[int] = None


def name_of(kind):
    return None if kind.__name__.startswith('_') else kind.__name__


def refused(what, *args, **kwargs):
    try:
        what(*args, **kwargs)
    except ValueError:
        fact('refused', True)
    else:
        fact('refused', False)


def validate(kind):
    if kind is Both:
        raise ValueError('not this one')


hidden = type('_Hidden', (), {})
other_one = type('One', (), {})
build = {'get_name': name_of, 'label': 'thing'}
fact('names', list(build_registry(custom_types=[One], defaults=[Two, hidden], **build)))
fact('replaced', build_registry(custom_types=[other_one], defaults=[One], **build)['One'] is other_one)
refused(build_registry, custom_types=[One, One], defaults=[], **build)
refused(build_registry, custom_types=[hidden], defaults=[], **build)
refused(build_registry, custom_types=[Both], defaults=[], validate=validate, **build)
refused(build_registry, custom_types=[], defaults=[Both], validate=validate, **build)

registry = build_registry(custom_types=[Nothing, One, Maybe, Two, Both, Loose], defaults=[], **build)
for entry in (
    'One',
    'Nope',
    'Nothing',
    {'One': 1},
    {'One': {'a': 2}},
    {'Two': {'a': 1, 'b': 'z'}},
    {'Two': {'q': 1}},
    {'One': [1, 2]},
    {'One': {1: 2}},
    {'One': None},
    {'Maybe': {}},
    {'name': 'One', 'arguments': [3]},
    {'name': 'One', 'arguments': {'a': 3}},
    {'a': 1, 'b': 2},
    3,
):
    fact('entry', repr(entry))
    try:
        spec = NamedSpec.model_validate(entry)
    except ValueError:
        fact('is none', True)
        continue
    fact('spec', [spec.name, repr(spec.args), repr(spec.kwargs), repr(spec.model_dump())])
    fact('short', repr(spec.model_dump(context={'use_short_form': True})))
    try:
        loaded = load_from_registry(registry, spec, label='thing', custom_types_param='things', context='a case')
        fact('made', repr(loaded))
    except ValueError as error:
        fact('cause', type(error.__cause__).__name__)
old = load_from_registry(
    registry,
    NamedSpec(name='Uno', arguments=(1,)),
    label='thing',
    custom_types_param='things',
    legacy_aliases={'Uno': 'One'},
    instantiate=lambda kind, args, kwargs: (kind.__name__, args, kwargs),
)
fact('old name', repr(old))
for name, kind in registry.items():
    for form in build_schema_types({name: kind}):
        fact(name, TypeAdapter(form).json_schema())


def target(a: int, b: str = 'x'): ...


for form in build_schema_types({'One': One}, get_schema_target=lambda kind: target):
    fact('target', TypeAdapter(form).json_schema())


class Plain(BaseModel):
    x: int = 1


values = [
    {'a': 1},
    {1: 2},
    {},
    One(1),
    Plain(),
    RootModel[list[int]]([1]),
    RootModel[dict[str, int]]({'a': 1}),
    [1],
    's',
    None,
    One,
]
fact('an object in JSON', [serializes_as_string_keyed_dict(value) for value in values])
