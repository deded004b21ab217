"""Requests to Anthropic and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import _anthropic_answers_cases as answers
import _anthropic_history_cases as history
import _anthropic_platforms_cases as platforms
import _anthropic_requests_cases as requests
import _anthropic_streams_cases as streams
import anthropic
from _facts import facts
from _vocabulary import Cases
from _wire import Wire

from stead.models.anthropic import AnthropicModel
from stead.providers.anthropic import AnthropicProvider

cases = Cases()
cases.join(history.cases, requests.cases, answers.cases, streams.cases, platforms.cases)

# What is better here than there: blocks that no one knows yet are left out, streams that end too early are errors.
BETTER = {'ctx', 'r_unknown', 'r_nousage', 's_empty'}
cases.drop(BETTER)


def client_of(wire: Wire) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(base_url=wire.url, api_key='k', max_retries=0)


def client_on(platform: str, wire: Wire) -> Any:
    options: dict[str, Any] = {'base_url': wire.url, 'max_retries': 0}
    if platform == 'bedrock':
        return anthropic.AsyncAnthropicBedrock(api_key='k', aws_region='us-east-1', **options)
    if platform == 'vertex':
        return anthropic.AsyncAnthropicVertex(region='us-east5', project_id='p', access_token='t', **options)
    return anthropic.AsyncAnthropicFoundry(api_key='k', **options)


async def run(name: str, wire: Wire, client: anthropic.AsyncAnthropic) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, more = cases[name]
    wire.expect(reply)
    headers = ('anthropic-beta',)
    if platform := more.get('platform'):
        async with client_on(platform, wire) as other:
            model = AnthropicModel(model_name, provider=AnthropicProvider(anthropic_client=other))
            found = await facts(model, wire, messages, params, settings, stream=False, headers=headers)
            for item in found['sent']:
                item['body'].pop('anthropic_version', None)  # that of the SDK
            return found
    model = AnthropicModel(model_name, provider=AnthropicProvider(anthropic_client=client), profile=profile)
    return await facts(model, wire, messages, params, settings, stream=name.startswith('s_'), headers=headers)
