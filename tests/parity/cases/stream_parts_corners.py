"""The manager of parts: deltas that follow each other, with and without ids, of one kind and another."""

from _stream import body, fact, show
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
                [[piece.part_kind, body(piece)] for piece in manager.get_parts()],
            ],
        )
    except Exception as error:
        fact(name, [type(error).__name__])


m = fresh()
tell(
    'text',
    m,
    lambda: m.handle_text_delta(vendor_part_id=1, content='a'),
    lambda: m.handle_text_delta(vendor_part_id=1, content='b'),
)
m = fresh()
tell(
    'text without id',
    m,
    lambda: m.handle_text_delta(vendor_part_id=None, content='a'),
    lambda: m.handle_text_delta(vendor_part_id=None, content='b'),
)
m = fresh()
tell(
    'text, call, text without id',
    m,
    lambda: m.handle_text_delta(vendor_part_id=None, content='a'),
    lambda: m.handle_tool_call_delta(vendor_part_id=None, tool_name='t', args='{}', tool_call_id='c'),
    lambda: m.handle_text_delta(vendor_part_id=None, content='b'),
)
m = fresh()
tell(
    'two ids',
    m,
    *(
        lambda vendor=vendor, text=text: m.handle_text_delta(vendor_part_id=vendor, content=text)
        for vendor, text in ((1, 'a'), (2, 'b'), (1, 'c'), (2, 'd'))
    ),
)
m = fresh()
tell(
    'thinking',
    m,
    lambda: m.handle_thinking_delta(vendor_part_id=1, content='a'),
    lambda: m.handle_thinking_delta(vendor_part_id=1, signature='s'),
    lambda: m.handle_thinking_delta(vendor_part_id=1, content='b'),
)
m = fresh()
tell(
    'thinking without id',
    m,
    lambda: m.handle_thinking_delta(vendor_part_id=None, content='a'),
    lambda: m.handle_thinking_delta(vendor_part_id=None, content='b'),
)
m = fresh()
tell('signature first', m, lambda: m.handle_thinking_delta(vendor_part_id=1, signature='s'))
m = fresh()
tell(
    'call',
    m,
    lambda: m.handle_tool_call_delta(vendor_part_id=1, tool_name='t', tool_call_id='c'),
    lambda: m.handle_tool_call_delta(vendor_part_id=1, args='{"a"'),
    lambda: m.handle_tool_call_delta(vendor_part_id=1, args=': 1}'),
)
m = fresh()
tell(
    'args first',
    m,
    lambda: m.handle_tool_call_delta(vendor_part_id=1, args='{"a"', tool_call_id='c'),
    lambda: m.handle_tool_call_delta(vendor_part_id=1, tool_name='t'),
    lambda: m.handle_tool_call_delta(vendor_part_id=1, args=': 1}'),
)
m = fresh()
tell(
    'dict args',
    m,
    lambda: m.handle_tool_call_delta(vendor_part_id=1, tool_name='t', args={'a': 1}, tool_call_id='c'),
    lambda: m.handle_tool_call_delta(vendor_part_id=1, args={'b': 2}),
)
m = fresh()
tell(
    'dict and text args',
    m,
    lambda: m.handle_tool_call_delta(vendor_part_id=1, tool_name='t', args={'a': 1}, tool_call_id='c'),
    lambda: m.handle_tool_call_delta(vendor_part_id=1, args='{}'),
)
m = fresh()
tell(
    'calls without id',
    m,
    lambda: m.handle_tool_call_delta(vendor_part_id=None, tool_name='t', args='{', tool_call_id='c'),
    lambda: m.handle_tool_call_delta(vendor_part_id=None, args='}'),
    lambda: m.handle_tool_call_delta(vendor_part_id=None, tool_name='u', args='{}', tool_call_id='d'),
)
m = fresh()
tell(
    'call after text of the same id',
    m,
    lambda: m.handle_text_delta(vendor_part_id=1, content='a'),
    lambda: m.handle_tool_call_delta(vendor_part_id=1, tool_name='t'),
)
m = fresh()
tell(
    'thinking after text of the same id',
    m,
    lambda: m.handle_text_delta(vendor_part_id=1, content='a'),
    lambda: m.handle_thinking_delta(vendor_part_id=1, content='b'),
)
m = fresh()
tell(
    'whole call',
    m,
    lambda: m.handle_tool_call_part(vendor_part_id=1, tool_name='t', args='{}', tool_call_id='c'),
    lambda: m.handle_tool_call_part(vendor_part_id=1, tool_name='u', args='{}', tool_call_id='d'),
)
m = fresh()
tell(
    'whole part',
    m,
    lambda: m.handle_part(vendor_part_id=1, part=TextPart('a')),
    lambda: m.handle_part(vendor_part_id=1, part=TextPart('b')),
    lambda: m.handle_part(vendor_part_id=None, part=TextPart('c')),
)
m = fresh()
tell(
    'white space',
    m,
    lambda: m.handle_text_delta(vendor_part_id=1, content=' ', ignore_leading_whitespace=True),
    lambda: m.handle_text_delta(vendor_part_id=1, content='a', ignore_leading_whitespace=True),
    lambda: m.handle_text_delta(vendor_part_id=1, content=' ', ignore_leading_whitespace=True),
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
        m = fresh()
        tell(
            f'{name} {vendor}',
            m,
            *(
                lambda piece=piece: m.handle_text_delta(vendor_part_id=vendor, content=piece, thinking_tags=TAGS)
                for piece in pieces
            ),
        )
m = fresh()
tell('nothing', m)
fact('by id', fresh().get_part_by_vendor_id('x'))
