"""Ways to write a union, and which of them are taken apart."""

from dataclasses import dataclass
from typing import Annotated, Optional, Union

from _output import Cat, Dog, show
from pydantic import Field
from typing_extensions import TypeAliasType, TypedDict


@dataclass
class Bird:
    """A bird."""

    wings: int


class Fish(TypedDict):
    fins: int


Pets = TypeAliasType('Pets', Union[Cat, Dog])
Deep = TypeAliasType('Deep', Union[Pets, int])
Cats = TypeAliasType('Cats', list[Cat])
Same = TypeAliasType('Same', Cat)

for title, form in {
    'tuple': (Cat, Dog),
    'one in a list': [Cat],
    'Union': Union[Cat, Dog],
    'alias': Pets,
    'alias in an alias': Deep,
    'alias of a list': Cats,
    'alias of a model': Same,
    'alias in a list': [Pets, str],
    'with str': [Cat, str],
    'str first': [str, Cat, Dog],
    'union with str': Union[Cat, str],
    'scalars with str': Union[int, str, bool],
    'list or str': Union[list[str], str],
    'optional': Optional[Cat],
    'optional list': Optional[list[int]],
    'annotated union': Annotated[Union[Cat, Dog], Field(description='Annotated')],
    'annotated members': [Annotated[Cat, Field(description='First')], Dog],
    'list of a union': list[Union[Cat, Dog]],
    'typed dict and dataclass': [Fish, Bird],
}.items():
    show(title, form)
show('lists in lists', [[Cat], [Dog, [Bird]]], schema=False)
