"""`PromptedOutput`: prompts, schemas in them, and what it goes together with."""

from typing import Any, Optional, Union

from _output import PROMPTED, Cat, Dog, Nested, show
from pydantic_ai import DeferredToolRequests, PromptedOutput, ToolOutput


def speak(cat: Cat, loud: bool = False) -> str:
    """Let it speak."""
    return 'meow'


for title, form in {
    'model': PromptedOutput(Cat),
    'list': PromptedOutput([Cat, Dog]),
    'union': PromptedOutput(Union[Cat, Dog]),
    'int': PromptedOutput(int),
    'Any': PromptedOutput(Any),
    'optional': PromptedOutput(Optional[Cat]),
    'function': PromptedOutput(speak),
    'nested': PromptedOutput([Nested, speak]),
    'named': PromptedOutput(Cat, name='feline', description='Felines'),
    'undocumented described': PromptedOutput(Dog, description='Dogs'),
    'template': PromptedOutput(Cat, template='Look: {schema}!'),
    'template without schema': PromptedOutput(Cat, template='Be good.'),
    'None beside': [PromptedOutput(Cat), None],
    'with str': [PromptedOutput(Cat), str],
    'with a tool': [PromptedOutput(Cat), ToolOutput(Dog)],
    'two': [PromptedOutput(Cat), PromptedOutput(Dog)],
    'deferred inside': PromptedOutput([Cat, DeferredToolRequests]),
}.items():
    show(title, form, profile=PROMPTED)
show('on a model without', PromptedOutput(Cat))
show('with instructions', PromptedOutput(Cat), profile=PROMPTED, instructions='Be nice.')
show('with a system prompt', PromptedOutput(Cat), profile=PROMPTED, system_prompt='Be nice.')
