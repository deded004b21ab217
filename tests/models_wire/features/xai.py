"""xAI's API, which is gRPC."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from stead.exceptions import UserError
from stead.messages import NativeToolCallPart, NativeToolReturnPart, TextPart, ThinkingPart, UploadedFile
from stead.usage import RequestUsage

from ._features import BONN_JSON, LOCAL_SEARCH, PNG_64, SITE, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor

USAGE = {'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}


def serve() -> Any:
    from _grpc_wire import GrpcWire

    return GrpcWire()


def provider(server: Any) -> Any:
    from xai_sdk import AsyncClient

    from stead.providers.xai import XaiProvider

    return XaiProvider(
        xai_client=AsyncClient(api_key='sk-secret-of-ours', api_host=server.host, use_insecure_channel=True)
    )


def build(name: str, **options: Any) -> Any:
    from stead.models.xai import XaiModel

    return XaiModel(name, **options)


def replies(*pieces: Any) -> Callable[[], Any]:
    """Return what makes a reply: its classes are there with the SDK only."""

    def make() -> Any:
        from _grpc_wire import Answer, Status

        return Answer([Status(*piece) if isinstance(piece, tuple) else piece for piece in pieces])

    return make


def body(outputs: list[Any], **fields: Any) -> dict[str, Any]:
    head = {'id': 'r1', 'model': 'grok-4-0709', 'created': '2024-01-01T00:00:00Z', 'usage': USAGE}
    return {**head, 'outputs': outputs, **fields}


def answer(words: str = '', reason: str = 'REASON_STOP', about: Any = None, fields: Any = None, **message: Any) -> Any:
    reply_message = {'role': 'ROLE_ASSISTANT', 'content': words, **message}
    return replies(body([{'finish_reason': reason, 'message': reply_message, **(about or {})}], **(fields or {})))


def events(*deltas: Any, reason: str = 'REASON_STOP', about: Any = None, **fields: Any) -> Any:
    pieces = [body([{'delta': {'role': 'ROLE_ASSISTANT', **delta}, **(about or {})}], **fields) for delta in deltas]
    return replies(*pieces, body([{'delta': {}, 'finish_reason': reason}], **fields))


def words_delta(words: str) -> dict[str, Any]:
    return {'content': words}


def text(words: Any) -> dict[str, Any]:
    return {'text': words}


def message(role: str, *content: Any, **fields: Any) -> dict[str, Any]:
    return {'role': f'ROLE_{role}', 'content': list(content), **fields}


def user(*content: Any) -> dict[str, Any]:
    return {'messages': [message('USER', *content)]}


def called(name: str, arguments: str, call_id: str = 'call-1', kind: str = 'CLIENT_SIDE') -> dict[str, Any]:
    function = {'name': name, 'arguments': arguments}
    return {'id': call_id, 'type': f'TOOL_CALL_TYPE_{kind}_TOOL', 'function': function}


def function(name: str, **fields: Any) -> dict[str, Any]:
    return {'function': {'name': name, **fields}}


VENDOR = Vendor(
    'xai',
    'xAI',
    '`XaiModel`: the API of xAI, which is gRPC.',
    'xai_sdk',
    provider=provider,
    build=build,
    model='grok-4',
    answer=answer('hello'),
    serve=serve,
)

# Conversation
VENDOR.sends('text', {'model': 'grok-4', **user(text('hello'))}, path='GetCompletion')
VENDOR.answers('text', answer('hello'), events(words_delta('hel'), words_delta('lo')))
BRIEF = {'messages': [message('SYSTEM', text('Be brief.')), message('USER', text('hello'))]}
VENDOR.sends('system-prompts', BRIEF)
VENDOR.sends('instructions', BRIEF)
VENDOR.sends('history', {'messages': [ANY, message('ASSISTANT', text('two')), message('USER', text('three'))]})
VENDOR.answers(
    'identity',
    answer('hello'),
    events(words_delta('hello')),
    response={'provider_response_id': 'r1', 'model_name': 'grok-4'},
    note='The name is that which was asked for.',
)

VENDOR.lacks('compaction')
VENDOR.lacks('compaction-history')

# What goes into prompts
VENDOR.sends('image-url', user(text('look'), {'image_url': {'image_url': f'{SITE}/a.png'}}))
PIXELS = {'image_url': {'image_url': f'data:image/png;base64,{PNG_64}'}}
VENDOR.sends('image-bytes', user(ANY, PIXELS))
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes'):
    VENDOR.lacks(name, error=UserError, match='xAI does not support')
UPLOADED = 'stead uploads the file first, and sends its id.'
FILE = user(ANY, {'file': {'file_id': 'file-1'}})
VENDOR.sends('document-url', FILE, download=(b'%PDF', 'application/pdf'), note=UPLOADED)
VENDOR.sends('document-bytes', FILE, note=UPLOADED)
VENDOR.sends('text-file', FILE, note=UPLOADED)
VENDOR.sends('uploaded-file', FILE, messages=prompt('read', UploadedFile('file-1', provider_name='xai')))
VENDOR.sends(
    'tool-files',
    {'messages': [ANY, ANY, message('TOOL', ANY), message('USER', ANY, PIXELS)]},
    note='Results are text, so the files follow in a prompt.',
)

# Tools
VENDOR.sends(
    'tools',
    {
        'tools': [function('double', description='Double a number.', parameters=Text('"x"')), function('triple')],
        'tool_choice': {'mode': 'TOOL_MODE_AUTO'},
    },
)
CALL = called('double', '{"x": 4}')
VENDOR.answers(
    'tools',
    answer(tool_calls=[CALL], reason='REASON_TOOL_CALLS'),
    events({'tool_calls': [CALL]}, reason='REASON_TOOL_CALLS'),
    pieces=None,
    response={'finish_reason': 'tool_call'},
    note='Arguments come all at once.',
)
TWO = [CALL, called('triple', '{"x": 5}', 'call-2')]
VENDOR.answers('parallel-calls', answer(tool_calls=TWO), events({'tool_calls': TWO[:1]}, {'tool_calls': TWO[1:]}))
VENDOR.sends('parallel-setting', {'parallel_tool_calls': False})
VENDOR.sends('empty-calls', {'messages': [ANY, message('ASSISTANT', ANY, tool_calls=[called('double', '{}')]), ANY]})
VENDOR.answers('empty-calls', answer(tool_calls=[called('double', '')]), events({'tool_calls': [called('double', '')]}))
AFTER_CALL = [ANY, message('ASSISTANT', ANY, tool_calls=[called('double', '{"x":4}')])]
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, message('TOOL', text('8'), tool_call_id='call-1')]})
AGAIN = message('TOOL', text(Text('Use small numbers.')), tool_call_id='call-1')
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, AGAIN]})
VENDOR.lacks('strict-tools', body={'tools': [function('double', strict=ABSENT)]})
VENDOR.sends('tool-choice-none', {'tools': [ANY, ANY], 'tool_choice': {'mode': 'TOOL_MODE_NONE'}})
VENDOR.sends('tool-choice-required', {'tool_choice': {'mode': 'TOOL_MODE_REQUIRED'}})
VENDOR.sends('tool-choice-one', {'tools': [ANY, ANY], 'tool_choice': {'function_name': 'double'}})

# Native tools
RESULT = {'found': 1}


def ran(name: str, arguments: str, kind: str) -> dict[str, Any]:
    return {**called(name, arguments, 's1', kind), 'status': 'TOOL_CALL_STATUS_COMPLETED'}


def native_answer(call: dict[str, Any]) -> Any:
    outputs: list[dict[str, Any]] = [
        {'message': {'role': 'ROLE_ASSISTANT', 'tool_calls': [call]}},
        {'message': {'role': 'ROLE_TOOL', 'tool_calls': [call], 'content': json.dumps(RESULT)}},
        {'message': {'role': 'ROLE_ASSISTANT', 'content': 'hello'}, 'finish_reason': 'REASON_STOP'},
    ]
    return replies(body(outputs))


def native_events(call: dict[str, Any]) -> Any:
    result = {'role': 'ROLE_TOOL', 'tool_calls': [call], 'content': json.dumps(RESULT)}
    outputs = [{'index': 0, 'delta': {'role': 'ROLE_ASSISTANT', 'tool_calls': [call]}}, {'index': 1, 'delta': result}]
    last = {'index': 2, 'delta': {'role': 'ROLE_ASSISTANT', 'content': 'hello'}, 'finish_reason': 'REASON_STOP'}
    return replies(*(body([output]) for output in (*outputs, last)))


MCP = {'action': 'call_tool', 'tool_name': 'echo', 'tool_args': {'a': 1}}
for name, sent, call, own, native_args in (
    ('web-search', {'web_search': ANY}, ran('web_search', '{"query":"q"}', 'WEB_SEARCH'), 'web_search', {'query': 'q'}),
    ('x-search', {'x_search': ANY}, ran('x_keyword_search', '{"query":"q"}', 'X_SEARCH'), 'x_search', {'query': 'q'}),
    (
        'code-execution',
        {'code_execution': ANY},
        ran('code_execution', '{"code":"1"}', 'CODE_EXECUTION'),
        'code_execution',
        {'code': '1'},
    ),
    (
        'file-search',
        {'collections_search': {'collection_ids': ['store-1']}},
        ran('collections_search', '{"query":"q"}', 'COLLECTIONS_SEARCH'),
        'file_search',
        {'query': 'q'},
    ),
    (
        'mcp-server',
        {'mcp': {'server_label': 'srv', 'server_url': f'{SITE}/mcp'}},
        ran('srv.echo', '{"a":1}', 'MCP'),
        'mcp_server:srv',
        MCP,
    ),
):
    VENDOR.sends(name, {'tools': [sent]})
    VENDOR.answers(
        name,
        native_answer(call),
        native_events(call),
        parts=[NativeToolCallPart(own, native_args, 's1'), NativeToolReturnPart(own, RESULT, 's1'), TextPart('hello')],
    )
for name in ('web-fetch', 'image-generation'):
    VENDOR.lacks(name, REQUEST, error=UserError, match='native tool')
    VENDOR.lacks(name, RESPONSE, STREAM)
VENDOR.lacks('tool-search', REQUEST, why=LOCAL_SEARCH, body={'tools': [function('double'), function('search_tools')]})
VENDOR.lacks('tool-search', RESPONSE, STREAM)
VENDOR.lacks('memory', error=UserError, match='native tool')
SEARCH = ran('web_search', '{"query":"q"}', 'WEB_SEARCH')
BACK = [message('ASSISTANT', ANY, tool_calls=[SEARCH]), message('ASSISTANT', text('hello'))]
VENDOR.sends(
    'native-history',
    {'messages': [ANY, *BACK, ANY]},
    reply=native_answer(SEARCH),
    note='The calls; the vendor knows what they came to.',
)
VENDOR.sends('foreign-native-history', {'messages': [ANY, message('ASSISTANT', text('b')), ANY]})

# Output
VENDOR.sends('tool-output', {'tools': [function('final_result')], 'tool_choice': {'mode': 'TOOL_MODE_REQUIRED'}})
BONN = called('final_result', BONN_JSON)
VENDOR.answers('tool-output', answer(tool_calls=[BONN]), events({'tool_calls': [BONN]}))
FORM = {'format_type': 'FORMAT_TYPE_JSON_SCHEMA', 'schema': Text('"people"')}
VENDOR.sends('native-output', {'response_format': FORM, 'tools': ABSENT})
VENDOR.sends(
    'prompted-output',
    {
        'messages': [message('SYSTEM', text(Text('"people"'))), ANY],
        'response_format': {'format_type': 'FORMAT_TYPE_JSON_OBJECT'},
    },
)
for name in ('native-output', 'prompted-output'):
    VENDOR.answers(name, answer(BONN_JSON), events(words_delta(BONN_JSON[:9]), words_delta(BONN_JSON[9:])))
VENDOR.lacks('image-output', error=UserError, match='does not support image output')

# Thinking
VENDOR.sends('thinking-effort', {'reasoning_effort': 'EFFORT_LOW'}, model='grok-3-mini')
THOUGHT = (
    answer('hello', reasoning_content='let me see', encrypted_content='sealed'),
    events(
        {'reasoning_content': 'let '},
        {'reasoning_content': 'me see'},
        {'encrypted_content': 'sealed'},
        words_delta('hello'),
    ),
)
VENDOR.answers('thinking', *THOUGHT, pieces=['let ', 'me see', 'hello'])
VENDOR.answers('signatures', *THOUGHT, parts=[ThinkingPart('let me see', signature='sealed'), TextPart('hello')])
THOUGHT_IN_HISTORY = message('ASSISTANT', ANY, reasoning_content='let me see', encrypted_content='sealed')
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, THOUGHT_IN_HISTORY, message('ASSISTANT', text('hello')), ANY]},
    reply=THOUGHT[0],
)
THOUGHT_AS_TEXT = [message('ASSISTANT', text('<think>\nhm\n</think>')), message('ASSISTANT', text('b'))]
VENDOR.sends('foreign-thinking', {'messages': [ANY, *THOUGHT_AS_TEXT, ANY]})

# Caches and costs
VENDOR.lacks(
    'cache-points',
    why='The vendor decides by itself what to cache; the points are left out.',
    body=user(text('long'), text('short')),
)
VENDOR.lacks('cache-settings')
FULL_USAGE = {**USAGE, 'cached_prompt_text_tokens': 3, 'reasoning_tokens': 2}
COUNTED = (
    answer('hello', fields={'usage': FULL_USAGE, 'model': 'grok-4'}),
    events(words_delta('hello'), usage=FULL_USAGE, model='grok-4'),
)
VENDOR.answers('usage', *COUNTED)
VENDOR.answers('cached-usage', *COUNTED)
VENDOR.answers('usage-details', *COUNTED, response={'usage': RequestUsage(details={'reasoning_tokens': 2})})
VENDOR.answers('cost', *COUNTED)
VENDOR.lacks('token-counting', error=NotImplementedError, match='cannot count tokens')

# Settings
for name, key, value in (
    ('max-tokens', 'max_tokens', 99),
    ('temperature', 'temperature', 0.5),
    ('top-p', 'top_p', 0.25),
    ('seed', 'seed', 7),
    ('presence-penalty', 'presence_penalty', 0.1),
    ('frequency-penalty', 'frequency_penalty', 0.2),
    ('stop-sequences', 'stop', ['END']),
):
    VENDOR.sends(name, {key: value})
VENDOR.ignores('top-k', 'top_k')
VENDOR.ignores('logit-bias', 'logit_bias')
VENDOR.ignores('service-tier', 'service_tier')
VENDOR.lacks('extra-headers', headers={'x-team': ABSENT})
VENDOR.ignores('extra-body', 'field_of_ours')

# How answers end
REASONS = {'STOP': 'stop', 'MAX_LEN': 'length', 'TOOL_CALLS': 'tool_call'}
for why, reason in REASONS.items():
    VENDOR.answers(
        'finish-reasons',
        answer('hello', reason=f'REASON_{why}'),
        events(words_delta('hello'), reason=f'REASON_{why}'),
        response={'finish_reason': reason},
    )
VENDOR.lacks('refusals')
VENDOR.lacks('content-filter')
LIKELY = {'logprobs': {'content': [{'token': 'hello', 'logprob': -0.5}]}}
VENDOR.sends(
    'logprobs',
    {'logprobs': True, 'top_logprobs': 2},
    settings={'xai_logprobs': True, 'xai_top_logprobs': 2},
    note='`xai_logprobs` and `xai_top_logprobs`; in `provider_details` of the text.',
)
FOUND = [TextPart('hello', provider_details={'logprobs': {'content': [{'token': 'hello', 'logprob': -0.5}]}})]
VENDOR.reads('logprobs', answer('hello', about=LIKELY), parts=FOUND)
VENDOR.streams(
    'logprobs',
    events(words_delta('hello'), about=LIKELY),
    parts=FOUND,
    folds=False,
    note='A stream has them at its end.',
)
VENDOR.sends(
    'previous-response',
    {'previous_response_id': 'r1'},
    settings={'xai_previous_response_id': 'r1', 'xai_store_messages': True},
    note='`xai_previous_response_id`.',
)
VENDOR.streams('cancel')
VENDOR.answers('http-errors', *[replies(('INTERNAL', 'out of order'))] * 2, fault={'status_code': 500})
VENDOR.answers('retry-after', *[replies(('RESOURCE_EXHAUSTED', 'slow down', (('retry-after', '7'),)))] * 2)
