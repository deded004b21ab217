"""The table of `docs/thinking.md` is what requests have."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from _in_process import InProcess, http_of

from stead.messages import ModelRequest
from stead.models import ModelRequestParameters

PAGE = Path(__file__).parent.parent.parent / 'docs' / 'thinking.md'
LEVELS: dict[str, Any] = {
    'False': False,
    'True': True,
    **{f"'{name}'": name for name in ('minimal', 'low', 'high', 'xhigh')},
}


def effort_of_claude(body: dict[str, Any]) -> object:
    return body.get('output_config', {}).get('effort') or body.get('thinking', {}).get('type')


def of_gemini(field: str) -> Callable[[dict[str, Any]], object]:
    def read(body: dict[str, Any]) -> object:
        config = body['generationConfig'].get('thinkingConfig')
        return None if config is None else config.get(field, "model's own")

    return read


def of_cerebras(body: dict[str, Any]) -> object:
    return {True: 'off', False: 'on'}[body['disable_reasoning']]


# By the beginning of a row: SDK, provider, model class, name, and where a request has it.
ROWS: dict[str, tuple[str, str, str, str, Callable[[dict[str, Any]], object]]] = {
    'OpenAI `gpt-5`': ('openai', 'openai', 'OpenAIChatModel', 'gpt-5', lambda body: body.get('reasoning_effort')),
    'Anthropic `claude-sonnet-4-5`': (
        'anthropic', 'anthropic', 'AnthropicModel', 'claude-sonnet-4-5', lambda body: body.get('thinking', {}).get('budget_tokens')
    ),
    'Anthropic `claude-opus-4-6`': ('anthropic', 'anthropic', 'AnthropicModel', 'claude-opus-4-6', effort_of_claude),
    'Google `gemini-2.5-flash`': ('google.genai', 'google', 'GoogleModel', 'gemini-2.5-flash', of_gemini('thinking_budget')),
    'Google `gemini-3-pro-preview`': (
        'google.genai', 'google', 'GoogleModel', 'gemini-3-pro-preview', of_gemini('thinking_level')
    ),
    'OpenRouter': (
        'openai', 'openrouter', 'OpenRouterModel', 'anthropic/claude-sonnet-4.5', lambda body: body['reasoning']['effort']
    ),
    'Cohere `command-a-reasoning-08-2025`': (
        'cohere', 'cohere', 'CohereModel', 'command-a-reasoning-08-2025', lambda body: body.get('thinking', {}).get('type')
    ),
    'Cerebras `zai-glm-4.6`': ('openai', 'cerebras', 'CerebrasModel', 'zai-glm-4.6', of_cerebras),
}  # fmt: skip


def table() -> dict[str, list[str]]:
    """The rows of the page: what is in their first cell, and the others."""
    text = PAGE.read_text(encoding='utf-8').partition('<!-- thinking')[2].partition('\n## ')[0]
    lines = [
        [cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines() if line.startswith('|')
    ]
    head, _, *rows = lines
    assert [cell.strip('`') for cell in head[1:]] == [*LEVELS]
    return {re.sub(r':.*', '', row[0]): row[1:] for row in rows}


def test_the_page_has_these_rows() -> None:
    assert [*table()] == [*ROWS]


@pytest.mark.parametrize('row', ROWS)
def test_a_row_is_what_is_sent(row: str) -> None:
    sdk, provider, cls, name, read = ROWS[row]
    if sdk in ('google.genai', 'cohere'):
        pytest.importorskip(sdk, reason=f'the SDK {sdk} is not installed')
        http: Any = import_module('httpx')
    else:
        http = http_of(sdk)
    wire = InProcess(http, {})
    model_class = getattr(import_module(f'stead.models.{provider}'), cls)
    provider_class = next(
        value
        for key, value in vars(import_module(f'stead.providers.{provider}')).items()
        if key == f'{cls.removesuffix("ChatModel").removesuffix("Model")}Provider'
    )

    async def ask() -> list[object]:
        model = model_class(name, provider=provider_class(api_key='k', http_client=wire.client()))
        for level in LEVELS.values():
            with suppress(Exception):  # the answer is none of an API
                await model.request(
                    [ModelRequest.user_text_prompt('Hi')], {'thinking': level}, ModelRequestParameters()
                )
        return [read(json.loads(body)) for body in wire.sent]

    sent = asyncio.run(ask())
    assert ['-' if value is None else str(value) for value in sent] == table()[row]
