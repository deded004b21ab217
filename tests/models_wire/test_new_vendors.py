"""Vendors behind an OpenAI-compatible API that 2.x has: how they are found, where they send, and what their settings become."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

import openai
import pytest
from _in_process import COMPLETION, InProcess, http_of

from stead import UserError
from stead.messages import ModelRequest, UserPromptPart
from stead.models import Model, ModelRequestParameters, infer_model, infer_model_profile
from stead.models.openai import OpenAIChatModel
from stead.models.snowflake import SnowflakeModel
from stead.models.zai import ZaiModel
from stead.providers import infer_provider
from stead.providers.openai_compatible import OpenAICompatibleProvider
from stead.providers.snowflake import SnowflakeModelProfile, SnowflakeProvider
from stead.providers.vllm import VLLMProvider
from stead.providers.zai import ZaiProvider


def sent_by(build: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the body that a model sends, without its messages."""
    wire = InProcess(http_of('openai'), COMPLETION)
    model: Model = build(openai.AsyncOpenAI(api_key='k', base_url='http://there/v1', http_client=wire.client()))
    asyncio.run(model.request([ModelRequest(parts=[UserPromptPart('q')])], settings, ModelRequestParameters()))  # type: ignore[arg-type]
    body = json.loads(wire.sent[0])
    return {name: value for name, value in body.items() if name not in ('messages', 'stream', 'model')}


NAMES = {
    'crusoe:zai-org/GLM-5.3': ('CrusoeModel', 'https://api.inference.crusoecloud.com/v1/'),
    'meta:muse-spark-1.3': ('OpenAIResponsesModel', 'https://api.meta.ai/v1/'),
    'snowflake:claude-sonnet-4-6': ('SnowflakeModel', 'https://acc.snowflakecomputing.com/api/v2/cortex/v1/'),
    'vllm:Qwen/Qwen3-8B': ('OpenAIChatModel', 'http://here:8000/v1/'),
}
VARIABLES = {
    'CRUSOE_API_KEY': 'k',
    'META_API_KEY': 'k',
    'SNOWFLAKE_ACCOUNT': 'acc',
    'SNOWFLAKE_TOKEN': 'k',
    'VLLM_BASE_URL': 'http://here:8000/v1',
}


@pytest.mark.parametrize('name', NAMES)
def test_models_are_found_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in VARIABLES.items():
        monkeypatch.setenv(variable, value)
    model: Any = infer_model(name)
    assert (type(model).__name__, model.base_url) == NAMES[name]
    assert model.system == name.partition(':')[0]
    assert infer_model_profile(name).json_schema_transformer is not None


@pytest.mark.parametrize('name', ['crusoe', 'meta', 'snowflake', 'vllm'])
def test_what_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(UserError, match=name.upper()):
        infer_provider(name)


@pytest.mark.parametrize('account', ['acc', 'acc.snowflakecomputing.com', 'https://acc.snowflakecomputing.com/'])
def test_an_account_is_a_name_or_an_address(account: str) -> None:
    provider = SnowflakeProvider(account=account, token='t')
    assert provider.base_url == 'https://acc.snowflakecomputing.com/api/v2/cortex/v1'


@pytest.mark.parametrize(
    ('name', 'settings', 'sent'),
    [
        ('glm-4.7', {}, {'thinking': {'clear_thinking': False}}),
        ('glm-4.7', {'zai_clear_thinking': True}, {'thinking': {'clear_thinking': True}}),
        ('glm-4.7', {'thinking': 'high'}, {'thinking': {'clear_thinking': False, 'type': 'enabled'}}),
        ('glm-4.7', {'thinking': False}, {'thinking': {'clear_thinking': False, 'type': 'disabled'}}),
        ('glm-5.3', {'thinking': True}, {'thinking': {'clear_thinking': False, 'type': 'enabled'}}),
        (
            'glm-5.3',
            {'thinking': 'xhigh'},
            {'thinking': {'clear_thinking': False, 'type': 'enabled'}, 'reasoning_effort': 'max'},
        ),
        (
            'glm-5.3',
            {'thinking': False},
            {'thinking': {'clear_thinking': False, 'type': 'enabled'}, 'reasoning_effort': 'low'},
        ),
    ],
)
def test_thinking_of_zai(name: str, settings: dict[str, Any], sent: dict[str, Any]) -> None:
    assert sent_by(lambda client: ZaiModel(name, provider=ZaiProvider(openai_client=client)), settings) == sent


