"""An image as the output of a stream: when the output is announced."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

from _common import fact
from pydantic_ai import Agent, BinaryImage
from pydantic_ai.messages import FilePart
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.profiles import ModelProfile


@dataclass
class Stream(StreamedResponse):
    async def _get_event_iterator(self) -> AsyncIterator:
        for event in self._parts_manager.handle_text_delta(vendor_part_id='a', content='here: '):
            yield event
        image = FilePart(content=BinaryImage(data=b'x', media_type='image/png'))
        yield self._parts_manager.handle_part(vendor_part_id='b', part=image)
        for event in self._parts_manager.handle_text_delta(vendor_part_id='c', content='done'):
            yield event

    async def close_stream(self):
        pass

    model_name = 'm'
    provider_name = 'p'
    provider_url = None
    timestamp = datetime(2026, 1, 1, tzinfo=timezone.utc)


class Images(Model):
    model_name = 'm'
    system = 'p'

    async def request(self, *args):
        raise NotImplementedError

    @asynccontextmanager
    async def request_stream(self, messages, settings, parameters, ctx=None):
        yield Stream(model_request_parameters=parameters)


async def main():
    for name, output_type in (('image', BinaryImage), ('text or image', [str, BinaryImage]), ('text', str)):
        agent = Agent(Images(profile=ModelProfile(supports_image_output=True)), output_type=output_type)
        async with agent.run_stream_events('x') as events:
            fact(name, [type(event).__name__ for event in [event async for event in events]])


asyncio.run(main())
