"""Requests to Mistral and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import json
from typing import Any

import _mistral_answers_cases as answers
import _mistral_requests_cases as requests
import _mistral_streams_cases as streams
from _facts import facts
from _vocabulary import Cases
from _wire import Wire
from mistralai.client import Mistral

from stead.models.mistral import MistralModel
from stead.providers.mistral import MistralProvider

cases = Cases()
cases.join(requests.cases, answers.cases, streams.cases)

# What is better here than there: streams have settings, calls in them do not overwrite each other, outputs are asked for as
# the API has it where a model can do that, and what is empty, missing or odd breaks nothing.
BETTER = {
    'answer_of_nothing',
    'image_bytes_detail',
    'image_detail',
    'not_parallel',
    'not_parallel_output',
    'output_native/able',
    'output_native_and_tool/able',
    'output_prompted/able',
    'parallel',
    'r_calls_no_id',
    'r_calls_null_id',
    'r_finish_null',
    'r_full_usage',
    'r_no_created',
    'r_no_model',
    'r_no_usage',
    's_calls',
    's_calls_in_pieces',
    's_calls_in_pieces_no_name',
    's_calls_two_no_id',
    's_model_empty',
    's_native',
    's_no_created',
    's_not_finished',
    's_null_choices',
    's_prompted/able',
    's_usage_twice',
    'settings',
    'settings_zero',
    'text_bytes',
    'thinking_nothing',
}
cases.drop(BETTER)


class Client:
    """A client of the SDK."""

    def __init__(self, wire: Wire) -> None:
        self.sdk = Mistral(api_key='k', server_url=wire.url)

    async def close(self) -> None:
        await self.sdk.__aexit__(None, None, None)


client_of = Client

# What the API assumes anyway need not be said.
ASSUMED = {'n': 1, 'top_p': 1.0, 'stop': None, 'presence_penalty': None, 'frequency_penalty': None}


def without_assumed(body: dict[str, Any]) -> dict[str, Any]:
    for message in body['messages']:
        if message.get('tool_calls') == []:
            del message['tool_calls']
        message.pop('prefix', None)
        for called in message.get('tool_calls', ()):
            called.pop('index', None)
            function = called['function']
            if not isinstance(function['arguments'], str):  # an object is as good as its text
                function['arguments'] = json.dumps(function['arguments'], separators=(',', ':'))
    return {name: value for name, value in body.items() if name not in ASSUMED or value != ASSUMED[name]}


async def run(name: str, wire: Wire, client: Client) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = MistralModel(model_name, provider=MistralProvider(mistral_client=client.sdk), profile=profile)
    found = await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
    for sent in found['sent']:
        sent['body'] = without_assumed(sent['body'])
    return found
