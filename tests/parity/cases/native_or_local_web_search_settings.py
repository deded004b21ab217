"""Settings of `WebSearch`: which reach the native tool, and which leave no room for a local one."""

from _native_or_local import mine, show
from pydantic_ai.capabilities import WebSearch
from pydantic_ai.native_tools import WebSearchTool

SETTINGS = [
    {},
    {'search_context_size': 'low'},
    {'user_location': {'city': 'Oslo'}},
    {'blocked_domains': ['b']},
    {'allowed_domains': ['a']},
    {'allowed_domains': []},
    {'max_uses': 3},
    {'max_uses': 0},
    {'allowed_domains': ['a'], 'blocked_domains': ['b']},
]
for options in SETTINGS:
    show(['both', options], lambda: WebSearch(local=mine, **options))
    show(['native only', options], lambda: WebSearch(local=False, **options))
    show(['local only', options], lambda: WebSearch(native=False, local=mine, **options))
    show(['own native', options], lambda: WebSearch(native=WebSearchTool(max_uses=9), local=mine, **options))
