"""Every part, message, delta and event: its representation and its JSON."""

import datetime

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    FinalResultEvent,
    FunctionToolCallEvent,
    FunctionToolResultEvent,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    OutputToolCallEvent,
    OutputToolResultEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)

T = datetime.datetime(2025, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
IMAGE = BinaryContent(b'\xff\xfe\xfb', media_type='image/png')
PARTS = [
    SystemPromptPart('s', timestamp=T),
    UserPromptPart('u', timestamp=T),
    UserPromptPart(
        [
            'a',
            ImageUrl('http://x/a.png'),
            IMAGE,
            CachePoint(),
            TextContent('t', metadata={'a': 1}),
            UploadedFile('f1', 'openai'),
            AudioUrl('http://x/a.mp3'),
            VideoUrl('http://x/a.mp4'),
            DocumentUrl('http://x/a.pdf'),
        ],
        timestamp=T,
    ),
    ToolReturnPart('t', {'a': 1}, 'id', timestamp=T),
    ToolReturnPart('t', 'x', 'id', metadata=1, outcome='failed', timestamp=T),
    RetryPromptPart('r', tool_call_id='i', timestamp=T),
    RetryPromptPart(
        [{'type': 'x', 'loc': ('a', 0), 'msg': 'm', 'input': 1}], tool_name='t', tool_call_id='i', timestamp=T
    ),
    InstructionPart('i'),
    TextPart('x'),
    ThinkingPart('x'),
    CompactionPart(),
    FilePart(IMAGE),
    ToolCallPart('t', '{}', 'i'),
    NativeToolCallPart('t', {'a': 1}, 'i', provider_name='p'),
    NativeToolReturnPart('t', 'c', 'i', timestamp=T),
    ModelRequest(parts=[], timestamp=T),
    ModelResponse(parts=[], timestamp=T),
    TextPartDelta('d'),
    ThinkingPartDelta(content_delta='d'),
    ToolCallPartDelta(args_delta='x'),
    PartStartEvent(index=0, part=TextPart('x')),
    PartDeltaEvent(index=0, delta=TextPartDelta('x')),
    PartEndEvent(index=0, part=TextPart('x')),
    FinalResultEvent(tool_name=None, tool_call_id=None),
    FunctionToolCallEvent(ToolCallPart('t', '{}', 'i')),
    OutputToolCallEvent(ToolCallPart('t', '{}', 'i'), args_valid=True),
    FunctionToolResultEvent(ToolReturnPart('t', 'x', 'id', timestamp=T)),
    OutputToolResultEvent(ToolReturnPart('t', 'x', 'id', timestamp=T)),
]
for part in PARTS:
    print(repr(part))
    print('   ', TypeAdapter(type(part)).dump_json(part).decode())
