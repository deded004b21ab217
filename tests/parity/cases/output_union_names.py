"""Names of the members of unions: clashes, and what cannot stand in the name of a tool."""

from typing import Any, Literal

from _output import Cat, Dog, show
from pydantic import BaseModel, create_model
from pydantic_ai import StructuredDict, ToolOutput


class Bird(BaseModel):
    """A bird."""

    wings: int


def other_cat():
    return create_model('Cat', name=(str, ...))


def titled(title):
    return create_model('M', __config__={'title': title}, x=(int, ...))


for title, form in {
    'two': [Cat, Dog],
    'last documented': [Cat, Dog, Bird],
    'same twice': [Cat, Cat],
    'same name': [Cat, other_cat()],
    'three of a name': [Cat, other_cat(), other_cat()],
    'scalars': [int, bool],
    'lists': [list[int], list[str]],
    'containers': [list[Cat], dict[str, Cat]],
    'literals': [Literal['a'], Literal['b']],
    'any': [Any, int],
    'titles': [titled('a-b.c/d e_Ü[é]9'), titled('!!!'), titled('___')],
    'structured': [
        StructuredDict({'type': 'object'}, name='A thing', description='Thing'),
        Cat,
        StructuredDict({'type': 'object'}),
    ],
    'named tools': [ToolOutput(Cat, name='cat'), Dog],
    'tools of a name': [ToolOutput(Cat, name='pet'), ToolOutput(Dog, name='pet')],
    'named as the others': [ToolOutput(Cat, name='final_result'), Dog],
    'named as a made name': [ToolOutput(Cat, name='final_result_Dog'), Dog, Bird],
    'odd name': [ToolOutput(Cat, name='my tool!'), ToolOutput(Dog, name='x' * 80)],
}.items():
    show(title, form)
