"""The manager of parts: deltas that follow each other, with and without ids, of one kind and another."""

from _common import fact
from _stream import body, show
from pydantic_ai._parts_manager import ModelResponsePartsManager
from pydantic_ai.messages import TextPart
from pydantic_ai.models import ModelRequestParameters


def fresh():
    return ModelResponsePartsManager(ModelRequestParameters())


def events(value):
    if value is None:
        return None
    if hasattr(value, 'event_kind'):
        return show(value)
    return [show(event) for event in value]


def tell(name, manager, *values):
    try:
        fact(
            name,
            [
                [events(value() if callable(value) else value) for value in values],
                [[part.part_kind, body(part)] for part in manager.get_parts()],
            ],
        )
    except Exception as error:
        fact(name, [type(error).__name__])


parts_manager = fresh()
tell(
    'text',
    parts_manager,
    lambda: parts_manager.handle_text_delta(vendor_part_id=1, content='a'),
    lambda: parts_manager.handle_text_delta(vendor_part_id=1, content='b'),
)
parts_manager = fresh()
tell(
    'text without id',
    parts_manager,
    lambda: parts_manager.handle_text_delta(vendor_part_id=None, content='a'),
    lambda: parts_manager.handle_text_delta(vendor_part_id=None, content='b'),
)
parts_manager = fresh()
tell(
    'text, call, text without id',
    parts_manager,
    lambda: parts_manager.handle_text_delta(vendor_part_id=None, content='a'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=None, tool_name='t', args='{}', tool_call_id='c'),
    lambda: parts_manager.handle_text_delta(vendor_part_id=None, content='b'),
)
parts_manager = fresh()
tell(
    'two ids',
    parts_manager,
    *(
        lambda vendor=vendor, text=text: parts_manager.handle_text_delta(vendor_part_id=vendor, content=text)
        for vendor, text in ((1, 'a'), (2, 'b'), (1, 'c'), (2, 'd'))
    ),
)
parts_manager = fresh()
tell(
    'thinking',
    parts_manager,
    lambda: parts_manager.handle_thinking_delta(vendor_part_id=1, content='a'),
    lambda: parts_manager.handle_thinking_delta(vendor_part_id=1, signature='s'),
    lambda: parts_manager.handle_thinking_delta(vendor_part_id=1, content='b'),
)
parts_manager = fresh()
tell(
    'thinking without id',
    parts_manager,
    lambda: parts_manager.handle_thinking_delta(vendor_part_id=None, content='a'),
    lambda: parts_manager.handle_thinking_delta(vendor_part_id=None, content='b'),
)
parts_manager = fresh()
tell('signature first', parts_manager, lambda: parts_manager.handle_thinking_delta(vendor_part_id=1, signature='s'))
parts_manager = fresh()
tell(
    'call',
    parts_manager,
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, tool_name='t', tool_call_id='c'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, args='{"a"'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, args=': 1}'),
)
parts_manager = fresh()
tell(
    'args first',
    parts_manager,
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, args='{"a"', tool_call_id='c'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, tool_name='t'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, args=': 1}'),
)
parts_manager = fresh()
tell(
    'dict args',
    parts_manager,
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, tool_name='t', args={'a': 1}, tool_call_id='c'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, args={'b': 2}),
)
parts_manager = fresh()
tell(
    'dict and text args',
    parts_manager,
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, tool_name='t', args={'a': 1}, tool_call_id='c'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, args='{}'),
)
parts_manager = fresh()
tell(
    'calls without id',
    parts_manager,
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=None, tool_name='t', args='{', tool_call_id='c'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=None, args='}'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=None, tool_name='u', args='{}', tool_call_id='d'),
)
parts_manager = fresh()
tell(
    'call after text of the same id',
    parts_manager,
    lambda: parts_manager.handle_text_delta(vendor_part_id=1, content='a'),
    lambda: parts_manager.handle_tool_call_delta(vendor_part_id=1, tool_name='t'),
)
parts_manager = fresh()
tell(
    'thinking after text of the same id',
    parts_manager,
    lambda: parts_manager.handle_text_delta(vendor_part_id=1, content='a'),
    lambda: parts_manager.handle_thinking_delta(vendor_part_id=1, content='b'),
)
parts_manager = fresh()
tell(
    'whole call',
    parts_manager,
    lambda: parts_manager.handle_tool_call_part(vendor_part_id=1, tool_name='t', args='{}', tool_call_id='c'),
    lambda: parts_manager.handle_tool_call_part(vendor_part_id=1, tool_name='u', args='{}', tool_call_id='d'),
)
parts_manager = fresh()
tell(
    'whole part',
    parts_manager,
    lambda: parts_manager.handle_part(vendor_part_id=1, part=TextPart('a')),
    lambda: parts_manager.handle_part(vendor_part_id=1, part=TextPart('b')),
    lambda: parts_manager.handle_part(vendor_part_id=None, part=TextPart('c')),
)
parts_manager = fresh()
tell(
    'white space',
    parts_manager,
    lambda: parts_manager.handle_text_delta(vendor_part_id=1, content=' ', ignore_leading_whitespace=True),
    lambda: parts_manager.handle_text_delta(vendor_part_id=1, content='a', ignore_leading_whitespace=True),
    lambda: parts_manager.handle_text_delta(vendor_part_id=1, content=' ', ignore_leading_whitespace=True),
)
TAGS = ('<think>', '</think>')
for name, pieces in {
    'tags': ['<think>', 'hm', '</think>', 'text'],
    'tags in text': ['a', '<think>', 'hm', '</think>', 'b'],
    'empty tags': ['<think>', '</think>', 'text'],
    'tag not closed': ['<think>', 'hm'],
    'tag not alone': ['<think>hm</think>text'],
    'twice': ['<think>', 'a', '</think>', '<think>', 'b', '</think>'],
}.items():
    for vendor in (1, None):
        parts_manager = fresh()
        tell(
            f'{name} {vendor}',
            parts_manager,
            *(
                lambda piece=piece: parts_manager.handle_text_delta(
                    vendor_part_id=vendor, content=piece, thinking_tags=TAGS
                )
                for piece in pieces
            ),
        )
parts_manager = fresh()
tell('nothing', parts_manager)
fact('by id', fresh().get_part_by_vendor_id('x'))
