"""Text in several parts, from a model of one's own: how `stream_text` sets it apart, and the events between parts."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

from _common import fact
from _stream import show
from pydantic_ai import Agent
from pydantic_ai.messages import NativeToolCallPart, NativeToolReturnPart
from pydantic_ai.models import Model, StreamedResponse


@dataclass
class Scripted(StreamedResponse):
    pieces: list = None

    async def _get_event_iterator(self):
        for kind, vendor, content in self.pieces:
            if kind == 'text':
                events = self._parts_manager.handle_text_delta(vendor_part_id=vendor, content=content)
            elif kind == 'thinking':
                events = self._parts_manager.handle_thinking_delta(vendor_part_id=vendor, content=content)
            elif kind == 'native':
                part = (
                    NativeToolCallPart('web_search', {}, tool_call_id=content)
                    if vendor % 2
                    else NativeToolReturnPart('web_search', 'x', tool_call_id=content)
                )
                events = [self._parts_manager.handle_part(vendor_part_id=vendor, part=part)]
            else:
                events = self._parts_manager.handle_tool_call_delta(
                    vendor_part_id=vendor, tool_name=content, args='{}', tool_call_id=f'c{vendor}'
                )
            for event in events if kind != 'call' else [events]:
                yield event

    @property
    def model_name(self):
        return 'scripted'

    @property
    def provider_name(self):
        return 'p'

    @property
    def provider_url(self):
        return 'https://p'

    @property
    def timestamp(self):
        return datetime(2026, 1, 1, tzinfo=timezone.utc)


class Own(Model):
    def __init__(self, pieces):
        super().__init__()
        self.pieces = pieces

    model_name = 'own'
    system = 'p'

    async def request(self, messages, model_settings, model_request_parameters):
        raise NotImplementedError

    @asynccontextmanager
    async def request_stream(self, messages, model_settings, model_request_parameters, run_context=None):
        yield Scripted(model_request_parameters, pieces=self.pieces)


SCRIPTS = {
    'neighbours': [('text', 1, 'a'), ('text', 1, 'b'), ('text', 2, 'c'), ('text', 2, 'd')],
    'around thinking': [('text', 1, 'a'), ('thinking', 2, 'hm'), ('text', 3, 'b'), ('text', 3, 'c')],
    'thinking first': [('thinking', 1, 'hm'), ('text', 2, 'a'), ('thinking', 3, 'hm'), ('text', 4, 'b')],
    'interleaved': [('text', 1, 'a'), ('text', 2, 'b'), ('text', 1, 'c')],
    'around a call': [('text', 1, 'a'), ('call', 2, 'look'), ('text', 3, 'b'), ('text', 3, 'c')],
    'around two calls': [
        ('text', 1, 'a'),
        ('call', 2, 'look'),
        ('call', 3, 'look'),
        ('text', 4, 'b'),
        ('call', 5, 'look'),
        ('text', 6, 'c'),
    ],
    'after a call': [('call', 2, 'look'), ('text', 3, 'b'), ('text', 3, 'c')],
    'empty start': [('text', 1, 'a'), ('call', 2, 'look'), ('text', 3, ''), ('text', 3, 'c')],
    'back to the first': [('text', 1, 'a'), ('call', 2, 'look'), ('text', 1, 'b')],
    'around native': [
        ('text', 10, 'a'),
        ('text', 10, 'A'),
        ('native', 1, 'n'),
        ('native', 2, 'n'),
        ('text', 11, 'b'),
        ('text', 11, 'c'),
    ],
    'around a native call': [('text', 10, 'a'), ('text', 10, 'A'), ('native', 1, 'n'), ('text', 11, 'b')],
    'around a native return': [('text', 10, 'a'), ('text', 10, 'A'), ('native', 2, 'n'), ('text', 11, 'b')],
    'native first': [('native', 1, 'n'), ('native', 2, 'n'), ('text', 11, 'b')],
    'native, thinking': [
        ('text', 10, 'a'),
        ('text', 9, 'A'),
        ('native', 1, 'n'),
        ('thinking', 12, 'hm'),
        ('text', 11, 'b'),
        ('native', 3, 'n'),
        ('text', 13, 'c'),
    ],
    'native, empty': [
        ('text', 10, 'a'),
        ('text', 10, 'A'),
        ('native', 1, 'n'),
        ('native', 3, 'n'),
        ('text', 11, ''),
        ('text', 11, 'b'),
    ],
    'native, back': [('text', 10, 'a'), ('text', 10, 'A'), ('native', 1, 'n'), ('text', 10, 'b')],
    'native last': [('text', 10, 'a'), ('text', 10, 'A'), ('native', 1, 'n'), ('native', 2, 'n')],
    'two gaps': [('text', 1, 'a'), ('thinking', 2, 'x'), ('text', 3, 'b'), ('thinking', 4, 'y'), ('text', 5, 'c')],
}


async def main():
    for name, pieces in SCRIPTS.items():
        async with Agent(Own(pieces)).run_stream('q') as result:
            fact(name, [text async for text in result.stream_text(debounce_by=None)])
            fact('  response', [result.response.text, result.response.provider_name, result.response.provider_url])
        async with Agent(Own(pieces)).run_stream('q') as result:
            fact('  delta', [text async for text in result.stream_text(delta=True, debounce_by=None)])
            fact('  output', await result.get_output())
        if 'call' in name or 'native' in name or name in ('empty start', 'back to the first'):
            continue
        async with Agent(Own(pieces)).run_stream_events('q') as events:
            async for event in events:
                print('   ', json.dumps(show(event)))


asyncio.run(main())
