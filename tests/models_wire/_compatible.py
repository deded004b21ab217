"""Cerebras, Ollama and OpenRouter, for cases that both implementations run; see `record.py`."""

from __future__ import annotations

from typing import Any

import _vocabulary as vocabulary
import openai
from _facts import facts
from _vocabulary import SCHEMA
from _wire import Wire, as_json, as_sse

from stead.models.cerebras import CerebrasModel
from stead.models.ollama import OllamaModel
from stead.models.openrouter import OpenRouterModel
from stead.output import OutputObjectDefinition
from stead.providers.cerebras import CerebrasProvider
from stead.providers.ollama import OllamaProvider
from stead.providers.openrouter import OpenRouterProvider
from stead.tools import ToolDefinition

PROVIDERS: dict[str, Any] = {
    'or': (OpenRouterModel, OpenRouterProvider, 'openai/gpt-4o'),
    'ce': (CerebrasModel, CerebrasProvider, 'gpt-oss-120b'),
    'ol': (OllamaModel, OllamaProvider, 'llama3.2'),
}
STRICT_TOOL = ToolDefinition(name='t3', description='d3', parameters_json_schema=SCHEMA, strict=True)
CITY = OutputObjectDefinition(json_schema=SCHEMA, name='city', description='A city', strict=True)


def completion(message: Any = None, finish: Any = 'stop', choice: Any = None, **fields: Any) -> dict[str, Any]:
    message = {'role': 'assistant', 'content': 'hi'} if message is None else message
    return {
        'id': 'gen-1',
        'object': 'chat.completion',
        'created': 1700000000,
        'model': 'openai/gpt-4o-2024',
        'provider': 'OpenAI',
        'choices': [
            {
                'index': 0,
                'message': message,
                'finish_reason': finish,
                'native_finish_reason': 'completed',
                'logprobs': None,
                **(choice or {}),
            }
        ],
        'usage': {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15},
        **fields,
    }


def chunk(delta: Any = None, finish: Any = None, choice: Any = None, **fields: Any) -> dict[str, Any]:
    choices = [
        {
            'index': 0,
            'delta': {} if delta is None else delta,
            'finish_reason': finish,
            'native_finish_reason': finish and f'native-{finish}',
            **(choice or {}),
        }
    ]
    head = {'id': 'gen-1', 'object': 'chat.completion.chunk', 'created': 1700000000, 'model': 'openai/gpt-4o'}
    return {**head, 'provider': 'OpenAI', 'choices': choices, **fields}


class Cases(vocabulary.Cases):
    """Cases by name, which begins with the key of the provider; one that streams has `_s_` after it."""

    def __init__(self) -> None:
        super().__init__(reply=lambda: as_json(completion()))

    def stream(self, name: str, *events: Any, **options: Any) -> None:
        provider_key, _, rest = name.partition('_')
        self.add(f'{provider_key}_s_{rest}', reply=as_sse(events), **options)

    async def run(self, name: str, wire: Wire, client: openai.AsyncOpenAI) -> dict[str, Any]:
        messages, params, settings, model_name, reply, *_ = self[name]
        wire.expect(reply)
        cls, provider, default = PROVIDERS[name[:2]]
        model = cls(model_name or default, provider=provider(openai_client=client))
        found = await facts(model, wire, messages, params, settings, stream=name[2:].startswith('_s_'))
        if isinstance(result := found['result'], dict):  # some providers there do not say where a client of yours goes
            result.get('response', result).pop('provider_url')
        return found


def client_of(wire: Wire) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=wire.url, api_key='k', max_retries=0)
