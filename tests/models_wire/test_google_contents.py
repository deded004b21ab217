"""Contents that stead converts itself have the form that Google's SDK gives them, on both of Google's APIs."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest

genai = pytest.importorskip('google.genai', reason='the SDK google-genai is not installed')

from google.auth.credentials import AnonymousCredentials
from google.genai.models import AsyncModels

from stead.models.google._contents import write_content

VALUES: Any = [None, True, 1, 2.5, 'ü\u2028', [], {}, [None, [[1]], {'b_c': None, '_url': [{}]}]]
OBJECT = {f'snake_case_{number}': value for number, value in enumerate(VALUES)}
CALL = {'id': 'c', 'args': OBJECT, 'name': 'tool'}
RESULT = {'id': 'c', 'name': 'tool', 'response': OBJECT}
PLAIN: dict[str, list[Any]] = {
    'texts': [{'text': ''}, {'text': 'a\n"ü\u2028'}],
    'thinking': [{'text': 'so', 'thought': True, 'thought_signature': b'\xff\xfe\x00a'}],
    'calls': [{'function_call': CALL, 'thought_signature': b'signed'}, {'function_call': {**CALL, 'args': {}}}],
    'results': [{'function_response': RESULT}, {'function_response': {**RESULT, 'response': {}}}, {'text': 'b'}],
}
OTHERS: dict[str, Any] = {
    'a file': {'inline_data': {'data': b'a', 'mime_type': 'image/png'}},
    'a link': {'file_data': {'file_uri': 'https://example.com/a', 'mime_type': 'image/png'}},
    'code': {'executable_code': {'code': '1', 'language': 'PYTHON'}},
    'a native call': {'tool_call': {'id': 'c', 'tool_type': 'URL_CONTEXT', 'args': {}}},
    'a result with files': {'function_response': {**RESULT, 'parts': []}},
    'bytes in a result': {'function_response': {**RESULT, 'response': {'a': [b'a']}}},
    'a time in arguments': {'function_call': {**CALL, 'args': {'a': datetime(2020, 1, 1)}}},
    'arguments with other keys': {'function_call': {**CALL, 'args': {1: 2}}},
    'a name that is none': {'function_call': {**CALL, 'name': None}},
    'a text that is none': {'text': 5},
    'a number without a JSON form': {'function_call': {**CALL, 'args': {'a': float('nan')}}},
    'half a character': {'text': '\ud800'},
}


class Noting:
    """An API client that keeps the body of a request, and sends nothing."""

    def __init__(self, api: Any) -> None:
        self.api = api

    def __getattr__(self, name: str) -> Any:
        return getattr(self.api, name)

    async def async_request(self, method: str, path: str, body: Any, options: Any = None) -> None:
        self.body = body
        raise InterruptedError


def converted_by_sdk(content: Any, *, cloud: bool) -> Any:
    options: Any = {'api_key': 'key'}
    if cloud:
        credentials: Any = AnonymousCredentials()
        options = {'vertexai': True, 'project': 'p', 'location': 'l', 'credentials': credentials}
    api = Noting(genai.Client(**options)._api_client)
    with pytest.raises(InterruptedError):
        asyncio.run(AsyncModels(api).generate_content(model='gemini-2.5-flash', contents=[content]))
    return api.body['contents'][0]


@pytest.mark.parametrize('cloud', [False, True], ids=['gemini', 'cloud'])
@pytest.mark.parametrize('name', PLAIN)
def test_plain_contents_are_what_the_sdk_makes_of_them(name: str, cloud: bool) -> None:
    content = {'role': 'model' if name in ('thinking', 'calls') else 'user', 'parts': PLAIN[name]}
    ours = write_content(content)
    assert ours is not None
    assert json.dumps(json.loads(ours)) == json.dumps(converted_by_sdk(content, cloud=cloud))


@pytest.mark.parametrize('name', OTHERS)
def test_other_contents_are_left_to_the_sdk(name: str) -> None:
    assert write_content({'role': 'user', 'parts': [{'text': 'see'}, OTHERS[name]]}) is None
