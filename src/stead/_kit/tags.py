"""Tags around data in prompts, and texts that cannot pose as such tags.

A model reads `<context>...</context>` as a frame that its program put there. So a text from elsewhere must not hold such a tag:
`neutralize_tags` writes `&lt;` for the `<` of each that this process knows, and only there.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from ..exceptions import UserError

DATA_TAGS = (
    'tool_result',
    'assistant_thinking',
    'context',
    'context_diff',
    'validation_errors',
    'retry_feedback',
    'conversation_summary',
)
_SNAKE_CASE = re.compile('[a-z][a-z0-9]*(?:_[a-z0-9]+)*')
_OWN = 'pyai:'
_MOST_TAGS = 1_000
_registered: dict[str, None] = {}
"""The tags that programs registered; a program has as many as it writes."""


def check_name(name: str, what: str, *, may_be_own: bool = False) -> None:
    """Check the name of a tag or of an attribute.

    Raises:
        UserError: It is not in snake case, or is one of the library's own.
    """
    if name.startswith(_OWN) and not may_be_own:
        raise UserError(f'{what} cannot start with {_OWN!r}, as the tags of the library do; it is {name!r:.100}.')
    if not _SNAKE_CASE.fullmatch(name.removeprefix(_OWN)):
        raise UserError(f'{what} must be in lower snake case, such as `judge_feedback`; it is {name!r:.100}.')


def register_tag(name: str) -> str:
    """Return a tag that a program frames data with; `stead.framing.register_tag` has the rest.

    Raises:
        UserError: The name is not in snake case, is one of the library's own, or there are too many.
    """
    check_name(name, 'The name of a tag')
    if name in DATA_TAGS:
        raise UserError(f'The tag {name!r} exists without being registered: pass its name.')
    if name not in _registered:
        if len(_registered) >= _MOST_TAGS:
            raise UserError(f'{_MOST_TAGS} tags are registered. Register names that a program has, not data.')
        _registered[name] = None
        _pattern.cache_clear()
    return name


def check_tag(tag: str) -> None:
    """Check that a tag is known.

    Raises:
        UserError: It is not registered, or is one of the library's own.
    """
    if tag.startswith(_OWN):
        raise UserError(
            f'Tags that start with {_OWN!r} are those of the library, and {tag!r:.100} is one: take another.'
        )
    if tag not in DATA_TAGS and tag not in _registered:
        raise UserError(f'The tag {tag!r:.100} is not registered: call `stead.framing.register_tag` with it first.')


def opened(tag: str, attributes: dict[str, str | None]) -> str:
    """Return a start tag, unchecked except for the names of its attributes.

    Raises:
        UserError: The name of an attribute is not in snake case.
    """
    pairs: list[str] = []
    for name, value in attributes.items():
        check_name(name, 'The name of an attribute of a tag')
        if value is not None:
            pairs.append(f' {name}="{html.escape(value)}"')
    return f'<{tag}{"".join(pairs)}>'


def framed(tag: str, body: str, **attributes: str | None) -> str:
    """Return a text of the library in a tag of its own; the text is as it is."""
    return f'{opened(_OWN + tag, attributes)}\n{body}\n</{_OWN}{tag}>'


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    own = '|'.join(tag for tag in DATA_TAGS if tag != 'assistant_thinking')  # the library frames no thinking
    names = '|'.join((*DATA_TAGS, 'system', *_registered))
    return re.compile(rf'<(?=\s*/?\s*(?:{_OWN}(?:{own})|{names})(?:[\s/>]|$))', re.IGNORECASE)


def neutralize_tags(text: str) -> str:
    """Return a text in which no tag of this process is left."""
    return _pattern().sub('&lt;', text)