@pytest.mark.parametrize(
    ('name', 'settings', 'sent'),
    [
        ('claude-sonnet-4-6', {}, {}),
        ('claude-sonnet-4-6', {'thinking': True}, {'reasoning': {'effort': 'medium'}, 'temperature': 1}),
        ('claude-sonnet-4-6', {'thinking': 'xhigh'}, {'reasoning': {'effort': 'high'}, 'temperature': 1}),
        ('claude-sonnet-4-6', {'thinking': False}, {}),
        (
            'claude-sonnet-4-6',
            {'snowflake_reasoning': {'max_tokens': 2000}, 'thinking': True},
            {'reasoning': {'max_tokens': 2000}, 'temperature': 1},
        ),
        ('llama3.3-70b', {'thinking': True}, {}),
        ('llama3.3-70b', {'snowflake_reasoning': {'effort': 'low'}}, {'reasoning': {'effort': 'low'}}),
        ('openai-gpt-5.6-sol', {'thinking': 'high'}, {'reasoning_effort': 'high'}),
    ],
)
def test_thinking_of_snowflake(name: str, settings: dict[str, Any], sent: dict[str, Any]) -> None:
    def build(client: openai.AsyncOpenAI) -> Model:
        return SnowflakeModel(name, provider=SnowflakeProvider(openai_client=client))

    assert sent_by(build, settings) == sent


@pytest.mark.parametrize(
    ('name', 'fields', 'sent'),
    [
        ('claude-sonnet-4-6', {'snowflake_supports_reasoning': False}, {'reasoning_effort': 'high'}),
        (
            'claude-sonnet-4-6',
            {'snowflake_reasoning_requires_temperature_1': False},
            {'reasoning': {'effort': 'high'}},
        ),
        ('openai-gpt-5.6-sol', {'snowflake_supports_reasoning': True}, {'reasoning': {'effort': 'high'}}),
    ],
)
def test_profiles_say_how_models_of_snowflake_think(name: str, fields: dict[str, Any], sent: dict[str, Any]) -> None:
    def build(client: openai.AsyncOpenAI) -> Model:
        known = SnowflakeModelProfile.from_profile(SnowflakeProvider.model_profile(name))
        return SnowflakeModel(
            name, provider=SnowflakeProvider(openai_client=client), profile=dataclasses.replace(known, **fields)
        )

    assert sent_by(build, {'thinking': 'high'}) == sent


def test_a_server_has_a_name_of_its_own() -> None:
    provider = OpenAICompatibleProvider(
        'house', base_url='http://here/v1', canonical_system='deepseek', compatible_systems=['moonshotai']
    )
    model = OpenAIChatModel('gpt-5', provider=provider)
    assert (model.system, model.canonical_system, model.compatible_systems) == (
        'house',
        'deepseek',
        frozenset({'moonshotai'}),
    )
    assert model.profile.supports_thinking
    with pytest.raises(UserError, match="no URL for 'house'"):
        OpenAICompatibleProvider('house')


def test_a_server_may_say_what_its_models_can_do() -> None:
    from stead.profiles import ModelProfile

    for profile in (ModelProfile(supports_tools=False), lambda name: ModelProfile(supports_tools=False)):  # type: ignore[reportUnknownLambdaType]
        provider = OpenAICompatibleProvider('house', base_url='http://here/v1', profile=profile)
        assert not OpenAIChatModel('m', provider=provider).profile.supports_tools


def test_a_key_is_only_needed_where_the_server_wants_one() -> None:
    assert VLLMProvider(base_url='http://here:8000/v1').secret == 'api-key-not-set'
