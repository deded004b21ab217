"""The capabilities as entries of specs."""

import json

from _native_or_local import show
from pydantic_ai import Agent
from pydantic_ai.capabilities import CAPABILITY_TYPES, MCP, ImageGeneration, WebFetch, WebSearch, XSearch

for kind in (WebSearch, WebFetch, ImageGeneration, XSearch, MCP):
    print(json.dumps([kind.__name__, kind.get_serialization_name(), CAPABILITY_TYPES.get(kind.__name__) is kind]))
for kind, arguments in [
    (WebSearch, {'local': 'duckduckgo', 'max_uses': 2}),
    (WebSearch, {'local': False, 'id': 's', 'description': 'd', 'defer_loading': True}),
    (WebSearch, {'nope': 1}),
    (WebFetch, {'local': True, 'allowed_domains': ['a']}),
    (ImageGeneration, {'fallback_model': 'x:y', 'size': '1K'}),
    (XSearch, {'fallback_model': 'x:y'}),
    (XSearch, {'allowed_x_handles': ['a']}),
    (MCP, {'url': 'https://x/api'}),
    (MCP, {'url': 'https://x/api', 'native': False}),
    (MCP, {'url': 'https://x/api', 'local': False, 'allowed_tools': ['a']}),
    (MCP, {}),
    (MCP, {'url': 'https://x/api', 'local': 'name'}),
    (MCP, {'url': 'https://x/api', 'nope': 1}),
]:
    show([kind.__name__, arguments], lambda: kind.from_spec(**arguments), tools=False)
for entry in [
    {'WebSearch': {'local': 'duckduckgo'}},
    {'WebFetch': {'local': True}},
    {'XSearch': {'include_output': True}},
    'ImageGeneration',
    {'MCP': {'url': 'https://x/api', 'local': False}},
    {'MCP': 'https://x/api'},
]:
    agent = Agent.from_spec({'model': 'test', 'capabilities': [entry]})
    print(json.dumps([entry, type(agent).__name__]))
