"""Parts and messages as OpenTelemetry events and message parts, with and without content."""

from types import SimpleNamespace

from _common import fact
from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    FilePart,
    ImageUrl,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
)

IMAGE = BinaryContent(b'abc', media_type='image/png')
PARTS = [
    SystemPromptPart('s'),
    UserPromptPart('u'),
    UserPromptPart(
        ['a', ImageUrl('http://x/a.png'), IMAGE, CachePoint(), TextContent('t'), UploadedFile('f', 'openai')]
    ),
    ToolReturnPart('t', {'a': 1}, 'id'),
    RetryPromptPart('r', tool_call_id='i'),
    RetryPromptPart('r', tool_name='t', tool_call_id='i'),
]
RESPONSE = ModelResponse(
    parts=[
        TextPart('x'),
        ThinkingPart('th'),
        ToolCallPart('t', '{"a":1}', 'i'),
        FilePart(IMAGE),
        NativeToolCallPart('n', {'a': 1}, 'j'),
        NativeToolReturnPart('n', {'b': 1}, 'j'),
    ]
)
for show in (True, False):
    settings = SimpleNamespace(include_content=show, include_binary_content=show, version=2)
    for part in PARTS:
        fact(type(part).__name__, part.otel_message_parts(settings))
    fact('response', RESPONSE.otel_message_parts(settings))
settings = SimpleNamespace(include_content=True, include_binary_content=True, version=1)
for part in PARTS:
    event = part.otel_event(settings)
    fact(type(part).__name__, [event.body, dict(event.attributes)])
fact('response', [[event.body, dict(event.attributes)] for event in RESPONSE.otel_events(settings)])
