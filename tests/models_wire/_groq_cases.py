"""Requests to Groq and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import _groq_answers_cases as answers
import _groq_requests_cases as requests
import _groq_streams_cases as streams
import groq
from _facts import facts
from _groq_streams_cases import FAILS, READ
from _vocabulary import Cases
from _wire import Wire

from stead.models.groq import GroqModel
from stead.providers.groq import GroqProvider

cases = Cases()
cases.join(requests.cases, answers.cases, streams.cases)

# What is better here than there: calls in more shapes are read of what Groq refuses, also where a stream begins with it;
# usage is read wherever it is and not added up; text files are sent; what is empty, missing or odd breaks nothing.
BETTER = {
    'answer_of_nothing',
    'image_bytes_detail',
    'image_detail',
    'r_calls_no_id',
    'r_failed_call_text_arguments',
    'r_failed_list',
    'r_failed_list_parameters',
    'r_failed_parameters',
    'r_failed_two',
    'r_finish_null',
    'r_full_usage',
    'r_reasoning_empty',
    'r_searched_text_args',
    's_fails_later_list',
    's_fails_later_list_parameters',
    's_model_empty',
    's_no_created',
    's_null_choices',
    's_reasoning_empty',
    's_searched_at_once',
    's_searched_late',
    's_searched_nothing',
    's_searched_same',
    's_usage_alone',
    's_usage_top',
    's_usage_twice',
    'text_bytes',
}
cases.drop((*BETTER, *(f's_fails_{name}' for name in FAILS), *(f's_failed_{name}' for name in READ)))


def client_of(wire: Wire) -> groq.AsyncGroq:
    return groq.AsyncGroq(base_url=wire.url, api_key='k', max_retries=0)


async def run(name: str, wire: Wire, client: groq.AsyncGroq) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = GroqModel(model_name, provider=GroqProvider(groq_client=client), profile=profile)
    found = await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
    for sent in found['sent']:
        if sent['body'].get('n') == 1:  # one answer is what comes anyway
            del sent['body']['n']
    return found
