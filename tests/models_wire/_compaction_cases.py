"""Histories that providers make shorter, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

from _facts import show
from _vendors import (
    Cases,
    Clients,
    body_of,
    completion,
    message,
    message_stream,
    response,
    response_stream,
    text_item,
    whole,
)
from _vocabulary import request_of, response_of
from _wire import Reply, Wire, as_json

from stead import Agent
from stead.messages import CompactionPart
from stead.models import ModelRequestContext, ModelRequestParameters
from stead.models.anthropic import AnthropicCompaction
from stead.models.instrumented import InstrumentedModel
from stead.models.openai import OpenAICompaction
from stead.models.wrapper import WrapperModel

cases = Cases()
case = cases.add
HISTORY = [
    request_of('a'),
    response_of('b', provider_name='openai', provider_response_id='resp_0'),
    request_of('c'),
    response_of('d', provider_name='openai', provider_response_id='resp_9'),
]

# Blocks of Anthropic.
OPUS = 'claude-opus-4-6'
SUMMARY = {'type': 'compaction', 'content': 'the summary'}
TEXT = {'type': 'text', 'text': 'hi'}
COUNTS = {'cache_creation_input_tokens': 3, 'cache_read_input_tokens': 0}
USAGE = {
    'input_tokens': 10,
    'output_tokens': 5,
    'iterations': [
        {**COUNTS, 'type': 'compaction', 'input_tokens': 100, 'output_tokens': 20},
        {**COUNTS, 'type': 'message', 'input_tokens': 10, 'output_tokens': 5},
    ],
}
case('anthropic/r', model=OPUS, reply=message(SUMMARY, TEXT))
case('anthropic/r_usage', model=OPUS, reply=message(SUMMARY, TEXT, usage=USAGE))
case('anthropic/r_null', model=OPUS, reply=message({**SUMMARY, 'content': None}, TEXT))
case('anthropic/r_encrypted', model=OPUS, reply=message({**SUMMARY, 'encrypted_content': 'e'}, TEXT))
case('anthropic/r_pause', model=OPUS, reply=message(SUMMARY, stop_reason='compaction'))
piece = {'type': 'compaction_delta', 'content': 'the summary'}
empty: Any = {'type': 'compaction', 'content': None}
text_block = [{'type': 'text', 'text': ''}, {'type': 'text_delta', 'text': 'hi'}]
case('anthropic/s', model=OPUS, reply=message_stream([empty, piece], text_block))
case('anthropic/s_start', model=OPUS, reply=message_stream([SUMMARY], text_block))
case('anthropic/s_null', model=OPUS, reply=message_stream([empty, {**piece, 'content': None}], text_block))
case('anthropic/s_empty', model=OPUS, reply=message_stream([empty], text_block))
case('anthropic/s_two', model=OPUS, reply=message_stream([empty, piece, {**piece, 'content': ' and more'}], text_block))
case('anthropic/s_pause', model=OPUS, reply=message_stream([empty, piece], stop_reason='compaction'))
case('anthropic/s_usage', model=OPUS, reply=message_stream([empty, piece], text_block, usage=USAGE))


def compacted(provider: str | None, content: str | None = 'the summary', **more: Any) -> list[Any]:
    part = CompactionPart(content, provider_name=provider, **more)
    return [request_of('a'), response_of(part, 'b', provider_name=provider), request_of('c')]


DETAILS = {'id': 'cmp_1', 'encrypted_content': 'enc', 'type': 'compaction', 'created_by': 'me'}
for vendor, model in (('anthropic', OPUS), ('responses', 'gpt-5.4'), ('chat', None)):
    for provider in ('anthropic', 'openai', 'google', None):
        case(f'{vendor}/h_{provider}', compacted(provider), model=model)
        case(f'{vendor}/h_{provider}_null', compacted(provider, None), model=model)
        details = compacted(provider, None, id='cmp_1', provider_details=DETAILS)
        case(f'{vendor}/h_{provider}_details', details, model=model)
no_ids: Any = {'openai_send_reasoning_ids': False}
own = compacted('openai', None, id='cmp_1', provider_details=DETAILS)
case('responses/h_no_ids', own, settings=no_ids, model='gpt-5.4')
case('responses/h_4o', own)
bare = compacted('openai', None, id='cmp_1', provider_details={'encrypted_content': 'enc'})
case('responses/h_bare', bare, model='gpt-5.4')
case('responses/h_text', compacted('openai', 'words', id='cmp_1', provider_details=DETAILS), model='gpt-5.4')

# Items of OpenAI.
ITEM: Any = {'type': 'compaction', 'id': 'cmp_1', 'encrypted_content': 'enc'}
case('responses/r', model='gpt-5.4', reply=response(ITEM, text_item('hi')))
case('responses/r_by', model='gpt-5.4', reply=response({**ITEM, 'created_by': 'x'}, text_item('hi')))
case('responses/s', model='gpt-5.4', reply=response_stream(*whole(ITEM), *whole(text_item('hi'), 1)))
case('responses/s_by', model='gpt-5.4', reply=response_stream(*whole({**ITEM, 'created_by': 'x'})))


def answer(*output: Any, **fields: Any) -> Reply:
    """What OpenAI's endpoint for compactions answers."""
    usage = body_of()['usage']
    head = {'id': 'resp_c', 'object': 'response.compaction', 'created_at': 1700000000, 'usage': usage}
    return as_json({**head, 'output': list(output), **fields})


