"""What the vendors' own settings of 2.x become in requests."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import pytest
from _in_process import COMPLETION, InProcess, anthropic, chat, groq, http_of, responses

from stead.messages import ModelRequest, UserPromptPart
from stead.models import ModelRequestParameters
from stead.native_tools import WebFetchTool, WebSearchTool


def cerebras() -> tuple[Any, InProcess]:
    wire = InProcess(http_of('openai'), COMPLETION)
    from stead.models.cerebras import CerebrasModel
    from stead.providers.cerebras import CerebrasProvider

    return CerebrasModel('zai-glm-4.6', provider=CerebrasProvider(api_key='k', http_client=wire.client())), wire


def sent_by(build: Any, settings: dict[str, Any], native: Any) -> dict[str, Any]:
    model, wire = build()
    params = ModelRequestParameters(native_tools=native)
    asyncio.run(model.request([ModelRequest(parts=[UserPromptPart('q')])], settings, params))
    return json.loads(wire.sent[0])


@pytest.mark.parametrize('wire', ['auto', 'sdk'])
@pytest.mark.parametrize(
    ('build', 'settings', 'sent'),
    [
        (chat, {'openai_text_verbosity': 'low'}, {'verbosity': 'low'}),
        (chat, {'openai_moderation': {'model': 'm'}}, {'moderation': {'model': 'm'}}),
        (chat, {'openai_prompt_cache_options': {'mode': 'explicit'}}, {'prompt_cache_options': {'mode': 'explicit'}}),
        (responses, {'openai_moderation': {'model': 'm'}}, {'moderation': {'model': 'm'}}),
        (responses, {'openai_text_verbosity': 'low'}, {'text': {'verbosity': 'low'}}),
        (responses, {'openai_prompt_cache_options': {'ttl': '30m'}}, {'prompt_cache_options': {'ttl': '30m'}}),
        (cerebras, {'cerebras_clear_thinking': True}, {'clear_thinking': True}),
        (
            cerebras,
            {'cerebras_clear_thinking': False, 'cerebras_disable_reasoning': True},
            {'clear_thinking': False, 'disable_reasoning': True},
        ),
        (groq, {'groq_reasoning_effort': 'low'}, {'reasoning_effort': 'low'}),
    ],
)
def test_settings_become_fields(build: Any, settings: dict[str, Any], sent: dict[str, Any], wire: str) -> None:
    if wire == 'sdk' and build is chat:
        completions = pytest.importorskip('openai.resources.chat.completions')
        if not sent.keys() <= inspect.signature(completions.AsyncCompletions.create).parameters.keys():
            pytest.skip('this SDK does not know the parameter')
    body = sent_by(build, {**settings, 'wire': wire}, [])
    assert {name: body.get(name) for name in sent} == sent


def test_code_may_call_the_tools_of_the_web() -> None:
    settings = {'anthropic_web_tools_allowed_callers': ['code_execution_20260120']}
    body = sent_by(anthropic, settings, [WebSearchTool(), WebFetchTool()])
    assert [(tool['type'], tool['allowed_callers']) for tool in body['tools']] == [
        ('web_search_20260209', ['code_execution_20260120']),
        ('web_fetch_20260209', ['code_execution_20260120']),
    ]
    assert all('allowed_callers' not in tool for tool in sent_by(anthropic, {}, [WebSearchTool()])['tools'])
