"""AI SDK: chunks that tools send, denied native calls, details of thinking, and what of files makes the round trip."""

import asyncio
import json

from _common import fact
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.ui.vercel_ai import VercelAIAdapter, VercelAIEventStream
from pydantic_ai.ui.vercel_ai.request_types import FileUIPart, ReasoningUIPart, SubmitMessage, TextUIPart, UIMessage
from pydantic_ai.ui.vercel_ai.response_types import DataChunk, FileChunk, SourceUrlChunk

CHUNKS = [
    SourceUrlChunk(source_id='s', url='https://example.com'),
    FileChunk(url='https://example.com/a.png', media_type='image/png'),
    DataChunk(type='data-x', data={'a': 1}),
]
REQUEST = SubmitMessage(id='f', messages=[UIMessage(id='b', role='user', parts=[TextUIPart(text='x')])])


def dumped(*messages):
    return [
        [part.type, getattr(part, 'state', None)]
        for message in VercelAIAdapter.dump_messages(messages)
        for part in message.parts
    ]


async def shown(name, events, **options):
    async def generate():
        for event in events:
            yield event

    stream = VercelAIEventStream(run_input=REQUEST, **options)
    for text in [text async for text in stream.encode_stream(stream.transform_stream(generate()))]:
        if '[DONE]' not in text:
            chunk = json.loads(text.removeprefix('data: '))
            fact(name, {key: value for key, value in chunk.items() if key != 'id'})


def own(**values):
    return {'pydantic_ai': values}


async def main():
    called = ModelResponse(parts=[ToolCallPart('send', {}, 'c1')])
    result = ToolReturnPart('send', 'sent', 'c1', metadata=CHUNKS)
    fact(
        'dumped',
        dumped(
            ModelRequest(parts=[UserPromptPart('x')]),
            called,
            ModelRequest(parts=[result]),
            ModelResponse(parts=[TextPart('Done')]),
        ),
    )
    failed = NativeToolReturnPart('web_search', {'error_text': 'limit', 'is_error': True}, 'c1')
    fact('failed', dumped(ModelResponse(parts=[NativeToolCallPart('web_search', {'q': 1}, 'c1'), failed])))
    denied = NativeToolReturnPart('web_search', 'Blocked', 'c', outcome='denied')
    await shown('denied', [PartStartEvent(index=0, part=denied)], sdk_version=6)
    thinking = ThinkingPart('', id='t', signature='s1', provider_name='anthropic', provider_details={'m': 1})
    delta = ThinkingPartDelta(
        content_delta='hm', signature_delta='s2', provider_name='anthropic', provider_details={'c': 1}
    )
    end = ThinkingPart('hm', id='t', signature='s2', provider_name='anthropic')
    events = [
        PartStartEvent(index=0, part=thinking),
        PartDeltaEvent(index=0, delta=delta),
        PartEndEvent(index=0, part=end),
    ]
    await shown('thinking', events)
    for state in ('streaming', 'done'):
        metadata = own(id='r', signature='sig', provider_name='anthropic')
        part = ReasoningUIPart(text='partial', state=state, provider_metadata=metadata)
        [message] = VercelAIAdapter.load_messages([UIMessage(id='m', role='assistant', parts=[part])])
        fact(state, repr(message.parts))
    metadata = own(file_id='files/v', provider_name='google', vendor_metadata={'start': 1}, identifier='mine')
    part = FileUIPart(media_type='video/mp4', url='files/v', provider_metadata=metadata)
    [message] = VercelAIAdapter.load_messages([UIMessage(id='m', role='user', parts=[part])])
    [file] = message.parts[0].content
    fact('file', [file.file_id, file.provider_name, file.vendor_metadata, file.identifier, file.media_type])


asyncio.run(main())
