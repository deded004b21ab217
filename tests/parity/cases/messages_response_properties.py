"""Properties of responses, and how instructions are joined and sorted."""

from _common import fact
from pydantic_ai.messages import (
    BinaryImage,
    FilePart,
    InstructionPart,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)

response = ModelResponse(
    parts=[
        TextPart('x'),
        TextPart('y'),
        ThinkingPart('th'),
        TextPart('z'),
        ThinkingPart('t2'),
        ToolCallPart('t', '{}', 'i'),
        FilePart(BinaryImage(b'1', media_type='image/png')),
        NativeToolCallPart('n', {}, 'j'),
        NativeToolReturnPart('n', 1, 'j'),
    ]
)
fact(
    'properties',
    [
        response.text,
        response.thinking,
        repr(response.files),
        len(response.images),
        repr(response.tool_calls),
        len(response.native_tool_calls),
    ],
)
fact('none', [ModelResponse(parts=[]).text, ModelResponse(parts=[]).thinking])
fact(
    'instructions',
    [
        InstructionPart.join([InstructionPart('a'), InstructionPart(' b '), InstructionPart('')]),
        InstructionPart.join([]),
        repr(
            InstructionPart.sorted(
                [InstructionPart('d', dynamic=True), InstructionPart('s'), InstructionPart('e', dynamic=True)]
            )
        ),
    ],
)
fact('user text', repr(ModelRequest.user_text_prompt('hi', instructions='i')))
