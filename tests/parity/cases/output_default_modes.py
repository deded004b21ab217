"""Bare types: the profile of the model decides how they are asked for."""

from _output import IMAGES, NATIVE, PROMPTED, Row, show
from pydantic import BaseModel
from pydantic_ai import NativeOutput, PromptedOutput, ToolOutput
from pydantic_ai.messages import BinaryImage
from pydantic_ai.profiles import ModelProfile


class Cell(BaseModel):
    k: str


def make(n: int) -> str:
    return str(n)


TEMPLATE = ModelProfile(default_structured_output_mode='prompted', prompted_output_template='Do {schema} now')
REPEATED = ModelProfile(
    default_structured_output_mode='native',
    supports_json_schema_output=True,
    native_output_requires_schema_in_instructions=True,
)
for name, profile in {
    'none': None,
    'native': NATIVE,
    'prompted': PROMPTED,
    'template': TEMPLATE,
    'native, told': REPEATED,
    'native, not supported': ModelProfile(default_structured_output_mode='native'),
    'no tools': ModelProfile(supports_tools=False),
    'images': IMAGES,
}.items():
    for form in (Row, [Row, Cell], int, [Row, str], make, [Row, None], ToolOutput(Row), str):
        show(f'{name}: {getattr(form, "__name__", type(form).__name__)}', form, profile=profile, schema=False)
    for form in (
        NativeOutput(Row),
        PromptedOutput(Row),
        PromptedOutput(Row, template='T'),
        NativeOutput(Row, template='T {schema}'),
    ):
        show(f'{name}: {type(form).__name__}', form, profile=profile, schema=False)
    show(f'{name}: image too', [Row, BinaryImage], profile=profile, schema=False)
    show(f'{name}: instructions', Row, profile=profile, instructions='Be nice.', schema=False)
