"""Whole runs: outputs, refusals, tokens that are counted beforehand, and what OpenAI keeps from turn to turn."""

from __future__ import annotations

from typing import Any

from _answers_anthropic_cases import WORDS
from _answers_responses_cases import HI, ITEMS
from _facts import show
from _vendors import Cases, Clients, completion, message, response, text_item
from _vocabulary import request_of, response_of
from _wire import Wire, as_json
from pydantic import BaseModel

from stead import Agent
from stead.output import NativeOutput, PromptedOutput, TextOutput, ToolOutput
from stead.usage import UsageLimits

cases = Cases()
case = cases.add


# Whole runs: outputs, refusals, and tokens that are counted beforehand.
class Out(BaseModel):
    x: int


def run_of(name: str, vendor: str, *replies: Any, stream: bool = False, **more: Any) -> None:
    """A run of an agent: what was sent, and what came of it; of an error its type."""

    async def running(wire: Wire, clients: Clients) -> Any:
        wire.expect(*replies)
        output = more.get('output', str)
        agent: Any = Agent(clients.model(vendor, more.get('model')), output_type=output, retries=more.get('retries', 1))
        limits = more.get('limits')
        try:
            if stream:
                async with agent.run_stream('hi', usage_limits=limits) as streamed:
                    found = show(await streamed.get_output())
                    messages = show(streamed.all_messages())
            else:
                outcome = await agent.run('hi', usage_limits=limits)
                found, messages = show(outcome.output), show(outcome.all_messages())
        except Exception as error:
            found, messages = type(error).__name__, []
        return {
            'sent': [(item.path.partition('?')[0], item.body) for item in wire.requests],
            'out': found,
            'messages': messages,
        }

    cases[f'{vendor}/run_{name}'] = running


def upper(text: str) -> str:
    return text.upper()


JSON = '{"x": 1}'
RESULT = '{"result": {"kind": "Out", "data": {"x": 1}}}'
MODES: dict[str, tuple[Any, str]] = {
    'native': (NativeOutput(Out), JSON),
    'native_named': (NativeOutput(Out, name='n', description='d'), JSON),
    'native_two': (NativeOutput([Out, int]), RESULT),
    'native_int': (NativeOutput(int), '{"response": 3}'),
    'native_list': (NativeOutput(list[Out]), '{"response": [{"x": 1}]}'),
    'prompted': (PromptedOutput(Out), JSON),
    'prompted_template': (PromptedOutput(Out, template='give {schema}'), JSON),
    'prompted_two': (PromptedOutput([Out, int]), RESULT),
    'text': (TextOutput(upper), 'hi'),
    'both': ([Out, str], 'hi'),
    'tools': ([ToolOutput(Out, name='one', description='d'), ToolOutput(int, name='two', strict=True)], 'hi'),
}
for name, (output, words) in MODES.items():
    for vendor in ('chat', 'responses', 'anthropic'):
        reply = {
            'chat': completion({'role': 'assistant', 'content': words}),
            'responses': response(text_item(words)),
            'anthropic': message({'type': 'text', 'text': words}),
        }[vendor]
        run_of(f'out_{name}', vendor, reply, output=output)
run_of('refused', 'chat', completion({'role': 'assistant', 'content': None, 'refusal': 'no'}))
run_of('refused', 'responses', response(text_item('', content=[{'type': 'refusal', 'refusal': 'no'}])))
run_of('refused', 'anthropic', message(stop_reason='refusal'))
run_of('filtered', 'chat', completion({'role': 'assistant', 'content': ''}, 'content_filter'))
run_of('filtered', 'responses', response(status='incomplete', incomplete_details={'reason': 'content_filter'}))
run_of('cut', 'chat', completion({'role': 'assistant', 'content': ''}, 'length'))
run_of('cut', 'responses', response(status='incomplete', incomplete_details={'reason': 'max_output_tokens'}))
run_of('cut', 'anthropic', message(stop_reason='max_tokens'))
before = {'count_tokens_before_request': True}
counted = as_json({'input_tokens': 42})
for name, limit in (('counted', 100), ('too_many', 10)):
    limits = UsageLimits(input_tokens_limit=limit, **before)
    run_of(name, 'anthropic', counted, message(WORDS), limits=limits)
    run_of(
        name, 'responses', as_json({'object': 'response.input_tokens', 'input_tokens': 42}), response(HI), limits=limits
    )
    run_of(name, 'chat', completion({'role': 'assistant', 'content': 'hi'}), limits=limits)


# What OpenAI keeps from turn to turn.
def kept(
    name: str, settings: Any, *, model: str = 'gpt-5', conversation: str | None = None, history: Any = None
) -> None:
    """Two turns with a tool call, while OpenAI keeps what was said."""
    more = {'conversation': {'id': conversation}} if conversation else {}

    async def running(wire: Wire, clients: Clients) -> Any:
        thought = {'id': 'rs_1', **ITEMS['reasoning_sealed']}
        wire.expect(
            response(thought, {'id': 'fc_1', **ITEMS['call']}, id='resp_1', **more),
            response(text_item('one'), id='resp_2', **more),
            response(text_item('two'), id='resp_3', **more),
        )
        agent: Any = Agent(clients.model('responses', model), model_settings=settings, instructions='be nice')
        agent.tool_plain(lambda x: x, name='plain')
        try:
            first = await agent.run('hi', message_history=history)
            await agent.run('again', message_history=first.all_messages())
        except Exception as error:
            return [type(error).__name__]
        return [item.body for item in wire.requests]

    cases[f'responses/kept_{name}'] = running


OLD = [request_of('a'), response_of('b', provider_name='openai', provider_response_id='resp_0')]
OTHER = [request_of('a'), response_of('b', provider_name='anthropic', provider_response_id='msg_0')]
NAMED = [request_of('a'), response_of('b', provider_name='openai', provider_details={'conversation_id': 'conv_0'})]
kept('nothing', {})
kept('auto', {'openai_previous_response_id': 'auto'})
kept('auto_4o', {'openai_previous_response_id': 'auto'}, model='gpt-4o')
kept('auto_old', {'openai_previous_response_id': 'auto'}, history=OLD)
kept('auto_other', {'openai_previous_response_id': 'auto'}, history=OTHER)
kept('given', {'openai_previous_response_id': 'resp_7'})
kept('given_old', {'openai_previous_response_id': 'resp_7'}, history=OLD)
kept('talk', {'openai_conversation_id': 'conv_1'}, conversation='conv_1')
kept('talk_other', {'openai_conversation_id': 'conv_1'}, conversation='conv_2')
kept('talk_auto', {'openai_conversation_id': 'auto'}, conversation='conv_1')
kept('talk_auto_none', {'openai_conversation_id': 'auto'})
kept('talk_auto_named', {'openai_conversation_id': 'auto'}, conversation='conv_0', history=NAMED)
kept('both', {'openai_conversation_id': 'auto', 'openai_previous_response_id': 'auto'})
