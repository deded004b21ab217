"""Messages of xAI, for its cases."""

from __future__ import annotations

from typing import Any

from _grpc_wire import Answer

USAGE = {
    'completion_tokens': 5,
    'reasoning_tokens': 3,
    'prompt_tokens': 10,
    'total_tokens': 18,
    'prompt_text_tokens': 9,
    'cached_prompt_text_tokens': 2,
    'prompt_image_tokens': 1,
}
HEAD: dict[str, Any] = {'id': 'r1', 'model': 'grok-x', 'created': '2024-01-01T00:00:00Z'}


def output(content='hi', reason='REASON_STOP', index=0, role='ROLE_ASSISTANT', **message):
    return {'finish_reason': reason, 'index': index, 'message': {'content': content, 'role': role, **message}}


def answer(*outputs, **fields):
    return Answer([{**HEAD, 'usage': USAGE, 'outputs': list(outputs) or [output()], **fields}])


def delta(content='', index=0, role='ROLE_ASSISTANT', reason=0, **fields):
    return {'finish_reason': reason, 'index': index, 'delta': {'content': content, 'role': role, **fields}}


def chunks(*deltas, reason='REASON_STOP', **fields):
    chunk_bodies = [{**HEAD, 'outputs': [item]} for item in deltas]
    return Answer([*chunk_bodies, {**HEAD, 'usage': USAGE, 'outputs': [delta(reason=reason)], **fields}], stream=True)


def call(name='t', args='{"x":1}', call_id='c1', kind='CLIENT_SIDE', status='COMPLETED', **fields):
    status = f'TOOL_CALL_STATUS_{status}'
    function = {'name': name, 'arguments': args}
    return {'id': call_id, 'type': f'TOOL_CALL_TYPE_{kind}_TOOL', 'status': status, 'function': function, **fields}


def search(call_id='n1', status='COMPLETED', **fields):
    return call('web_search', '{"q":"x"}', call_id, 'WEB_SEARCH', status, **fields)
