"""Markers inside of lists, unions, and of each other."""

from typing import Optional, Union

from _output import NATIVE, PROMPTED, Row, show
from pydantic import BaseModel
from pydantic_ai import NativeOutput, PromptedOutput, StructuredDict, TextOutput, ToolOutput
from pydantic_ai.tools import DeferredToolRequests


class Other(BaseModel):
    k: str


Named = StructuredDict(
    {'type': 'object', 'properties': {'a': {'type': 'integer'}}}, name='Named', description='Has a name.'
)
Bare = StructuredDict({'type': 'object', 'properties': {'a': {'type': 'integer'}}})


def make(n: int) -> Row:
    return Row(n=n)


FORMS = {
    'marker in a list': [ToolOutput(Row)],
    'two markers': [ToolOutput(Row, name='row'), ToolOutput(Other, name='other')],
    'two markers, one name': [ToolOutput(Row, name='same'), ToolOutput(Other, name='same')],
    'a marker and a type': [ToolOutput(Row, name='row'), Other],
    'a marker and text': [ToolOutput(Row), str],
    'list in a list': [[Row, Other], int],
    'union in a list': [Union[Row, Other], int],
    'optional': Optional[Row],
    'optional in a list': [Optional[Row], str],
    'union in a marker': ToolOutput(Union[Row, Other]),
    'list type in a marker': ToolOutput(list[Row]),
    'native of a list': NativeOutput([Row, Other]),
    'native of a union': NativeOutput(Union[Row, Other]),
    'native of one in a list': NativeOutput([Row]),
    'native with text': [NativeOutput(Row), str],
    'native in a list': [NativeOutput(Row)],
    'native and tool': [NativeOutput(Row), ToolOutput(Other)],
    'native and native': [NativeOutput(Row), NativeOutput(Other)],
    'native of a function': NativeOutput(make),
    'native of text': NativeOutput(str),
    'prompted of a list': PromptedOutput([Row, int]),
    'prompted of functions': PromptedOutput([make, Other]),
    'prompted and deferred': [PromptedOutput(Row), DeferredToolRequests],
    'text function and text': [TextOutput(str.upper), str],
    'text and deferred': [str, DeferredToolRequests],
    'tool and deferred': [Row, DeferredToolRequests],
    'only deferred': DeferredToolRequests,
    'only deferred in a list': [DeferredToolRequests],
    'none': None,
    'type of None': type(None),
    'text or none': [str, None],
    'empty list': [],
    'twice the same': [Row, Row],
    'named dict': Named,
    'bare dict': Bare,
    'dicts': [Named, Bare],
    'native dict': NativeOutput(Named),
    'prompted dict': PromptedOutput(Named),
    'dict in a marker': ToolOutput(Named, name='mine', description='My own.'),
    'named and described': ToolOutput(Row, name='mine', description='My own.', strict=True),
    'native named': NativeOutput(Row, name='mine', description='My own.', strict=True),
    'native names for several': NativeOutput([Row, Other], name='mine', description='My own.'),
    'prompted named': PromptedOutput(Row, name='mine', description='My own.'),
    'prompted by template': PromptedOutput(Row, template='Do {schema}!'),
    'prompted without template': PromptedOutput(Row, template=False),
    'native by template': NativeOutput(Row, template='Do {schema}!'),
    'native without template': NativeOutput(Row, template=False),
}
for name, form in FORMS.items():
    for profile in (None, NATIVE, PROMPTED):
        show(name, form, profile, schema='deferred' not in name and name != 'list in a list')
