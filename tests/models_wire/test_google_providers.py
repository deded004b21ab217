"""Google's providers: keys, projects, addresses, old names, and the gateway."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from _wire import Wire
from kit_google import content, text

from stead import Agent, UserError
from stead.exceptions import ModelAPIError
from stead.messages import DocumentUrl
from stead.models import PydanticAIDeprecationWarning, infer_model
from stead.models.google import GoogleModel
from stead.providers import infer_provider, infer_provider_class
from stead.providers.gateway import gateway_provider
from stead.providers.google import GoogleProvider
from stead.providers.google_cloud import GoogleCloudProvider
from tests.loading import run_program

GEMINI = 'https://generativelanguage.googleapis.com/'
CLOUD = 'https://aiplatform.googleapis.com/'


@pytest.fixture(autouse=True)
def no_access(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    pytest.importorskip('google.genai', reason='the SDK google-genai is not installed')
    for name in ('GOOGLE_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'):
        monkeypatch.delenv(name, raising=False)
    for name in ('GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('CLOUDSDK_CONFIG', str(tmp_path))
    monkeypatch.setenv('NO_GCE_CHECK', 'true')


def token(value: str = 'tok') -> Any:
    from google.oauth2.credentials import Credentials

    return Credentials(token=value)  # type: ignore[no-untyped-call]


def sent(provider: Any, wire: Wire) -> Any:
    Agent(GoogleModel('gemini-2.5-flash', provider=provider)).run_sync('hi')
    return wire.requests[-1]


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match='GOOGLE_API_KEY'):
        infer_model('google:gemini-2.5-flash')
    with pytest.raises(UserError, match='no access to Google Cloud.*GOOGLE_API_KEY'):
        infer_model('google-cloud:gemini-2.5-flash')
    monkeypatch.setenv('GEMINI_API_KEY', 'k')
    for name, url in (('google', GEMINI), ('google-cloud', CLOUD)):
        model = infer_model(f'{name}:gemini-2.5-flash')
        assert isinstance(model, GoogleModel)
        assert (model.system, model.base_url, model.provider.name) == (name, url, name)
        assert model.model_id == f'{name}:gemini-2.5-flash'


def test_the_first_variable_goes_over_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GEMINI_API_KEY', 'second')
    with Wire(content(text('ok'))) as wire:
        assert sent(GoogleProvider(base_url=wire.url), wire).headers['x-goog-api-key'] == 'second'
        monkeypatch.setenv('GOOGLE_API_KEY', 'first')
        assert sent(GoogleProvider(base_url=wire.url), wire).headers['x-goog-api-key'] == 'first'


def test_google_cloud_is_asked_with_a_key_or_for_a_project(monkeypatch: pytest.MonkeyPatch) -> None:
    with Wire(content(text('ok'))) as wire:
        by_key = sent(GoogleCloudProvider(api_key='k', base_url=wire.url), wire)
        assert by_key.path.endswith('/publishers/google/models/gemini-2.5-flash:generateContent')
        assert by_key.headers['x-goog-api-key'] == 'k'
        monkeypatch.setenv('GOOGLE_API_KEY', 'of-no-use')
        provider = GoogleCloudProvider(project='p', credentials=token(), base_url=wire.url)
        by_project = sent(provider, wire)
        assert '/projects/p/locations/us-central1/' in by_project.path
        assert by_project.headers['authorization'] == 'Bearer tok'
        assert 'x-goog-api-key' not in by_project.headers
        monkeypatch.setenv('GOOGLE_CLOUD_PROJECT', 'q')
        monkeypatch.setenv('GOOGLE_CLOUD_LOCATION', 'europe-west1')
        by_environment = sent(GoogleCloudProvider(credentials=token(), base_url=wire.url), wire)
        assert '/projects/q/locations/europe-west1/' in by_environment.path


@pytest.mark.parametrize(
    ('location', 'url'), [('europe-west1', 'https://europe-west1-aiplatform.googleapis.com/'), ('global', CLOUD)]
)
def test_the_location_is_in_the_address(location: str, url: str) -> None:
    provider = GoogleCloudProvider(project='p', location=location, credentials=token())
    assert provider.base_url == url
    assert provider.client._api_client._http_options.base_url == url


def test_addresses_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert GoogleProvider(api_key='k', base_url='http://x/y').base_url == 'http://x/y'
    monkeypatch.setenv('GOOGLE_GEMINI_BASE_URL', 'http://gemini')
    monkeypatch.setenv('GOOGLE_VERTEX_BASE_URL', 'http://cloud')
    assert GoogleProvider(api_key='k').base_url == 'http://gemini'
    assert GoogleCloudProvider(api_key='k').base_url == 'http://cloud'


def test_old_names_still_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GOOGLE_API_KEY', 'k')
    for old, new in {'google-gla': 'google', 'google-vertex': 'google-cloud', 'vertexai': 'google-cloud'}.items():
        with pytest.warns(PydanticAIDeprecationWarning, match=f"use '{new}'"):
            assert infer_model(f'{old}:gemini-2.5-flash').system == new
        with pytest.warns(PydanticAIDeprecationWarning, match=old):
            assert infer_provider(old).name == new
        with pytest.warns(PydanticAIDeprecationWarning, match=old):
            assert infer_provider_class(old) is infer_provider_class(new)


def test_old_arguments_still_work() -> None:
    with Wire(content(text('ok'))) as wire:
        with pytest.warns(PydanticAIDeprecationWarning, match='use `GoogleCloudProvider'):
            provider = GoogleProvider(vertexai=True, api_key='k', base_url=wire.url)
        Agent(GoogleModel('gemini-2.5-flash', provider=provider)).run_sync([DocumentUrl('gs://b/a.pdf')])
        assert 'gs://b/a.pdf' in wire.bodies[0]['contents'][0]['parts'][0]['fileData'].values()
        assert provider.name == 'google'
        with pytest.warns(PydanticAIDeprecationWarning, match='leave it out'):
            GoogleProvider(vertexai=False, api_key='k')


def test_a_client_is_used_as_it_is() -> None:
    from google import genai

    with Wire(content(text('ok'))) as wire:
        client = genai.Client(api_key='sk-of-the-client', http_options={'base_url': wire.url})
        provider = GoogleProvider(client=client)
        assert provider.client is client
        assert provider.base_url == wire.url
        assert provider.secret == 'sk-of-the-client'
        on_cloud = genai.Client(vertexai=True, api_key='k', http_options={'base_url': wire.url})
        assert GoogleProvider(client=on_cloud).is_cloud


def test_an_http_client_is_used_and_left_open() -> None:
    import httpx

    async def main() -> None:
        with Wire(content(text('ok'))) as wire:
            async with httpx.AsyncClient(headers={'x-mine': 'yes'}) as client:
                provider = GoogleProvider(api_key='k', base_url=wire.url, http_client=client)
                async with provider:
                    await Agent(GoogleModel('gemini-2.5-flash', provider=provider)).run('hi')
                assert not client.is_closed
            assert wire.requests[0].headers['x-mine'] == 'yes'

    asyncio.run(main())


def test_access_that_google_refuses_is_an_error_of_the_model() -> None:
    from google.auth.exceptions import RefreshError
    from google.oauth2.credentials import Credentials

    class Refused(Credentials):
        def refresh(self, request: Any) -> None:
            raise RefreshError('the grant is gone')  # type: ignore[no-untyped-call]

    with Wire(content(text('ok'))) as wire:
        provider = GoogleCloudProvider(project='p', credentials=Refused(token=None), base_url=wire.url)  # type: ignore[no-untyped-call]
        with pytest.raises(ModelAPIError, match='denied access: the grant is gone'):
            Agent(GoogleModel('gemini-2.5-flash', provider=provider)).run_sync('hi')
        assert not wire.requests


def test_the_gateway_has_google_cloud() -> None:
    with Wire(content(text('ok'))) as wire:
        provider = gateway_provider('google-cloud', api_key='pylf_v1_us_secret', base_url=wire.url)
        request = sent(provider, wire)
        assert request.path.startswith('/google-vertex/')
        assert request.headers['authorization'] == 'Bearer pylf_v1_us_secret'


def test_models_are_known_without_the_sdk() -> None:
    program = (
        'import sys, stead.models.google, stead.providers.google_cloud; from stead.models import infer_model_profile; '
        'assert infer_model_profile("google:gemini-3-pro-preview").google_supports_thinking_level; '
        'assert "google.genai" not in sys.modules'
    )
    process = run_program(program)
    assert (process.returncode, process.stderr) == (0, '')
