"""Google's models and providers by their old names."""

from __future__ import annotations

import json
import os
from typing import Any

import httpx
import pytest
from kit_google import body_of, text

from stead import Agent, UserError


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('google.genai', reason='the SDK google-genai is not installed')
    for name in ('GOOGLE_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL'):
        monkeypatch.delenv(name, raising=False)


def answering(requests: list[httpx.Request]) -> httpx.AsyncClient:
    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json=body_of(text('hello')))

    return httpx.AsyncClient(transport=httpx.MockTransport(respond))


def test_the_model_takes_settings_by_their_old_names() -> None:
    from stead.models.gemini import GeminiModel, GeminiModelSettings
    from stead.providers.google_gla import GoogleGLAProvider

    requests: list[httpx.Request] = []
    with pytest.warns(DeprecationWarning, match='GoogleProvider'):
        provider = GoogleGLAProvider('key', http_client=answering(requests))
    settings = GeminiModelSettings(
        gemini_safety_settings=[{'category': 'HARM_CATEGORY_HARASSMENT', 'threshold': 'OFF'}],
        gemini_thinking_config={'include_thoughts': True, 'thinking_budget': 7},
        temperature=0.5,
    )
    with pytest.warns(DeprecationWarning, match='GoogleModel'):
        model = GeminiModel('gemini-2.5-flash', provider=provider, settings=settings)
    assert (model.system, provider.base_url) == ('google-gla', 'https://generativelanguage.googleapis.com/')
    assert Agent(model).run_sync('hi').output == 'hello'
    body: dict[str, Any] = json.loads(requests[0].content)
    assert body['safetySettings'] == [{'category': 'HARM_CATEGORY_HARASSMENT', 'threshold': 'OFF'}]
    assert body['generationConfig']['thinkingConfig'] == {'include_thoughts': True, 'thinking_budget': 7}
    assert body['generationConfig']['temperature'] == 0.5
    assert requests[0].headers['x-goog-api-key'] == 'key'


def test_the_model_finds_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from stead.models.gemini import GeminiModel

    with pytest.warns(DeprecationWarning), pytest.raises(UserError, match='GOOGLE_API_KEY'):
        GeminiModel('gemini-2.5-flash')
    monkeypatch.setitem(os.environ, 'GEMINI_API_KEY', 'k')
    with pytest.warns(DeprecationWarning):
        model = GeminiModel('gemini-2.5-flash')
    assert model.model_name == 'gemini-2.5-flash'


def service_account() -> dict[str, str]:
    rsa = pytest.importorskip('cryptography.hazmat.primitives.asymmetric.rsa')
    from cryptography.hazmat.primitives import serialization

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {
        'type': 'service_account',
        'project_id': 'of-the-account',
        'private_key': pem.decode(),
        'client_email': 'robot@example.com',
        'token_uri': 'https://oauth2.googleapis.com/token',
    }


def test_service_accounts_are_read_from_data_and_from_files(tmp_path: Any) -> None:
    from stead.providers.google_vertex import GoogleVertexProvider

    info = service_account()
    file = tmp_path / 'account.json'
    file.write_text(json.dumps(info), encoding='utf-8')
    with pytest.warns(DeprecationWarning, match='GoogleCloudProvider'):
        by_info = GoogleVertexProvider(service_account_info=info, region='europe-west1')
        by_file = GoogleVertexProvider(service_account_file=file, project_id='mine')
    assert (by_info.name, by_info.base_url) == ('google-vertex', 'https://europe-west1-aiplatform.googleapis.com/')
    clients: list[Any] = [provider.client for provider in (by_info, by_file)]
    assert [client._api_client.project for client in clients] == ['of-the-account', 'mine']
    with pytest.warns(DeprecationWarning), pytest.raises(UserError, match='only one'):
        GoogleVertexProvider(service_account_info=info, service_account_file=file)
    with pytest.warns(DeprecationWarning), pytest.raises(UserError, match='meta'):
        GoogleVertexProvider(project_id='mine', model_publisher='meta')
