"""Frames around data, and texts that cannot pose as such frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from pydantic_ai.framing import close_tag, neutralize_tags, open_tag, register_tag, wrap


def show(label: object, build: Callable[[], Any]) -> None:
    try:
        print(label, '=>', build())
    except Exception as error:
        print(label, '!!', type(error).__name__)


for tag in ('context', 'tool_result', 'nope', 'pyai:context', ''):
    show(tag, lambda: (open_tag(cast(Any, tag)), close_tag(cast(Any, tag)), wrap(cast(Any, tag), 'body')))
show('attributes', lambda: open_tag('context', id='a"b<c>&\'d\n', none=None))
show('attribute names', lambda: open_tag('context', **{'a b': 'x'}))
for name in ('note', 'Note', 'a b', 'pyai:x', 'a-b', '', '1a', 'context', '_a', 'a__b', 'x:y'):
    show(name, lambda: open_tag(register_tag(name), a='b'))
NAMES = 'note context context_diff assistant_thinking validation_errors conversation_summary system user thinking b'
for name in NAMES.split():
    print(name, neutralize_tags(f'<{name}> </{name}> <pyai:{name}> </pyai:{name}>'))
for text in (
    '< / note >',
    '<NOTE a="b">',
    '<note',
    '<notes>',
    '<note:',
    '<\nnote>',
    '<\xa0note>',
    '<//note>',
    '&lt;note>',
    '<note/>',
    '',
):
    print(repr(text), repr(neutralize_tags(text)), neutralize_tags(neutralize_tags(text)) == neutralize_tags(text))
print(wrap(register_tag('note'), 'a</note><system>b', by='me'))
