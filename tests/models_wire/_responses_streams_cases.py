"""Answers of the Responses API that stream."""

from __future__ import annotations

import itertools

from _responses_bodies import response_body, text_item
from _vocabulary import TOOL, Cases, Parameters
from _wire import as_json, as_sse

cases = Cases('gpt-4o', lambda: as_json(response_body()))
case = cases.add
numbers = itertools.count(1)


def event(kind, **fields):
    return {'type': kind, 'sequence_number': next(numbers), **fields}


def created():
    return event('response.created', response=response_body([], status='in_progress', usage=None))


def completed(**fields):
    return event('response.completed', response=response_body([], **fields))


def stream(name, *events, tail=None, **fields):
    case(
        's_' + name,
        reply=as_sse([created(), *events, *([completed()] if tail is None else tail)], done=False, named=True),
        **fields,
    )


def text_events(place, *texts, item_id='msg_1'):
    return [
        event(
            'response.output_item.added',
            output_index=place,
            item={**text_item(''), 'id': item_id, 'status': 'in_progress', 'content': []},
        ),
        event(
            'response.content_part.added',
            item_id=item_id,
            output_index=place,
            content_index=0,
            part={'type': 'output_text', 'text': '', 'annotations': []},
        ),
        *[
            event(
                'response.output_text.delta',
                item_id=item_id,
                output_index=place,
                content_index=0,
                delta=text,
                logprobs=[],
            )
            for text in texts
        ],
        event(
            'response.output_text.done',
            item_id=item_id,
            output_index=place,
            content_index=0,
            text=''.join(texts),
            logprobs=[],
        ),
        event(
            'response.content_part.done',
            item_id=item_id,
            output_index=place,
            content_index=0,
            part={'type': 'output_text', 'text': ''.join(texts), 'annotations': []},
        ),
        event('response.output_item.done', output_index=place, item={**text_item(''.join(texts)), 'id': item_id}),
    ]


stream('text', *text_events(0, 'he', 'llo'))
stream('two', *text_events(0, 'a'), *text_events(1, 'b', item_id='msg_2'))
FUNCTION_CALL = {
    'type': 'function_call',
    'id': 'fc_1',
    'call_id': 'call_1',
    'name': 't1',
    'arguments': '',
    'status': 'in_progress',
}
stream(
    'calls',
    event('response.output_item.added', output_index=0, item=FUNCTION_CALL),
    event('response.function_call_arguments.delta', item_id='fc_1', output_index=0, delta='{"x"'),
    event('response.function_call_arguments.delta', item_id='fc_1', output_index=0, delta=':1}'),
    event('response.function_call_arguments.done', item_id='fc_1', output_index=0, arguments='{"x":1}', name='t1'),
    event(
        'response.output_item.done',
        output_index=0,
        item={**FUNCTION_CALL, 'arguments': '{"x":1}', 'status': 'completed'},
    ),
    params=Parameters(function_tools=[TOOL]),
)
REASONING = {'type': 'reasoning', 'id': 'rs_1', 'summary': []}
stream(
    'reasoning',
    event('response.output_item.added', output_index=0, item=REASONING),
    event(
        'response.reasoning_summary_part.added',
        item_id='rs_1',
        output_index=0,
        summary_index=0,
        part={'type': 'summary_text', 'text': ''},
    ),
    event('response.reasoning_summary_text.delta', item_id='rs_1', output_index=0, summary_index=0, delta='s'),
    event('response.reasoning_summary_text.delta', item_id='rs_1', output_index=0, summary_index=0, delta='1'),
    event('response.reasoning_summary_text.done', item_id='rs_1', output_index=0, summary_index=0, text='s1'),
    event(
        'response.reasoning_summary_part.done',
        item_id='rs_1',
        output_index=0,
        summary_index=0,
        part={'type': 'summary_text', 'text': 's1'},
    ),
    event(
        'response.reasoning_summary_part.added',
        item_id='rs_1',
        output_index=0,
        summary_index=1,
        part={'type': 'summary_text', 'text': ''},
    ),
    event('response.reasoning_summary_text.delta', item_id='rs_1', output_index=0, summary_index=1, delta='s2'),
    event(
        'response.output_item.done',
        output_index=0,
        item={
            **REASONING,
            'summary': [{'type': 'summary_text', 'text': 's1'}, {'type': 'summary_text', 'text': 's2'}],
            'encrypted_content': 'enc',
        },
    ),
    *text_events(1, 'a'),
)
stream(
    'reasoning_enc',
    event('response.output_item.added', output_index=0, item=REASONING),
    event('response.output_item.done', output_index=0, item={**REASONING, 'encrypted_content': 'enc'}),
    *text_events(1, 'a'),
)
stream(
    'reasoning_raw',
    event('response.output_item.added', output_index=0, item=REASONING),
    event('response.reasoning_text.delta', item_id='rs_1', output_index=0, content_index=0, delta='raw'),
    event('response.reasoning_text.done', item_id='rs_1', output_index=0, content_index=0, text='raw'),
    event(
        'response.output_item.done',
        output_index=0,
        item={**REASONING, 'content': [{'type': 'reasoning_text', 'text': 'raw'}]},
    ),
    *text_events(1, 'a'),
)
RAW_DELTAS = [
    event('response.reasoning_text.delta', item_id='rs_1', output_index=0, content_index=0, delta=text) for text in 'ra'
]
RAW_DONE = event(
    'response.output_item.done',
    output_index=0,
    item={**REASONING, 'content': [{'type': 'reasoning_text', 'text': 'ra'}]},
)
TEXT_WITHIN = text_events(1, 'a')
for name, events in {
    'around': [*RAW_DELTAS, *TEXT_WITHIN, RAW_DONE],
    'between': [RAW_DELTAS[0], *TEXT_WITHIN, RAW_DELTAS[1], RAW_DONE],
    'after': [*TEXT_WITHIN, *RAW_DELTAS, RAW_DONE],
}.items():
    stream(f'reasoning_raw_{name}', event('response.output_item.added', output_index=0, item=REASONING), *events)
