"""Requests to Cohere and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from inspect import signature
from typing import Any

import cohere
from _cohere_bodies import MODEL, answer, call, thought
from _facts import facts
from _requests import REQUESTS
from _vocabulary import WITH_OUTPUT, WITH_TOOLS, Cases, request_of, response_of
from _wire import Reply, Wire, as_json

from stead.messages import ThinkingPart, ToolCallPart
from stead.models.cohere import CohereModel
from stead.profiles import ModelProfile
from stead.providers.cohere import CohereProvider

cases = Cases(MODEL, lambda: answer('hi'))
case = cases.add
for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
REASONING = 'command-a-reasoning-08-2025'
for name in ('plain', 'thinking', 'thinking_two', 'thinking_and_call', 'output_native', 'output_prompted', 'tools'):
    case(f'{name}/reasoning', *REQUESTS[name], model=REASONING)
WITH_SCHEMAS = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
for name in ('output_native', 'output_native_and_tool', 'output_prompted', 'output_prompted_and_tool'):
    case(f'{name}/held', *REQUESTS[name], profile=WITH_SCHEMAS)
OWN = [request_of('a'), response_of(ThinkingPart('hm', provider_name='cohere'), 'b', ToolCallPart('t1', '{}', 'i'))]
case('thinking_own', [*OWN, request_of('c')])

# Answers
case('r_text', reply=answer('hi'))
case('r_texts', reply=answer('hi', ' there'))
case('r_nothing', reply=answer())
case('r_null', reply=answer(message={'content': None}))
case('r_string', reply=answer(message={'content': 'hi'}))
case('r_empty_text', reply=answer(''))
for reason in ('COMPLETE', 'STOP_SEQUENCE', 'MAX_TOKENS', 'TOOL_CALL', 'ERROR', 'TIMEOUT', 'BORED', None):
    case(f'r_finish_{reason}', reply=answer('hi', finish=reason))
case('r_thinking', reply=answer(thought('hm'), 'hi'))
case('r_thinking_two', reply=answer(thought('h'), 'a', thought('m'), 'b'))
case('r_thinking_empty', reply=answer(thought(''), 'a'))
case('r_tags', reply=answer('<think>hm</think>hi'))
CALLED = {'tool_calls': [call('t1', '{"x":1}')]}
case('r_call', params=WITH_TOOLS, reply=answer(message=CALLED, finish='TOOL_CALL'))
case('r_call_plan', params=WITH_TOOLS, reply=answer(message={**CALLED, 'tool_plan': 'I will'}, finish='TOOL_CALL'))
case('r_call_text', params=WITH_TOOLS, reply=answer('well', message=CALLED, finish='TOOL_CALL'))
TWO = {'tool_calls': [call('t1', '{"x":1}'), call('t2', '{}', 'id2')]}
case('r_calls', params=WITH_TOOLS, reply=answer(message=TWO, finish='TOOL_CALL'))
case('r_call_no_id', params=WITH_TOOLS, reply=answer(message={'tool_calls': [call('t1', '{}', None)]}))
case('r_call_empty_id', params=WITH_TOOLS, reply=answer(message={'tool_calls': [call('t1', '{}', '')]}))
case('r_call_no_arguments', params=WITH_TOOLS, reply=answer(message={'tool_calls': [call('t1', None)]}))
case('r_call_empty_arguments', params=WITH_TOOLS, reply=answer(message={'tool_calls': [call('t1', '')]}))
case('r_call_no_name', params=WITH_TOOLS, reply=answer(message={'tool_calls': [call(None, '{}')]}))  # type: ignore[arg-type]
case('r_output', params=WITH_OUTPUT, reply=answer(message={'tool_calls': [call('final_result', '{"x":1}')]}))
case('r_citations', reply=answer('hi', message={'citations': [{'start': 0, 'end': 2, 'text': 'hi', 'sources': []}]}))
case('r_logprobs', reply=answer('hi', logprobs=[{'token_ids': [1], 'text': 'hi', 'logprobs': [-0.5]}]))
case('r_no_usage', reply=answer('hi', usage=None))
case('r_usage_billed', reply=answer('hi', usage={'billed_units': {'input_tokens': 8, 'output_tokens': 4}}))
case('r_usage_tokens', reply=answer('hi', usage={'tokens': {'input_tokens': 8, 'output_tokens': 4}}))
MORE = {'billed_units': {'input_tokens': 8, 'output_tokens': 4, 'search_units': 2, 'classifications': 1}}
case('r_usage_more', reply=answer('hi', usage={**MORE, 'tokens': {'input_tokens': 9.0}, 'cached_tokens': 3}))
case('r_no_id', reply=answer('hi', id=None))
case('r_unknown_content', reply=answer('hi', {'type': 'smell', 'smell': 1}))
case('r_no_message', reply=answer(message=None, **{'message_': 1}))
case('r_message_null', reply=as_json({'id': 'c1', 'finish_reason': 'COMPLETE', 'message': None}))
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('r_list', reply=as_json([]))
for status in (400, 401, 404, 422, 429, 498, 499, 500, 503, 504):
    case(f'r_{status}', reply=as_json({'message': 'bad'}, status))
case('r_400_text', reply=Reply(400, {}, [b'plain text'], 'text/plain'))

# What is better here than there: `tool_choice`, `thinking`, `extra_body` and formats of outputs are sent, and so are images, text
# files and what tools return of them; calls without arguments and plans are read; what is missing or odd breaks nothing. There,
# answers do not stream: `test_cohere.py` is about those that do.
BETTER = {
    'answer_of_nothing',
    'image_bytes',
    'image_bytes_detail',
    'image_detail',
    'image_link',
    'output_native/held',
    'output_prompted/held',
    'r_call_empty_arguments',
    'r_call_no_arguments',
    'r_call_no_name',
    'r_call_plan',
    'r_citations',
    'r_finish_None',
    'r_finish_TIMEOUT',
    'r_string',
    'r_unknown_content',
    'r_usage_billed',
    'r_usage_more',
    'returned_image',
    'returned_image_only',
    'returned_link',
    'returned_pdf',
    'settings_more',
    'text_bytes',
}
SAME_CHOICES = ('choice_auto', 'choice_none_without_tools', 'output_choice_auto')
IGNORED = ('choice_', 'output_choice_', 'thinks_')
cases.drop([name for name in cases if name in BETTER or (name.startswith(IGNORED) and name not in SAME_CHOICES)])


def once() -> dict[str, Any]:
    """Return the option to try once, of releases of the SDK that try again by themselves."""
    return {'max_retries': 0} if 'max_retries' in signature(cohere.AsyncClientV2).parameters else {}


class Client:
    """The client of the SDK, for the loop of all cases."""

    def __init__(self, wire: Wire) -> None:
        self.sdk = cohere.AsyncClientV2(api_key='k', base_url=wire.url, **once())

    async def close(self) -> None:
        await self.sdk.__aexit__(None, None, None)


def client_of(wire: Wire) -> Client:
    return Client(wire)


async def run(name: str, wire: Wire, client: Client) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    model = CohereModel(model_name, provider=CohereProvider(cohere_client=client.sdk), profile=profile)
    found = await facts(model, wire, messages, params, settings, stream=False)
    if found['result'] != 'error':
        found['result'].pop('provider_response_id', None)  # there, no one learns it
    for sent in found['sent']:
        for tool in sent['body'].get('tools', []):
            if not tool['function']['description']:
                del tool['function']['description']
    return found
