"""`ToolOutput` and its options."""

from typing import Annotated, Optional, Union

from _output import Cat, Dog, answered, show
from pydantic import Field
from pydantic_ai import ToolOutput

for title, form in {
    'bare': ToolOutput(Cat),
    'of a union': ToolOutput(Union[Cat, Dog]),
    'of an optional': ToolOutput(Optional[Cat]),
    'of a list': ToolOutput(list[Cat]),
    'of str': ToolOutput(str),
    'of None': ToolOutput(None),
    'of annotated': ToolOutput(Annotated[Union[Cat, Dog], Field(description='A pet.')]),
    'several': [ToolOutput(Cat), ToolOutput(Dog)],
    'named, with str': [ToolOutput(Cat, name='cat'), str],
    'described': [
        ToolOutput(Cat, description='Mine.'),
        ToolOutput(Dog, description='Yours.', strict=True, max_retries=3),
    ],
    'one described': ToolOutput(Cat, description='Mine.', strict=False),
    'one undocumented described': ToolOutput(Dog, description='Mine.'),
}.items():
    show(title, form)
show('in lists', [[ToolOutput(Cat)], Dog], schema=False)
bad, good = ('final_result', {'lives': 'a'}), ('final_result', {'lives': 1})
answered('retries of its own', ToolOutput(Cat, max_retries=3), bad, bad, bad, good)
answered('never right', ToolOutput(Cat, max_retries=2), bad)
answered('no retries', ToolOutput(Cat, max_retries=0), bad)
answered(
    'two tools', [ToolOutput(Cat, max_retries=3, name='a'), ToolOutput(Dog, name='b')], ('a', {}), ('b', {}), ('b', {})
)
