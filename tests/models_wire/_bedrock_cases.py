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

# What is better here than there, by the beginnings of names. What the API refuses is not sent: blank texts, thoughts without
# text, cache points that follow each other, options of streams with other requests.
BETTER = (
    'answer_of_empty_text',
    'cache_twice',
    'empty_text_answer',
    'media_empty_text',
    'set_guardrail_mode',
    'thinking_nothing',
    'thought_empty/',
    'thought_empty_call/',
    'thought_empty_signed/nova',
    'thought_empty_signed_call/nova',
    'thought_sealed/nova',
    'thought_sealed_call/nova',
    'thought_sealed_other',
    # Models that do not think may call output tools, whatever the settings say, and so may those that are told not to think.
    'auto_thinking_True/nova',
    'auto_thinking_False/nova',
    'fields_config_output/nova',
    'fields_effort_output/nova',
    'fields_other_both_output/nova',
    'fields_output_config_output/nova',
    'fields_thinking_off_output',
    'thinks_and_output/nova',
    # Tools of models of Meta, choices of no tools, more files, links with owners of buckets, instructions that change.
    'cache_all/llama',
    'cache_dynamic/',
    'cache_instructions/llama',
    'cache_instructions_1h/llama',
    'cache_instructions_5m/llama',
    'cache_instructions_off/llama',
    'cache_messages/llama',
    'cache_messages_1h/llama',
    'cache_messages_many/llama',
    'cache_messages_return/llama',
    'cache_only/llama',
    'cache_tools/llama',
    'cache_tools_1h/llama',
    'choice_no/mistral',
    'media_json',
    'media_s3_image_o',
    'media_s3_video_owner',
    # Tokens are counted with the tools.
    'count/',
    # Answers and streams that lack something are read as far as they go, and what else they have is kept.
    'r_call_list_arguments',
    'r_call_null_arguments',
    'r_citations',
    'r_code_no_status',
    'r_code_text',
    'r_finish_null',
    'r_more_fields',
    'r_no_reason',
    'r_trace',
    'r_usage_none',
    's_calls_no_places',
    's_code_text',
    's_code_two_deltas',
    's_grounding',
    's_more_fields',
    's_trace',
    's_usage_twice',
    # Streams that end too early are errors.
    's_no_end',
    's_no_events',
    's_not_finished',
    's_not_json',
    's_only_start',
)
cases.drop([name for name in cases if name.startswith(BETTER)])


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
