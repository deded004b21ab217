"""What the vendors' own settings of 2.x become in requests."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from stead.exceptions import ModelAPIError
from stead.messages import ModelRequest, UserPromptPart
from stead.models import Model, ModelRequestParameters
from stead.native_tools import WebFetchTool, WebSearchTool


def chat(http: httpx.AsyncClient) -> Model:
    openai = pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openai import OpenAIChatModel
    from stead.providers.openai import OpenAIProvider

    return OpenAIChatModel(
        'gpt-4o', provider=OpenAIProvider(openai_client=openai.AsyncOpenAI(api_key='k', http_client=http))
    )


def responses(http: httpx.AsyncClient) -> Model:
    openai = pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openai import OpenAIResponsesModel
    from stead.providers.openai import OpenAIProvider

    return OpenAIResponsesModel(
        'gpt-4o', provider=OpenAIProvider(openai_client=openai.AsyncOpenAI(api_key='k', http_client=http))
    )


def cerebras(http: httpx.AsyncClient) -> Model:
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.cerebras import CerebrasModel
    from stead.providers.cerebras import CerebrasProvider

    return CerebrasModel('zai-glm-4.6', provider=CerebrasProvider(api_key='k', http_client=http))


def groq(http: httpx.AsyncClient) -> Model:
    pytest.importorskip('groq', reason='the SDK groq is not installed')
    from stead.models.groq import GroqModel
    from stead.providers.groq import GroqProvider

    return GroqModel('openai/gpt-oss-20b', provider=GroqProvider(api_key='k', http_client=http))


def anthropic(http: httpx.AsyncClient) -> Model:
    pytest.importorskip('anthropic', reason='the SDK anthropic is not installed')
    from stead.models.anthropic import AnthropicModel
    from stead.providers.anthropic import AnthropicProvider

    return AnthropicModel('claude-sonnet-4-6', provider=AnthropicProvider(api_key='k', http_client=http))


def sent_by(build: Callable[[httpx.AsyncClient], Model], settings: dict[str, Any], native: Any) -> dict[str, Any]:
    bodies: list[dict[str, Any]] = []
    # Newer SDKs take the clients of another package.
    library: Any = pytest.importorskip('httpx2') if build is anthropic else httpx

    def answer(request: Any) -> Any:
        bodies.append(json.loads(request.content))
        return library.Response(400, json={'error': {'message': 'enough'}})

    async def ask() -> None:
        model = build(library.AsyncClient(transport=library.MockTransport(answer)))
        params = ModelRequestParameters(native_tools=native)
        with pytest.raises(ModelAPIError):
            await model.request([ModelRequest(parts=[UserPromptPart('q')])], settings, params)  # type: ignore[arg-type]

    asyncio.run(ask())
    return bodies[0]


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