def compact(
    name: str, reply: Reply, *, vendor: str = 'responses', instructions: str | None = None, **more: Any
) -> None:
    """A model that is told to compact messages."""

    async def running(wire: Wire, clients: Clients) -> Any:
        wire.expect(reply)
        model = clients.model(vendor, 'gpt-5.4' if vendor == 'responses' else None)
        context = ModelRequestContext(
            model=model,
            messages=more.get('messages', HISTORY),
            model_settings=more.get('settings'),
            model_request_parameters=more.get('params', ModelRequestParameters()),
        )
        try:
            outcome: Any = show(await model.compact_messages(context, instructions=instructions))
        except NotImplementedError:
            outcome = 'not implemented'
        except Exception:
            outcome = 'error'
        return {'sent': [(item.path.partition('?')[0], item.body) for item in wire.requests], 'found': outcome}

    cases[f'{vendor}/compact_{name}'] = running


compact('plain', answer(ITEM))
compact('instructions', answer(ITEM), instructions='shorter')
compact('kept', answer({**text_item('kept'), 'role': 'user'}, ITEM))
compact('nothing', answer())
compact('no_usage', answer(ITEM, usage=None))
compact('refused', as_json({'error': {'message': 'no'}}, 500))
compact(
    'previous', answer(ITEM), settings={'openai_previous_response_id': 'auto'}, messages=[*HISTORY, request_of('e')]
)
compact('given', answer(ITEM), settings={'openai_previous_response_id': 'resp_7'})
compact('settings', answer(ITEM), settings={'temperature': 0.3, 'max_tokens': 5, 'openai_store': False})
compact('again', answer(ITEM), messages=own)
compact('chat', answer(ITEM), vendor='chat')
compact('anthropic', answer(ITEM), vendor='anthropic')


# Whole runs.
def run_of(name: str, vendor: str, *replies: Any, capability: Any, around: Any = None, **more: Any) -> None:
    """A run with a capability that compacts: what was sent and what came of it."""

    async def running(wire: Wire, clients: Clients) -> Any:
        wire.expect(*replies)
        model = clients.model(vendor, more.get('model') or {'responses': 'gpt-5.4', 'anthropic': OPUS}.get(vendor))
        settings = more.get('settings')
        agent: Any = Agent(around(model) if around else model, capabilities=[capability()], instructions='be nice')
        history: Any = more.get('history', HISTORY)
        try:
            for turn in range(more.get('turns', 1)):
                outcome = await agent.run(f'hi {turn}', message_history=history, model_settings=settings)
                history = outcome.all_messages()
        except Exception:
            return {'sent': [(item.path.partition('?')[0], item.body) for item in wire.requests], 'found': 'error'}
        sent = [(item.path.partition('?')[0], item.body, item.headers.get('anthropic-beta')) for item in wire.requests]
        return {'sent': sent, 'messages': show(history)}

    cases[f'{vendor}/run_{name}'] = running


hi = response(text_item('hi'))
run_of('default', 'responses', hi, capability=OpenAICompaction)
run_of('threshold', 'responses', hi, capability=lambda: OpenAICompaction(token_threshold=77))
other_edits = {'openai_context_management': [{'type': 'other'}]}
run_of('given', 'responses', hi, capability=OpenAICompaction, settings=other_edits)
run_of('below', 'responses', hi, capability=lambda: OpenAICompaction(message_count_threshold=5))
above: Any = {'capability': lambda: OpenAICompaction(message_count_threshold=4)}
run_of('above', 'responses', answer(ITEM), hi, **above)
run_of('twice', 'responses', answer(ITEM), hi, hi, answer({**ITEM, 'id': 'cmp_2'}), hi, turns=3, **above)
run_of('instrumented', 'responses', answer(ITEM), hi, around=InstrumentedModel, **above)
run_of('wrapped', 'responses', answer(ITEM), hi, around=WrapperModel, **above)
run_of('refused', 'responses', as_json({'error': {'message': 'no'}}, 500), hi, **above)
shorter = lambda: OpenAICompaction(trigger=lambda messages: len(messages) > 2, instructions='shorter')  # noqa: E731
run_of('trigger', 'responses', answer(ITEM), hi, capability=shorter)
run_of(
    'both',
    'responses',
    hi,
    capability=lambda: OpenAICompaction(trigger=lambda _: False, message_count_threshold=2),
)
run_of('elsewhere', 'chat', completion({'role': 'assistant', 'content': 'hi'}), **above)
run_of('ignored', 'chat', completion({'role': 'assistant', 'content': 'hi'}), capability=OpenAICompaction)
run_of('default', 'anthropic', message(SUMMARY, TEXT), capability=AnthropicCompaction, turns=2)
options: Any = {'token_threshold': 60000, 'instructions': 'sum', 'pause_after_compaction': True}
run_of('options', 'anthropic', message(TEXT), capability=lambda: AnthropicCompaction(**options))
run_of('pause', 'anthropic', message(SUMMARY, stop_reason='compaction'), message(TEXT), capability=AnthropicCompaction)
run_of('other', 'anthropic', message(TEXT), capability=OpenAICompaction)
run_of('other', 'responses', hi, capability=AnthropicCompaction)


# What is better here than there: what Anthropic seals is sent back, and summaries of others ask for nothing; parts start
# once; a summary is not an output.
BETTER = {
    'anthropic/r_encrypted',
    'anthropic/s_two',
    'anthropic/h_anthropic_details',
    *(f'anthropic/h_{provider}{what}' for provider in ('openai', 'google', None) for what in ('', '_null', '_details')),
    'responses/s',
    'responses/s_by',
    'anthropic/run_pause',
}
cases.drop(BETTER)

client_of, run = Clients, cases.run
