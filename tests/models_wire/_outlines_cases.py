"""Requests of Outlines to a server, and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import warnings
from typing import Any

from _facts import facts
from _requests import REQUESTS
from _vocabulary import OUTPUT_OBJECT, Cases, Parameters
from _wire import Reply, Wire, as_json, as_sse

from stead.models.outlines import OutlinesModel
from stead.profiles import ModelProfile


def completion(text: Any = 'hi') -> Reply:
    message = {'role': 'assistant', 'content': text}
    head = {'id': 'c1', 'object': 'chat.completion', 'created': 1700000000, 'model': 'sg'}
    usage = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}
    return as_json({**head, 'choices': [{'index': 0, 'message': message, 'finish_reason': 'stop'}], 'usage': usage})


def chunk(text: Any, finish: str | None = None) -> dict[str, Any]:
    head = {'id': 'c1', 'object': 'chat.completion.chunk', 'created': 1700000000, 'model': 'sg'}
    return {**head, 'choices': [{'index': 0, 'delta': {'content': text}, 'finish_reason': finish}]}


cases = Cases('sg', completion)
case = cases.add
for name, (messages, params, settings) in REQUESTS.items():
    case(name, messages, params, settings)
NATIVE = Parameters(output_mode='native', output_object=OUTPUT_OBJECT, allow_text_output=False)
case('output_native_only', params=NATIVE)
case('tags', profile=ModelProfile(thinking_tags=('<t>', '</t>')), reply=completion('<t>hm</t>a'))
case('r_tags', reply=completion('<think>hm</think>a'))
case('r_tags_open', reply=completion('<think>hm'))
case('r_empty', reply=completion(''))
case('r_null', reply=completion(None))
case('r_500', reply=as_json({'error': {'message': 'no'}}, 400))
case('r_garbage', reply=Reply(pieces=[b'not json']))
case('s_text', reply=as_sse([chunk('he'), chunk('llo'), chunk(None, 'stop')]))
case('s_native', params=NATIVE, reply=as_sse([chunk('{"x"'), chunk(': 1}'), chunk(None, 'stop')]))
case('s_tags', reply=as_sse([chunk(text) for text in ('<think>', 'hm', '</think>', 'a')]))
case('s_space', reply=as_sse([chunk(text) for text in ('\n', 'a', '')]))
case('s_nothing', reply=as_sse([]))
case('s_400', reply=as_json({'error': {'message': 'no'}}, 400))

# What is better here than there: several texts are one, answers without text are left out, native tools of others, too; empty
# pieces are not events.
BETTER = (
    'answer_of_nothing',
    'cache_point',
    'history',
    'native_parts',
    's_space',
    'texts',
    'thinking_after',
    'thinking_nothing',
    'thinking_only',
)
cases.drop(BETTER)


class Client:
    """Nothing that all cases share: each has a model of its own."""

    async def close(self) -> None:
        """Close nothing."""


def client_of(wire: Wire) -> Client:
    return Client()


async def run(name: str, wire: Wire, client: Client) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)
        model = OutlinesModel.from_sglang(wire.url, 'k', model_name, profile=profile)
    found = await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
    await model.model.client.close()
    for response in (found['result'], found['result'].get('response', {})) if found['result'] != 'error' else ():
        for name in ('model_name', 'provider_name'):  # there, only streams say them
            response.pop(name, None)
    return found
