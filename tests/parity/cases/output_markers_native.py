"""`NativeOutput`: schemas, names, and what it goes together with."""

from typing import Any, Literal, Optional, Union

from _output import NATIVE, Cat, Dog, Nested, show
from pydantic import BaseModel, create_model
from pydantic_ai import DeferredToolRequests, NativeOutput, StructuredDict, TextOutput, ToolOutput
from pydantic_ai.messages import BinaryImage
from typing_extensions import TypeAliasType


class Tree(BaseModel):
    children: 'list[Tree]' = []


Pets = TypeAliasType('Pets', Union[Cat, Dog])
Other = create_model('Cat', name=(str, ...))
Structured = StructuredDict({'type': 'object', 'properties': {'a': {'type': 'integer'}}}, name='A', description='Thing')


def words(text: str) -> list[str]:
    return text.split()


for title, form in {
    'model': NativeOutput(Cat),
    'list': NativeOutput([Cat, Dog]),
    'union': NativeOutput(Union[Cat, Dog]),
    'alias': NativeOutput(Pets),
    'int': NativeOutput(int),
    'str': NativeOutput(str),
    'Any': NativeOutput(Any),
    'None': NativeOutput(None),
    'list of': NativeOutput(list[Cat]),
    'optional': NativeOutput(Optional[Cat]),
    'scalars': NativeOutput([int, str]),
    'literal': NativeOutput(Literal['a', 'b']),
    'nested': NativeOutput([Nested, Cat]),
    'tree': NativeOutput(Tree),
    'tree in a union': NativeOutput([Tree, Cat]),
    'same name': NativeOutput([Cat, Other]),
    'one in a list': NativeOutput([Cat]),
    'structured': NativeOutput(Structured),
    'two structured': NativeOutput([Structured, StructuredDict({'type': 'object'})]),
    'strict': NativeOutput(Cat, strict=True),
    'strict union': NativeOutput([Cat, Dog], strict=False),
    'named': NativeOutput(Cat, name='feline', description='Felines'),
    'undocumented described': NativeOutput(Dog, description='Dogs'),
    'union named': NativeOutput([Cat, Dog], name='pets'),
    'template': NativeOutput(Cat, template='Look: {schema}!'),
    'in a list': [NativeOutput(Cat)],
    'None beside': [NativeOutput(Cat), None],
    'with str': [NativeOutput(Cat), str],
    'with a tool': [NativeOutput(Cat), ToolOutput(Dog)],
    'with a type': [NativeOutput(Cat), Dog],
    'two': [NativeOutput(Cat), NativeOutput(Dog)],
    'deferred inside': NativeOutput([Cat, DeferredToolRequests]),
    'image inside': NativeOutput([Cat, BinaryImage]),
    'text beside': [NativeOutput(Cat), TextOutput(words)],
}.items():
    show(title, form, profile=NATIVE)
show('deferred beside', [NativeOutput(Cat), DeferredToolRequests], profile=NATIVE, schema=False)
show('image beside', [NativeOutput(Cat), BinaryImage], profile=NATIVE, schema=False)
show('on a model without', NativeOutput(Cat))