WEB_SEARCH = {'type': 'web_search_call', 'id': 'ws_1', 'status': 'in_progress'}
stream(
    'ws',
    event('response.output_item.added', output_index=0, item=WEB_SEARCH),
    event('response.web_search_call.in_progress', item_id='ws_1', output_index=0),
    event('response.web_search_call.searching', item_id='ws_1', output_index=0),
    event('response.web_search_call.completed', item_id='ws_1', output_index=0),
    event(
        'response.output_item.done',
        output_index=0,
        item={**WEB_SEARCH, 'status': 'completed', 'action': {'type': 'search', 'query': 'q'}},
    ),
    *text_events(1, 'a'),
)
CODE_INTERPRETER = {
    'type': 'code_interpreter_call',
    'id': 'ci_1',
    'status': 'in_progress',
    'code': '',
    'container_id': 'c1',
    'outputs': None,
}
stream(
    'ci',
    event('response.output_item.added', output_index=0, item=CODE_INTERPRETER),
    event('response.code_interpreter_call_code.delta', item_id='ci_1', output_index=0, delta='pri'),
    event('response.code_interpreter_call_code.delta', item_id='ci_1', output_index=0, delta='nt'),
    event('response.code_interpreter_call_code.done', item_id='ci_1', output_index=0, code='print'),
    event(
        'response.output_item.done',
        output_index=0,
        item={**CODE_INTERPRETER, 'status': 'completed', 'code': 'print', 'outputs': [{'type': 'logs', 'logs': 'x'}]},
    ),
    *text_events(1, 'a'),
)
IMAGE_GENERATION = {'type': 'image_generation_call', 'id': 'ig_1', 'status': 'in_progress', 'result': None}
stream(
    'img',
    event('response.output_item.added', output_index=0, item=IMAGE_GENERATION),
    event('response.image_generation_call.generating', item_id='ig_1', output_index=0),
    event(
        'response.image_generation_call.partial_image',
        item_id='ig_1',
        output_index=0,
        partial_image_index=0,
        partial_image_b64='iVBORw0K',
        output_format='png',
    ),
    event(
        'response.output_item.done',
        output_index=0,
        item={
            **IMAGE_GENERATION,
            'status': 'completed',
            'result': 'iVBORw0K',
            'output_format': 'png',
            'revised_prompt': 'rp',
        },
    ),
    *text_events(1, 'a'),
)
MCP_CALL = {
    'type': 'mcp_call',
    'id': 'mcp_1',
    'server_label': 'srv',
    'name': 'echo',
    'arguments': '',
    'output': None,
    'error': None,
}
stream(
    'mcp',
    event('response.output_item.added', output_index=0, item=MCP_CALL),
    event('response.mcp_call_arguments.delta', item_id='mcp_1', output_index=0, delta='{"a":1}'),
    event('response.mcp_call_arguments.done', item_id='mcp_1', output_index=0, arguments='{"a":1}'),
    event('response.mcp_call.completed', item_id='mcp_1', output_index=0),
    event('response.output_item.done', output_index=0, item={**MCP_CALL, 'arguments': '{"a":1}', 'output': 'x'}),
    *text_events(1, 'a'),
)
stream(
    'incomplete',
    *text_events(0, 'a'),
    tail=[
        event(
            'response.incomplete',
            response=response_body([], status='incomplete', incomplete_details={'reason': 'max_output_tokens'}),
        )
    ],
)
stream(
    'failed',
    *text_events(0, 'a'),
    tail=[
        event(
            'response.failed',
            response=response_body([], status='failed', error={'code': 'server_error', 'message': 'boom'}),
        )
    ],
)
stream(
    'refusal',
    event('response.output_item.added', output_index=0, item={**text_item(''), 'content': []}),
    event('response.refusal.delta', item_id='msg_1', output_index=0, content_index=0, delta='no'),
    event('response.refusal.done', item_id='msg_1', output_index=0, content_index=0, refusal='no'),
)
stream('error', *text_events(0, 'a'), tail=[event('error', code='server_error', message='boom', param=None)])
stream('noend', *text_events(0, 'a'), tail=[])
stream('unknown', event('response.weird', x=1), *text_events(0, 'a'))
case('s_none', reply=as_sse([], done=False))
