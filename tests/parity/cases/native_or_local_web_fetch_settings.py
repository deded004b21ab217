"""Settings of `WebFetch`: which reach the native tool and the local one, and which leave no room for a local one."""

from _native_or_local import mine, show
from pydantic_ai.capabilities import WebFetch
from pydantic_ai.native_tools import WebFetchTool

SETTINGS = [
    {},
    {'allowed_domains': ['a']},
    {'blocked_domains': ['b']},
    {'max_uses': 3},
    {'enable_citations': True},
    {'enable_citations': False},
    {'max_content_tokens': 4},
    {'allowed_domains': []},
]
for settings in SETTINGS:
    for label, options in [
        ('own', {'local': mine}),
        ('default', {'local': True}),
        ('none', {'local': False}),
        ('local only', {'local': True, 'native': False}),
        ('own native', {'local': True, 'native': WebFetchTool(max_content_tokens=9)}),
    ]:
        show([label, settings], lambda: WebFetch(**options, **settings))
