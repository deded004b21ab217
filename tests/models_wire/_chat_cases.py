"""Requests of chat completions and answers to them, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import _chat_answers_cases as answers
import _chat_history_cases as history
import _chat_requests_cases as requests
import _chat_streams_cases as streams
import openai
from _facts import facts
from _vocabulary import Cases
from _wire import Wire

from stead.models.openai import OpenAIChatModel
from stead.providers.openai import OpenAIProvider

cases = Cases()
cases.join(history.cases, requests.cases, answers.cases, streams.cases)

# What is better here than there: unknown reasons and pieces of text are read, usage is not added up, and so on.
BETTER = {'r_finish_weird', 'r_listcontent', 's_nofinish', 's_calls_sameindex', 's_logprobs', 's_usage_each'}
cases.drop(BETTER)


def client_of(wire: Wire) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=wire.url, api_key='k', max_retries=0)


async def run(name: str, wire: Wire, client: openai.AsyncOpenAI) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = OpenAIChatModel(model_name, provider=OpenAIProvider(openai_client=client), profile=profile)
    return await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
