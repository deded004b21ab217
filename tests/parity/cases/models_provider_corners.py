"""Providers: addresses and profiles of rare endpoints and names, limits of cache points, roles, and counts of nothing."""

# needs: openai
import asyncio
import warnings

import httpx
from _common import fact
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import CachePoint, DocumentUrl, ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.models.openrouter import OpenRouterModel
from pydantic_ai.profiles.openai import openai_model_profile
from pydantic_ai.providers.azure import AzureProvider
from pydantic_ai.providers.deepseek import DeepSeekProvider
from pydantic_ai.providers.gateway import gateway_provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openrouter import OpenRouterModelProfile, OpenRouterProvider
from pydantic_ai.tools import ToolDefinition

PLAIN = ModelRequestParameters()


def addresses():
    for endpoint in ('https://a.eastus.models.ai.azure.com', 'https://a.eastus.models.ai.azure.com/v1/'):
        provider = AzureProvider(azure_endpoint=endpoint, api_key='k')
        fact(endpoint, [provider.base_url, str(provider.client.base_url)])
    for region in ('us', 'eu', 'staging', 'stagingus', 'stagingeu', 'local'):
        fact(region, gateway_provider('openai', api_key=f'pylf_v1_{region}_a').base_url)


def profiles():
    for name in ('chat', 'reasoner', 'r1', 'v4-flash', 'v4-pro', 'v5'):
        profile = DeepSeekProvider.model_profile(f'deepseek-{name}')
        fact(name, [profile.openai_supports_tool_choice_required, profile.supports_thinking])
    for name in (
        '~anthropic/claude-sonnet-latest',
        '~google/gemini-pro-latest',
        '~openai/gpt-latest',
        '~foo/bar',
        '~anthropic/claude-sonnet-latest:free',
        'anthropic/claude-sonnet-4.5',
    ):
        profile = OpenRouterProvider.model_profile(name)
        caches = {key: value for key, value in vars(profile).items() if key.startswith('openrouter_')}
        fact(name, [profile.supports_json_schema_output, sorted(caches.items())])
    for name in ('5.2', '5.3', '5.3-codex', '5.3-codex-spark', '5.3-chat-latest', '5.4', '5.4-pro', '5.5', '5.6', '6'):
        fact(f'gpt-{name}', openai_model_profile(f'gpt-{name}').openai_supports_phase)
    for name, role in (('o3', None), ('o3', 'user'), ('o1-mini', 'developer')):
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            model = OpenAIChatModel(name, provider=OpenAIProvider(api_key='k'), system_prompt_role=role)
            fact(f'{name} {role}', [model.profile.openai_system_prompt_role, model.system_prompt_role])


def handle(request):
    if 'input_tokens' in str(request.url):
        return httpx.Response(200, json={'object': 'response.input_tokens', 'input_tokens': 3})
    message = {'role': 'assistant', 'content': 'hi'}
    choice = {'index': 0, 'message': message, 'finish_reason': 'stop', 'native_finish_reason': 'stop'}
    head = {'id': 'c', 'object': 'chat.completion', 'created': 1, 'model': 'm', 'provider': 'p'}
    usage = {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2}
    return httpx.Response(200, json={**head, 'choices': [choice], 'usage': usage})


async def outcome(awaitable):
    try:
        await awaitable
    except UserError:
        return 'UserError'
    return 'fine'


async def requests(client):
    tools = ModelRequestParameters(function_tools=[ToolDefinition(name='t')])
    messages = [ModelRequest(parts=[SystemPromptPart('s'), UserPromptPart(['a', CachePoint()])])]
    both = {'openrouter_cache_tool_definitions': True, 'openrouter_cache_instructions': True}
    for most in (0, 1, 2):
        profile = OpenRouterModelProfile(
            openrouter_supports_cache_control=True,
            openrouter_supports_tool_cache=True,
            openrouter_max_cache_points=most,
        )
        provider = OpenRouterProvider(api_key='k', http_client=client)
        model = OpenRouterModel('anthropic/claude-sonnet-4.5', provider=provider, profile=profile)
        for settings in ({}, {'openrouter_cache_tool_definitions': True}, both):
            fact(f'{most} points', [len(settings), await outcome(model.request(messages, dict(settings), tools))])
    azure = AzureProvider(azure_endpoint='https://a.openai.azure.com', api_version='v', api_key='k', http_client=client)
    for name in ('pdf', 'docx'):
        document = [ModelRequest(parts=[UserPromptPart([DocumentUrl(f'https://example.invalid/a.{name}')])])]
        fact(name, await outcome(OpenAIChatModel('gpt-4o', provider=azure).request(document, None, PLAIN)))
    model = OpenAIResponsesModel('gpt-5', provider=OpenAIProvider(api_key='k', http_client=client))
    for messages in ([], [ModelRequest(parts=[UserPromptPart('a')])]):
        for settings in (None, {'openai_previous_response_id': 'r'}, {'openai_conversation_id': 'c'}):
            fact('counted', await outcome(model.count_tokens(messages, settings, PLAIN)))


async def main():
    async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as client:
        await requests(client)


addresses()
profiles()
asyncio.run(main())
