"""Ollama: chat completions."""

from __future__ import annotations

from stead.exceptions import UserError

from ._match import ABSENT
from ._table import REQUEST, Vendor
from .openai_chat import VENDOR as CHAT, house, of_house

V: Vendor = CHAT.like(
    'ollama',
    'Ollama',
    '`OllamaModel`: chat completions. The marks say what stead sends and reads; its servers may not take all of it.',
    model='qwen3',
    **house('ollama', 'OllamaProvider', 'OllamaModel', by_url=True),
)
VENDOR = V
of_house(V)

V.lacks('strict-tools', body={'tools': [{'function': {'strict': ABSENT}}]})
V.lacks('web-search', REQUEST, error=UserError, match='native tool')
V.sends(
    'native-output', {'response_format': {'type': 'json_schema', 'json_schema': {'name': 'City', 'strict': ABSENT}}}
)
V.sends('thinking-effort', {'reasoning_effort': 'low'}, model='deepseek-r1', note='Models that stead knows to think.')
V.lacks('cost', why='Nobody knows the price of your own machine.')
