"""Every pair of parts in a stream: events, final results, and the state of the response."""

import asyncio
import dataclasses
import datetime
import itertools

from _models import fact, tool
from pydantic_ai.messages import (
    BinaryContent,
    CompactionPart,
    FilePart,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import CompletedStreamedResponse


@dataclasses.dataclass
class Response(StreamedResponse):
    parts: list = dataclasses.field(default=None)
    model_name = property(lambda self: 'm')
    provider_name = property(lambda self: 'p')
    provider_url = property(lambda self: None)
    timestamp = property(lambda self: datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc))

    async def _get_event_iterator(self):
        for place, part in enumerate(self.parts):
            yield self._parts_manager.handle_part(vendor_part_id=place, part=part)


PARTS = [
    NativeToolCallPart('web_search', {'q': 'x'}, tool_call_id='n'),
    NativeToolReturnPart('web_search', [{'title': 'T'}], tool_call_id='n'),
    FilePart(BinaryContent(b'12345', media_type='image/png')),
    ToolCallPart('f', {'a': 1}, tool_call_id='c'),
    ToolCallPart('out', {'a': 1}, tool_call_id='o'),
    ToolCallPart('later', {'a': 1}, tool_call_id='l'),
    ToolCallPart('unknown', {'a': 1}, tool_call_id='u'),
    TextPart('a b'),
    TextPart(''),
    ThinkingPart('a b'),
    CompactionPart(content='x'),
]
TOOLS = {
    'function_tools': [tool('f'), tool('later', kind='external')],
    'output_tools': [tool('out', kind='output')],
}


async def show(parts, **fields):
    print('==', [part.part_kind for part in parts], fields.get('allow_text_output'))
    response = Response(model_request_parameters=ModelRequestParameters(**fields), parts=parts)
    fact('before', [response.get().parts, response.get().state, response.final_result_event, response.cancelled])
    async for event in response:
        fact('event', event)
    fact('after', [response.get().state, response.final_result_event, response.get().provider_name])
    fact('again', [event async for event in response])


for first, second in itertools.product(PARTS, PARTS):
    if first is not second or not isinstance(first, ToolCallPart):  # two calls of one id: the second gets another one
        asyncio.run(show([first, second], **TOOLS))
for part in PARTS:
    for text, image in itertools.product((True, False), (True, False)):
        asyncio.run(show([part], allow_text_output=text, allow_image_output=image, **TOOLS))
asyncio.run(show([]))


async def completed():
    response = ModelResponse(
        parts=[TextPart('a b'), ToolCallPart('f', {}, tool_call_id='c')],
        model_name='m',
        provider_name='p',
        finish_reason='stop',
    )
    stream = CompletedStreamedResponse(ModelRequestParameters(), response)
    fact('events', [event async for event in stream])
    names = ('model_name', 'provider_name', 'provider_url', 'final_result_event')
    fact('completed', [getattr(stream, name) for name in names] + [stream.get() is response])


asyncio.run(completed())
