"""Requests to Google and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import re
from typing import Any

import _google_answers_cases as answers
import _google_history_cases as history
import _google_requests_cases as requests
import httpx
from _facts import facts
from _vocabulary import Case, Cases
from _wire import Wire
from google import genai

from stead.models.google import GoogleModel
from stead.providers.google import GoogleProvider
from stead.providers.google_cloud import GoogleCloudProvider

cases = Cases()
cases.join(requests.cases, history.cases, answers.cases)

# What is better here than there: names of tools that the request does not have are left out; metadata for other vendors is
# left out; fields of the body can be added; Google Cloud is not sent a flag that it does not know; parts and tools that
# no one knows yet are left out; streams tell what an answer is founded on; streams that end too early are errors. What would download something is tested elsewhere.
BETTER = (
    r'(three_)?choice_all|(cloud_)?settings_more|set_(three_)?labels|(cloud_)?image_bytes_detail|media_(cloud_)?(image|video)_resolution|set_(cloud_|three_)?body'
    r'|nt_cloud_three_(search.*|fetch)_tools|said_(three_)?image|._(file_data|server_other|unknown_part|empty_part)'
    r'|s_server_fetch|s_(grounded|files).*|s_fetched_.*|s_server_grounded|(three_)?returned_link|(image|pdf|text|audio|video)_link|image_detail|media_(cloud_)?file_api_forced'
)
for name in [name for name in cases if re.fullmatch(BETTER, name)]:
    del cases[name]


def alike(value: Any, key: str = '') -> Any:
    """Return a body as all releases of the SDK would send it: with one style of names, and of base64."""
    if isinstance(value, dict):
        return {_camel(name): alike(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return sorted(value) if key == 'allowedFunctionNames' else [alike(item) for item in value]
    return value.translate(_BASE64) if isinstance(value, str) and key in ('data', 'thoughtSignature') else value


def _camel(name: str) -> str:
    return re.sub(r'_([a-z])', lambda found: found[1].upper(), name)


_BASE64 = str.maketrans('-_', '+/')


class Clients:
    """A client for each of Google's two APIs."""

    def __init__(self, wire: Wire) -> None:
        self.http = httpx.AsyncClient()
        options: Any = {'base_url': wire.url, 'httpx_async_client': self.http}
        self.own = genai.Client(api_key='k', http_options={**options, 'api_version': 'v1beta'})
        self.cloud = genai.Client(vertexai=True, api_key='k', http_options=options)

    async def close(self) -> None:
        await self.http.aclose()


client_of = Clients


async def run(name: str, wire: Wire, clients: Clients) -> dict[str, Any]:
    case: Case = cases[name]
    wire.expect(case.reply)
    provider = (
        GoogleCloudProvider(client=clients.cloud) if case.more.get('cloud') else GoogleProvider(client=clients.own)
    )
    model = GoogleModel(case.model, provider=provider)
    if case.more.get('count'):
        try:
            usage = await model.count_tokens(case.messages, case.settings, case.params)
            result: Any = [usage.input_tokens, usage.output_tokens, usage.details, usage.cache_read_tokens]
        except Exception:
            result = 'error'
        return {'sent': [[item.path, alike(item.body)] for item in wire.requests], 'result': result}
    found = await facts(
        model, wire, case.messages, case.params, case.settings, stream=name.startswith('s_'), headers=('x-a',)
    )
    for sent in found['sent']:
        sent['body'] = alike(sent['body'])
        headers = wire.requests[0].headers
        sent['headers'] = {name: value for name, value in headers.items() if name.startswith(('x-vertex', 'x-server'))}
    return found
