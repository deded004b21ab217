"""Tool returns as text, as objects, and as items with files."""

import datetime

from _common import fact
from pydantic_ai.messages import BinaryContent, ToolReturnPart

IMAGE = BinaryContent(b'abc', media_type='image/png')
for content in (
    None,
    's',
    '',
    {},
    {'a': 1},
    [1],
    [],
    1,
    1.5,
    True,
    IMAGE,
    [IMAGE, 'x'],
    {'f': IMAGE, 'g': 1},
    datetime.datetime(2025, 1, 1),
    ['a', {'k': [IMAGE]}],
):
    part = ToolReturnPart('t', content, 'id')
    fact(
        repr(content)[:40],
        [
            part.model_response_str(),
            part.model_response_object(),
            part.has_content(),
            len(part.files),
            repr(part.content_items()),
            repr(part.content_items(mode='str')),
            repr(part.content_items(mode='jsonable')),
            repr(part.model_response_str_and_user_content()),
        ],
    )
