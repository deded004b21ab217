"""Messages of every kind as JSON, and the same JSON after a round trip."""

from _common import fact
from pydantic_ai.messages import (
    BinaryContent,
    FilePart,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    NativeToolReturnPart,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

IMAGE = BinaryContent(b'\xff\xfe\xfb', media_type='image/png')
MESSAGES = [
    ModelRequest(
        parts=[
            UserPromptPart(['a', IMAGE]),
            ToolReturnPart('t', [IMAGE, {'b': b'x'}], 'i'),
            RetryPromptPart('r', tool_call_id='i'),
        ]
    ),
    ModelResponse(
        parts=[TextPart('x'), ToolCallPart('t', '{}', 'i'), NativeToolReturnPart('t', 'c', 'i'), FilePart(IMAGE)]
    ),
]
data = ModelMessagesTypeAdapter.dump_json(MESSAGES)
print(data.decode())
fact('the same again', ModelMessagesTypeAdapter.dump_json(ModelMessagesTypeAdapter.validate_json(data)) == data)
