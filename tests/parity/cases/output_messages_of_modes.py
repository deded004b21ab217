"""What the model is sent when it answers in another way than it was asked to, mode by mode."""

import itertools

from _common import fact
from _output import IMAGES, NATIVE, PROMPTED, understood
from pydantic import BaseModel, field_validator, model_validator
from pydantic_ai import ModelRetry, NativeOutput, PromptedOutput, TextOutput, ToolOutput
from pydantic_ai.messages import (
    BinaryContent,
    BinaryImage,
    FilePart,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)


def size(text: str) -> int:
    return len(text)


class Row(BaseModel):
    n: int


class Odd(BaseModel):
    n: int

    @field_validator('n')
    @classmethod
    def odd(cls, value):
        if value % 2 == 0:
            raise ValueError('not odd')
        return value


class Asking(BaseModel):
    n: int

    @model_validator(mode='after')
    def ask(self):
        if self.n > 3:
            raise ModelRetry('smaller, please')
        return self


OUTPUTS = {
    'text': (str, None),
    'tool': (Row, None),
    'marker': (ToolOutput(Row), None),
    'tools': ([Row, int], None),
    'tool or text': ([Row, str], None),
    'native': (NativeOutput(Row), NATIVE),
    'prompted': (PromptedOutput(Row), PROMPTED),
    'function of text': (TextOutput(size), None),
    'image': (BinaryImage, IMAGES),
    'image or text': ([BinaryImage, str], IMAGES),
    'image or tool': ([BinaryImage, Row], IMAGES),
}
IMAGE = FilePart(BinaryImage(b'1', media_type='image/png'))
ANSWERS = {
    'text': [TextPart('words')],
    'JSON': [TextPart('{"n": 1}')],
    'texts': [TextPart('{"n"'), TextPart(': 1}')],
    'nothing': [],
    'thinking': [ThinkingPart('hm')],
    'thinking and text': [ThinkingPart('hm'), TextPart('{"n": 2}')],
    'image': [IMAGE],
    'image and text': [TextPart('look'), IMAGE],
    'image by another name': [FilePart(BinaryContent(b'1', media_type='image/png'))],
    'call': [ToolCallPart('final_result', {'n': 1}, tool_call_id='c')],
    'wrong call': [ToolCallPart('final_result', {'n': 'x'}, tool_call_id='c')],
    'call of another': [ToolCallPart('other', {}, tool_call_id='c')],
    'calls': [ToolCallPart('other', {}, tool_call_id='c'), ToolCallPart('final_result', {'n': 1}, tool_call_id='d')],
}
for (name, (output, profile)), (label, parts) in itertools.product(OUTPUTS.items(), ANSWERS.items()):
    fact(f'{name}: {label}', understood(output, ModelResponse(parts=parts), profile))
for form, number in itertools.product((Odd, Asking), (1, 2, 4, 5)):
    fact(f'{form.__name__} {number}', understood(form, ('final_result', {'n': number})))
    text = f'{{"n": {number}}}'
    fact(f'{form.__name__} {number} prompted', understood(PromptedOutput(form), text, PROMPTED))
    fact(f'{form.__name__} {number} native', understood(NativeOutput(form), text, NATIVE))
    fact(f'{form.__name__} {number} in a list', understood(list[form], ('final_result', {'response': [{'n': number}]})))
