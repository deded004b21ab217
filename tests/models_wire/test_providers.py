"""Providers: addresses, keys, what is missing, and what is known about models."""

from __future__ import annotations

from typing import Any

import pytest

from stead.exceptions import UserError
from stead.models import infer_model, infer_model_profile
from stead.models.openai import OpenAIChatModel, OpenAIModel
from stead.native_tools import WebSearchTool
from stead.providers import PROVIDERS, infer_provider, infer_provider_class
from stead.providers.azure import AzureProvider
from stead.providers.heroku import HerokuProvider
from stead.providers.litellm import LiteLLMProvider
from stead.providers.ollama import OllamaProvider
from stead.providers.openai import OpenAIProvider
from stead.providers.openrouter import OpenRouterProvider
from tests.loading import run_program

# The URL of each provider and the variable that has its key.
COMPATIBLE = {
    'openai': ('https://api.openai.com/v1/', 'OPENAI_API_KEY'),
    'alibaba': ('https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'ALIBABA_API_KEY'),
    'cerebras': ('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
    'deepseek': ('https://api.deepseek.com', 'DEEPSEEK_API_KEY'),
    'fireworks': ('https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
    'github': ('https://models.github.ai/inference', 'GITHUB_API_KEY'),
    'grok': ('https://api.x.ai/v1', 'GROK_API_KEY'),
    'heroku': ('https://us.inference.heroku.com/v1', 'HEROKU_INFERENCE_KEY'),
    'moonshotai': ('https://api.moonshot.ai/v1', 'MOONSHOTAI_API_KEY'),
    'nebius': ('https://api.studio.nebius.com/v1', 'NEBIUS_API_KEY'),
    'openrouter': ('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
    'ovhcloud': ('https://oai.endpoints.kepler.ai.cloud.ovh.net/v1', 'OVHCLOUD_API_KEY'),
    'sambanova': ('https://api.sambanova.ai/v1', 'SAMBANOVA_API_KEY'),
    'together': ('https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
    'vercel': ('https://ai-gateway.vercel.sh/v1', 'VERCEL_OIDC_TOKEN'),
    'zai': ('https://api.z.ai/api/paas/v4', 'ZAI_API_KEY'),
}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    for _, variable in COMPATIBLE.values():
        monkeypatch.delenv(variable, raising=False)
    for variable in ('OPENAI_BASE_URL', 'OLLAMA_BASE_URL', 'AZURE_OPENAI_ENDPOINT', 'OPENAI_API_VERSION'):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.filterwarnings('ignore:`GrokProvider` is an old name:DeprecationWarning')
@pytest.mark.parametrize('name', COMPATIBLE)
def test_a_missing_key_names_the_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url, variable = COMPATIBLE[name]
    with pytest.raises(UserError, match=variable):
        infer_provider(name)
    monkeypatch.setenv(variable, 'k')
    provider = infer_provider(name)
    assert (provider.name, provider.base_url) == (name, url)
    model = infer_model(f'{name}:vendor/some-model')
    assert isinstance(model, OpenAIChatModel)
    assert (model.system, model.model_name, model.base_url) == (
        name,
        'vendor/some-model',
        url.rstrip('/') + '/' * (name != 'deepseek'),
    )
    assert model.client.api_key == 'k'


def test_every_provider_has_a_class() -> None:
    assert {*COMPATIBLE} <= {*PROVIDERS}
    for name in PROVIDERS:
        assert infer_provider_class(name).__name__.endswith('Provider')
    with pytest.raises(ValueError, match="Unknown provider: 'nope'.*'openai'"):
        infer_provider_class('nope')


def test_servers_of_ones_own_need_no_key() -> None:
    assert OpenAIProvider(base_url='http://localhost:1/v1').client.api_key == 'api-key-not-set'
    assert LiteLLMProvider(api_base='http://localhost:2').client.base_url.host == 'localhost'
    assert OllamaProvider(base_url='http://localhost:3/v1').base_url == 'http://localhost:3/v1'
    with pytest.raises(UserError, match='OLLAMA_BASE_URL'):
        OllamaProvider()
    assert HerokuProvider(base_url='http://localhost:4/', api_key='k').base_url == 'http://localhost:4/v1'


def test_azure_wants_an_endpoint_and_a_version() -> None:
    with pytest.raises(UserError, match='AZURE_OPENAI_ENDPOINT'):
        AzureProvider(api_key='k')
    with pytest.raises(UserError, match='OPENAI_API_VERSION'):
        AzureProvider(azure_endpoint='https://a.example', api_key='k')
    with pytest.raises(UserError, match='has no API versions'):
        AzureProvider(azure_endpoint='https://a.example/openai/v1', api_version='1', api_key='k')
    versioned = AzureProvider(azure_endpoint='https://a.example', api_version='2024-06-01', api_key='k')
    assert type(versioned.client).__name__ == 'AsyncAzureOpenAI'
    assert str(versioned.client.base_url) == versioned.base_url == 'https://a.example/openai/'
    plain = AzureProvider(azure_endpoint='https://a.example/openai/v1', api_key='k')
    assert type(plain.client).__name__ == 'AsyncOpenAI'


def test_openrouter_is_told_about_the_application() -> None:
    client = OpenRouterProvider(api_key='k', app_url='https://me.example', app_title='Mine').client
    assert client.default_headers['HTTP-Referer'] == 'https://me.example'
    assert client.default_headers['X-Title'] == 'Mine'


def test_a_client_is_used_as_it_is() -> None:
    import openai

    client = openai.AsyncOpenAI(api_key='k', base_url='http://localhost:5/v1')
    provider = OpenAIProvider(openai_client=client)
    assert provider.client is client
    assert provider.base_url == 'http://localhost:5/v1/'
    with pytest.raises(UserError, match='`api_key` and `http_client`.*not both'):
        OpenAIProvider(openai_client=client, api_key='k')


def test_profiles_follow_the_family() -> None:
    assert infer_model_profile('openai:gpt-5').thinking_always_enabled
    assert infer_model_profile('deepseek:deepseek-reasoner').supports_thinking
    assert infer_model_profile('groq:anything').supports_tools
    llama = infer_model_profile('together:meta-llama/Llama-3.3')
    assert llama.json_schema_transformer is not None
    assert llama.json_schema_transformer.__name__ == 'InlineDefsJsonSchemaTransformer'


def test_web_search_is_for_the_models_that_have_it() -> None:
    provider = OpenAIProvider(api_key='k')
    assert WebSearchTool not in OpenAIChatModel('gpt-4o', provider=provider).profile.supported_native_tools
    assert WebSearchTool in OpenAIChatModel('gpt-4o-search-preview', provider=provider).profile.supported_native_tools


def test_old_names_warn() -> None:
    with pytest.warns(DeprecationWarning, match='OpenAIChatModel'):
        OpenAIModel('gpt-4o', provider=OpenAIProvider(api_key='k'))


def test_a_provider_may_be_made_by_the_caller() -> None:
    names: list[str] = []

    def make(name: str) -> Any:
        names.append(name)
        return OpenAIProvider(api_key='k')

    assert infer_model('together:a/b', provider_factory=make).system == 'openai'
    assert names == ['together']


def run_python(code: str) -> str:
    process = run_program(code)
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_a_vendor_is_loaded_with_its_model_and_without_the_types_of_its_api() -> None:
    """The types of all endpoints take most of the time, and a request does not need them."""
    code = (
        'import sys, stead; stead.Agent; import stead.models.openai, stead.providers.openai\n'
        "print(sorted({'openai', 'anthropic', 'httpx', 'httpx2'} & {*sys.modules}))\n"
        "stead.models.openai.OpenAIChatModel('gpt-4o', provider=stead.providers.openai.OpenAIProvider(api_key='k'))\n"
        "print('openai' in sys.modules, 'openai.resources.chat.completions' in sys.modules, 'anthropic' in sys.modules)"
    )
    assert run_python(code) == '[]\nTrue False False\n'


def test_a_missing_sdk_names_the_extra() -> None:
    code = (
        'import importlib.util as u, sys\n'
        "find = u.find_spec; u.find_spec = lambda name, *a: None if name == 'openai' else find(name, *a)\n"
        'import stead\n'
        "try:\n    stead.Agent('openai:gpt-4o')\nexcept ImportError as error:\n    print(error)"
    )
    assert 'pip install "stead[openai]"' in run_python(code)


@pytest.mark.parametrize(
    ('endpoint', 'version'), [('https://a.example', '2025-01-01'), ('https://a.example/openai/v1/', None)]
)
def test_a_provider_of_azure_says_where_it_is_and_what_its_key_is(endpoint: str, version: str | None) -> None:
    provider = AzureProvider(azure_endpoint=endpoint, api_version=version, api_key='k')
    assert (provider.azure_endpoint, provider.api_key) == (endpoint.rstrip('/'), 'k')
    same = AzureProvider(openai_client=provider.client)
    assert (same.azure_endpoint, same.api_key) == (endpoint.rstrip('/'), 'k')
