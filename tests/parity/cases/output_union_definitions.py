"""Definitions of members of a union that have the same name."""

from _output import show
from pydantic import create_model
from pydantic_ai import NativeOutput


def inner(kind):
    return create_model('Inner', x=(kind, ...))


def holder(name, kind, **config):
    form = inner(kind)
    return create_model(name, __config__=config, inner=(form, ...), rest=(list[form], ...))


One, Two = inner(int), inner(str)


def first(inner: One, n: int) -> list[One]:
    return []


def second(inner: Two, n: int) -> list[Two]:
    return []


for title, form in {
    'lists': [list[inner(int)], list[inner(str)]],
    'three': [list[inner(int)], list[inner(str)], dict[str, inner(bool)]],
    'models': [holder('A', int), holder('B', str), holder('C', bool)],
    'models of a name': [holder('A', int), holder('A', str), holder('A', bool)],
    'the same': [holder('A', int), holder('B', int)],
    'titled': [holder('A', int), holder('B', str, title='My B')],
    'functions': [first, second],
    'the same once more': [holder('A', int), holder('B', str), holder('C', str)],
    'the same lists': [list[inner(int)], list[inner(str)], list[inner(str)]],
}.items():
    show(title, NativeOutput(form), profile=None)
