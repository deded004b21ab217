"""Ollama: chat completions."""

from __future__ import annotations

from stead.exceptions import UserError

from ._match import ABSENT
from ._table import REQUEST, Vendor
from .openai_chat import VENDOR as CHAT, add_compatible_rows, chat_provider

VENDOR: Vendor = CHAT.like(
    'ollama',
    'Ollama',
    '`OllamaModel`: chat completions. The marks say what stead sends and reads; its servers may not take all of it.',
    model='qwen3',
    **chat_provider('ollama', 'OllamaProvider', 'OllamaModel', by_url=True),
)
add_compatible_rows(VENDOR)

VENDOR.lacks('strict-tools', body={'tools': [{'function': {'strict': ABSENT}}]})
VENDOR.lacks('web-search', REQUEST, error=UserError, match='native tool')
VENDOR.sends(
    'native-output', {'response_format': {'type': 'json_schema', 'json_schema': {'name': 'City', 'strict': ABSENT}}}
)
VENDOR.sends(
    'thinking-effort', {'reasoning_effort': 'low'}, model='deepseek-r1', note='Models that stead knows to think.'
)
VENDOR.lacks('cost', why='The price of your own machine is unknown.')
