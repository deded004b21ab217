"""Images as output: beside other forms, several of them, by functions and validators, and models that make none."""

from _common import fact, run
from _output import IMAGES, answered, scripted, understood
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, RunContext, TextOutput
from pydantic_ai.messages import (
    BinaryContent,
    BinaryImage,
    FilePart,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)


def upper(text: str) -> str:
    return text.upper()


class Row(BaseModel):
    n: int


def picture(data=b'1', **options):
    return FilePart(BinaryImage(data, media_type='image/png', **options))


ANSWERS = {
    'two': [picture(b'1'), picture(b'2')],
    'text, image, text': [TextPart('a'), picture(), TextPart('b')],
    'thinking, image': [ThinkingPart('hm'), picture()],
    'empty text, image': [TextPart(''), picture()],
    'audio': [FilePart(BinaryContent(b'1', media_type='audio/wav'))],
    'audio, image': [FilePart(BinaryContent(b'1', media_type='audio/wav')), picture()],
    'image, call': [picture(), ToolCallPart('final_result', {'n': 1}, tool_call_id='c')],
    'call, image': [ToolCallPart('final_result', {'n': 1}, tool_call_id='c'), picture()],
    'image, unknown call': [picture(), ToolCallPart('nope', {}, tool_call_id='c')],
    'image, wrong call': [picture(), ToolCallPart('final_result', {'n': 'x'}, tool_call_id='c')],
    'JSON, image': [TextPart('{"n": 1}'), picture()],
    'jpeg': [FilePart(BinaryImage(b'1', media_type='image/jpeg', identifier='mine'))],
}
FORMS = {
    'only': BinaryImage,
    'or text': [BinaryImage, str],
    'text first': [str, BinaryImage],
    'or tool': [BinaryImage, Row],
    'or text function': [TextOutput(upper), BinaryImage],
    'or prompted': [PromptedOutput(Row), BinaryImage],
    'or native': [NativeOutput(Row), BinaryImage],
    'all': [str, BinaryImage, Row],
}
for name, form in FORMS.items():
    for label, parts in ANSWERS.items():
        fact(f'{name}: {label}', understood(form, ModelResponse(parts=parts), IMAGES))
for strategy in ('early', 'graceful', 'exhaustive'):
    agent = Agent(
        scripted([ModelResponse(parts=[picture(), ToolCallPart('look', {}, tool_call_id='l')]), 'end'], IMAGES),
        output_type=[BinaryImage, str],
        end_strategy=strategy,
    )

    @agent.tool_plain
    def look() -> str:
        return 'looked'

    run(f'image beside a tool, {strategy}', agent, 'hi')
agent = Agent(
    scripted([ModelResponse(parts=[picture(b'1')]), ModelResponse(parts=[picture(b'22')])], IMAGES),
    output_type=BinaryImage,
)


@agent.output_validator
def larger(ctx: RunContext, image: BinaryImage) -> BinaryImage:
    if len(image.data) < 2:
        raise ModelRetry('larger, please')
    return image


run('validator', agent, 'hi')
answered('text, then image', BinaryImage, 'no', ModelResponse(parts=[picture()]), profile=IMAGES)
answered('never an image', BinaryImage, 'no', profile=IMAGES)
