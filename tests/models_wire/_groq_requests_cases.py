"""Requests to Groq."""

from __future__ import annotations

from _groq_bodies import MODEL, completion
from _requests import REQUESTS
from _vocabulary import Cases

from stead.profiles import ModelProfile

cases = Cases(MODEL, completion)
case = cases.add
for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
NATIVE = (
    'output_native',
    'output_native_and_tool',
    'output_prompted',
    'output_prompted_and_tool',
    'output_tools',
    'tools',
)
for name in NATIVE:
    for model in ('moonshotai/kimi-k2-instruct-0905', 'openai/gpt-oss-120b', 'compound-beta'):
        case(f'{name}/{model}', *REQUESTS[name], model=model)
for name in ('native_web_search', 'system_later', 'plain'):
    case(f'{name}/compound', *REQUESTS[name], model='compound-beta')
for level in (True, False, 'high'):
    for model in ('qwen/qwen3-32b', 'deepseek-r1-distill-llama-70b', 'openai/gpt-oss-120b'):
        case(f'thinks_{level}/{model}', settings={'thinking': level}, model=model)
    case(f'thinks_{level}/able', settings={'thinking': level}, profile=ModelProfile(supports_thinking=True))
    case(
        f'thinks_{level}/raw',
        settings={'thinking': level, 'groq_reasoning_format': 'raw'},
        profile=ModelProfile(supports_thinking=True),
    )
for form in ('hidden', 'raw', 'parsed'):
    case(f'reasoning_{form}', settings={'groq_reasoning_format': form})
for tier in ('auto', 'default', 'flex', 'priority'):
    case(f'tier_{tier}', settings={'service_tier': tier})
