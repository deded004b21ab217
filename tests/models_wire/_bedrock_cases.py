"""Requests to Bedrock and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import _bedrock_answers_cases as answers
import _bedrock_history_cases as history
import _bedrock_requests_cases as requests
import _bedrock_streams_cases as streams
import boto3
from _facts import facts, show
from _vocabulary import Cases
from _wire import Wire
from botocore.config import Config

from stead.models.bedrock import BedrockConverseModel
from stead.providers.bedrock import BedrockProvider

cases = Cases()
cases.join(requests.cases, history.cases, answers.cases, streams.cases)

BETTER: set[str] = set()
cases.drop(BETTER)


class Client:
    """A client of the SDK that tries once."""

    def __init__(self, wire: Wire) -> None:
        config = Config(retries={'total_max_attempts': 1}, read_timeout=30)
        keys = {'aws_access_key_id': 'k', 'aws_secret_access_key': 's', 'region_name': 'us-east-1'}
        self.sdk = boto3.client('bedrock-runtime', endpoint_url=wire.url, config=config, **keys)

    async def close(self) -> None:
        self.sdk.close()


client_of = Client


async def run(name: str, wire: Wire, client: Client) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, more = cases[name]
    wire.expect(reply)
    model = BedrockConverseModel(model_name, provider=BedrockProvider(bedrock_client=client.sdk), profile=profile)
    if more.get('count'):
        try:
            result = show(await model.count_tokens(messages, settings, params))
        except Exception:
            result = 'error'
        return {'sent': [{'path': item.path, 'body': item.body} for item in wire.requests], 'result': result}
    return await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
