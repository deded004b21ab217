"""Requests of the Responses API and answers to them, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import _responses_answers_cases as answers
import _responses_history_cases as history
import _responses_requests_cases as requests
import _responses_streams_cases as streams
import openai
from _facts import facts
from _vocabulary import Cases
from _wire import Wire

from stead.models.openai import OpenAIResponsesModel
from stead.providers.openai import OpenAIProvider

cases = Cases()
cases.join(history.cases, requests.cases, answers.cases, streams.cases)

# Deltas of raw thinking are functions there, which no record can hold: `test_openai_responses.py` has their order.
# What is better here than there: failures are errors, what stops a stream is told, results of MCP calls are sent back; and
# the reference sends allowed tools in any order.
BETTER = {
    'tco_list2',
    'tco_too',
    'r_failed_err',
    'r_unknown',
    's_incomplete',
    's_failed',
    's_error',
    's_noend',
    's_reasoning_raw_around',
    's_reasoning_raw_between',
    's_reasoning_raw_after',
    'native_mcp_hist_ids',
    'native_mcp_list_ids',
}
cases.drop(BETTER)


def client_of(wire: Wire) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=wire.url, api_key='k', max_retries=0)


async def run(name: str, wire: Wire, client: openai.AsyncOpenAI) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = OpenAIResponsesModel(model_name, provider=OpenAIProvider(openai_client=client), profile=profile)
    return await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
