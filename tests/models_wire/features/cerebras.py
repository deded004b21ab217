"""Cerebras: chat completions."""

from __future__ import annotations

from stead.exceptions import UserError

from ._match import ABSENT
from ._table import REQUEST, Vendor
from .openai_chat import VENDOR as CHAT, add_compatible_rows, chat_provider

PICKY = 'llama-3.3-70b'

VENDOR: Vendor = CHAT.like(
    'cerebras',
    'Cerebras',
    '`CerebrasModel`: chat completions. The marks say what stead sends and reads; its servers may not take all of it.',
    model='gpt-oss-120b',
    **chat_provider('cerebras', 'CerebrasProvider', 'CerebrasModel'),
)
add_compatible_rows(VENDOR)

VENDOR.ignores('parallel-setting', 'parallel_tool_calls')
UNABLE = "Some models, such as gpt-oss, cannot be held to that: `tool_choice` is a `UserError` then, and output tools go with `'auto'`."
VENDOR.sends('tool-choice-required', {'tool_choice': 'required'}, model=PICKY, note=UNABLE)
VENDOR.sends('tool-choice-required', error=UserError, match='cannot be made to call a tool')
ONE = {'type': 'function', 'function': {'name': 'double'}}
VENDOR.sends('tool-choice-one', {'tool_choice': ONE}, model=PICKY, note=UNABLE)
VENDOR.sends('tool-output', {'tool_choice': 'required'}, model=PICKY, note=UNABLE)
VENDOR.sends('tool-output', {'tool_choice': 'auto'})
VENDOR.lacks('web-search', REQUEST, error=UserError, match='native tool')
NO_SCHEMA = 'Some models, such as those of the llama family, have none; that is a `UserError`.'
FORM = {'type': 'json_schema', 'json_schema': {'name': 'City', 'strict': True}}
VENDOR.sends('native-output', {'response_format': FORM}, note=NO_SCHEMA)
VENDOR.sends('native-output', model=PICKY, error=UserError, match='native structured output')
VENDOR.sends(
    'thinking-effort', {'disable_reasoning': False, 'reasoning_effort': ABSENT}, note='On or off, but not how hard.'
)
VENDOR.sends('thinking-effort', {'disable_reasoning': True}, model='zai-glm-4.6', settings={'thinking': False})
VENDOR.ignores('presence-penalty', 'presence_penalty')
VENDOR.ignores('frequency-penalty', 'frequency_penalty')
VENDOR.ignores('logit-bias', 'logit_bias')
VENDOR.ignores('service-tier', 'service_tier')
