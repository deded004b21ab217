"""Bedrock: the Converse API, through boto3."""

from __future__ import annotations

import base64
from typing import Any

from _bedrock_bodies import (
    CLAUDE,
    NOVA,
    START,
    USAGE,
    answer,
    as_frames,
    begin,
    calling,
    delta,
    end,
    error,
    stop,
    stream,
    text,
    texts,
    thinking,
    thought,
    tool_result,
    tool_use,
)
from _wire import as_json
from kit import bedrock_model

from stead.exceptions import UserError
from stead.messages import NativeToolCallPart, NativeToolReturnPart, TextPart, ThinkingPart, UploadedFile
from stead.usage import RequestUsage

from ._features import BONN_JSON, LOCAL_SEARCH, PNG_64, SCHEMA, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor


def build(name: str, **options: Any) -> Any:
    from stead.models.bedrock import BedrockConverseModel

    return BedrockConverseModel(name, **options)


VENDOR = Vendor(
    'bedrock',
    'Bedrock',
    '`BedrockConverseModel`: the [Converse API of Amazon Bedrock](bedrock.md), whose models differ more than those of others.',
    'boto3',
    provider=lambda server: bedrock_model(server).provider,
    build=build,
    model=CLAUDE,
    answer=answer(text('hello')),
)
DOUBLED = {'toolUseId': 'call-1', 'name': 'double', 'input': {'x': 4}}


def user(*blocks: Any) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(blocks)}]}


def spec(name: str, **fields: Any) -> dict[str, Any]:
    return {'toolSpec': {'name': name, 'inputSchema': {'json': SCHEMA}, **fields}}


# Conversation
VENDOR.sends('text', user(text('hello')), path=Text('/model/us.anthropic.claude-sonnet-4-5', '/converse'))
VENDOR.answers('text', answer(text('hello')), stream(*texts('hel', 'lo')))
VENDOR.sends('system-prompts', {'system': [text('Be brief.')], **user(text('hello'))})
VENDOR.sends('instructions', {'system': [text('Be brief.')], **user(text('hello'))})
VENDOR.sends('history', {'messages': [ANY, {'role': 'assistant', 'content': [text('two')]}, ANY]})
VENDOR.lacks('compaction')
VENDOR.lacks('compaction-history')
VENDOR.answers(
    'identity',
    answer(text('hello')),
    stream(*texts('hello')),
    response={'provider_response_id': 'req-1', 'model_name': CLAUDE},
    note='Answers have the id of the request, and no name of a model.',
)

# What goes into prompts
PIXELS = {'image': {'format': 'png', 'source': {'bytes': PNG_64}}}
FROM_S3 = 'Links that start with `s3://` go to Bedrock as they are.'


def in_base_64(data: bytes) -> str:
    return base64.b64encode(data).decode()


VENDOR.sends('image-url', user(text('look'), PIXELS), download=(base64.b64decode(PNG_64), 'image/png'), note=FROM_S3)
VENDOR.sends('image-bytes', user(text('look'), PIXELS))
VENDOR.lacks('audio-url', error=UserError, match="files of type 'audio", download=(b'RIFF', 'audio/wav'))
VENDOR.lacks('audio-bytes', error=UserError, match="files of type 'audio/wav'")
MOVIE = {'video': {'format': 'mp4', 'source': {'bytes': in_base_64(b'ftyp')}}}
VENDOR.sends('video-url', user(text('look'), MOVIE), download=(b'ftyp', 'video/mp4'), note=FROM_S3)
VENDOR.sends('video-bytes', user(text('see'), MOVIE))
PDF = {'document': {'format': 'pdf', 'name': 'Document 1', 'source': {'bytes': in_base_64(b'%PDF')}}}
VENDOR.sends('document-url', user(text('look'), PDF), download=(b'%PDF', 'application/pdf'), note=FROM_S3)
VENDOR.sends('document-bytes', user(text('read'), PDF), note='PDF, text, and the formats of Word and Excel.')
TXT = {'document': {'format': 'txt', 'name': 'Document 1', 'source': {'bytes': in_base_64(b'some text')}}}
VENDOR.sends('text-file', user(text('read'), TXT))
VENDOR.sends(
    'uploaded-file',
    user(text('read'), {'document': {'format': 'pdf', 'source': {'s3Location': {'uri': 's3://bucket/a.pdf'}}}}),
    messages=prompt('read', UploadedFile('s3://bucket/a.pdf', provider_name='bedrock')),
    note='In S3: the `file_id` is such a link.',
)
VENDOR.sends('tool-files', {'messages': [ANY, ANY, {'content': [{'toolResult': {'content': [PIXELS]}}]}]})

# Tools
VENDOR.sends(
    'tools',
    {
        'toolConfig': {
            'tools': [spec('double', description='Double a number.'), spec('triple')],
            'toolChoice': {'auto': {}},
        }
    },
)
VENDOR.answers(
    'tools',
    answer(tool_use('double', {'x': 4}, 'call-1'), reason='tool_use'),
    stream(*calling('double', '{"x"', ': 4}', call_id='call-1'), reason='tool_use'),
    response={'finish_reason': 'tool_call'},
)
VENDOR.ignores('parallel-setting', 'parallel_tool_calls')
VENDOR.answers(
    'parallel-calls',
    answer(tool_use('double', {'x': 4}, 'call-1'), tool_use('triple', {'x': 5}, 'call-2')),
    stream(
        *calling('double', '{"x":4}', call_id='call-1'), *calling('triple', '{"x"', ':5}', call_id='call-2', place=1)
    ),
)
BARE = tool_use('double', {}, 'call-1')
VENDOR.sends('empty-calls', {'messages': [ANY, {'role': 'assistant', 'content': [BARE]}, ANY]})
VENDOR.answers('empty-calls', answer(BARE), stream(*calling('double', call_id='call-1')))
AFTER_CALL = [ANY, {'role': 'assistant', 'content': [{'toolUse': DOUBLED}]}]
RESULT = tool_result(text('8'), call_id='call-1')
VENDOR.sends('tool-results', {'messages': [*AFTER_CALL, {'role': 'user', 'content': [RESULT]}]})
AGAIN = tool_result(text('x'), call_id='call-1', status='error')
AGAIN['toolResult']['content'] = [{'text': Text('Use small numbers.')}]
VENDOR.sends('tool-retries', {'messages': [*AFTER_CALL, {'role': 'user', 'content': [AGAIN]}]})
VENDOR.sends('strict-tools', {'toolConfig': {'tools': [{'toolSpec': {'strict': True}}]}})
VENDOR.sends('tool-choice-none', {'toolConfig': ABSENT}, note='By sending no tools.')
CHOICES = (
    'Models of Anthropic and Amazon only, and while they do not think; elsewhere that is a `UserError`, and output tools are '
    'sent without it.'
)
VENDOR.sends('tool-choice-required', {'toolConfig': {'toolChoice': {'any': {}}}}, note=CHOICES)
VENDOR.sends('tool-choice-required', model='qwen.qwen3-32b-v1:0', error=UserError, match='cannot be forced')
ONE = {'toolConfig': {'toolChoice': {'tool': {'name': 'double'}}, 'tools': [ANY, ANY]}}
VENDOR.sends('tool-choice-one', ONE, note=CHOICES)

# Native tools
for name in ('web-search', 'web-fetch', 'x-search', 'image-generation', 'file-search', 'mcp-server', 'memory'):
    VENDOR.lacks(name, REQUEST, error=UserError, match='native tool')
    for direction in () if name == 'memory' else (RESPONSE, STREAM):
        VENDOR.lacks(name, direction)
NOVA_2 = 'Models of the family Nova 2.'
SYSTEM_TOOL = {'systemTool': {'name': 'nova_code_interpreter'}}
VENDOR.sends('code-execution', {'toolConfig': {'tools': [SYSTEM_TOOL]}}, model=NOVA, note=NOVA_2)
RUN = tool_use('nova_code_interpreter', {'snippet': '1+1'}, 'n1', type='server_tool_use')
WROTE = {'stdOut': '2', 'stdErr': '', 'exitCode': 0, 'isError': False}
RAN = tool_result({'json': WROTE}, call_id='n1', type='nova_code_interpreter_result')
EXECUTED = answer(RUN, RAN, text('hello'))
CODE_PARTS = [
    NativeToolCallPart('code_execution', {'snippet': '1+1'}, 'n1', provider_name='bedrock'),
    NativeToolReturnPart('code_execution', WROTE, 'n1', provider_name='bedrock'),
    TextPart('hello'),
]
VENDOR.answers(
    'code-execution',
    EXECUTED,
    stream(
        begin({'toolUse': {'toolUseId': 'n1', 'name': 'nova_code_interpreter', 'type': 'server_tool_use'}}),
        delta({'toolUse': {'input': '{"snippet": "1+1"}'}}),
        stop(),
        begin({'toolResult': {'toolUseId': 'n1', 'type': 'nova_code_interpreter_result', 'status': 'success'}}, 1),
        delta({'toolResult': [{'json': WROTE}]}, 1),
        stop(1),
        *texts('hello', place=2),
    ),
    model=NOVA,
    parts=CODE_PARTS,
)
VENDOR.lacks('tool-search', why=LOCAL_SEARCH)
VENDOR.sends(
    'native-history', {'messages': [ANY, {'content': [RUN, RAN, text('hello')]}, ANY]}, model=NOVA, reply=EXECUTED
)
VENDOR.sends('foreign-native-history', {'messages': [ANY, {'content': [text('b')]}, ANY]})

# Output
BONN_CALL = answer(tool_use('final_result', {'name': 'Bonn', 'people': 330_000}), reason='tool_use')
VENDOR.sends(
    'tool-output', {'toolConfig': {'toolChoice': {'any': {}}, 'tools': [{'toolSpec': {'name': 'final_result'}}]}}
)
VENDOR.answers(
    'tool-output',
    BONN_CALL,
    stream(*calling('final_result', BONN_JSON[:9], BONN_JSON[9:]), reason='tool_use'),
)
FORM = {
    'textFormat': {'type': 'json_schema', 'structure': {'jsonSchema': {'name': 'City', 'schema': Text('"people"')}}}
}
MODELS_WITH_SCHEMAS = (
    'Models whose [profile](models.md#providers) says so, such as Claude from 4.5 on; elsewhere that is a `UserError`.'
)
VENDOR.sends('native-output', {'outputConfig': FORM}, note=MODELS_WITH_SCHEMAS)
VENDOR.sends('native-output', model=NOVA, error=UserError, match='native structured output')
VENDOR.answers('native-output', answer(text(BONN_JSON)), stream(*texts(BONN_JSON[:9], BONN_JSON[9:])))
VENDOR.sends('prompted-output', {'system': [{'text': Text('"people"')}], 'outputConfig': ABSENT})
VENDOR.answers('prompted-output', answer(text(BONN_JSON)), stream(*texts(BONN_JSON[:9], BONN_JSON[9:])))
VENDOR.lacks('image-output', error=UserError, match='image')

# Thinking
BUDGET = {'thinking': {'type': 'enabled', 'budget_tokens': 2048}}
VENDOR.sends(
    'thinking-effort',
    {'additionalModelRequestFields': BUDGET},
    note='Models of Anthropic, OpenAI and Qwen, each in its own way; elsewhere it is left out.',
)
for model, fields in {
    'anthropic.claude-sonnet-4-6': {'thinking': {'type': 'adaptive'}, 'output_config': {'effort': 'low'}},
    'openai.gpt-oss-120b-1:0': {'reasoning_effort': 'low'},
    'qwen.qwen3-32b-v1:0': {'reasoning_config': 'low'},
    NOVA: ABSENT,
}.items():
    VENDOR.sends('thinking-effort', {'additionalModelRequestFields': fields}, model=model)
THOUGHT = answer(thought('let me see'), text('hello'))
SIGNED = answer(thought('let me see', 'sealed'), text('hello'))
VENDOR.answers(
    'thinking',
    THOUGHT,
    stream(*thinking('let ', 'me see'), *texts('hello', place=1)),
    pieces=['let ', 'me see', 'hello'],
)
VENDOR.answers(
    'signatures',
    SIGNED,
    stream(*thinking('let me see', signature='sealed'), *texts('hello', place=1)),
    parts=[ThinkingPart('let me see', signature='sealed', provider_name='bedrock'), TextPart('hello')],
)
VENDOR.sends(
    'thinking-history',
    {'messages': [ANY, {'content': [thought('let me see', 'sealed'), text('hello')]}, ANY]},
    reply=SIGNED,
    note='To models of Anthropic and to DeepSeek R1; to others as text.',
)
VENDOR.sends(
    'foreign-thinking', {'messages': [ANY, {'content': [text('<thinking>\nhm\n</thinking>'), text('b')]}, ANY]}
)

# Caches and costs
POINT = {'cachePoint': {'type': 'default'}}
CACHED = 'Models of Anthropic and Amazon; elsewhere cache points are left out.'
VENDOR.sends('cache-points', user(text('long'), POINT, text('short')), note=CACHED)
VENDOR.sends('cache-points', user(text('long'), text('short')), model='us.meta.llama3-3-70b-instruct-v1:0')
VENDOR.sends(
    'cache-settings',
    {'toolConfig': {'tools': [ANY, ANY, POINT]}, **user(text('hello'), POINT)},
    settings={'bedrock_cache_tool_definitions': True, 'bedrock_cache_messages': True},
    note='`bedrock_cache_messages`, `bedrock_cache_instructions`, `bedrock_cache_tool_definitions`.',
)
VENDOR.answers('usage', answer(text('hello')), stream(*texts('hello')))
COUNTS = {**USAGE, 'cacheReadInputTokens': 3, 'cacheWriteInputTokens': 4}
VENDOR.answers(
    'cached-usage',
    answer(text('hello'), usage=COUNTS),
    as_frames([START, *texts('hello'), end(), ('metadata', {'usage': COUNTS})]),
    response={
        'usage': RequestUsage(input_tokens=17, output_tokens=5, cache_read_tokens=3, cache_write_tokens=4),
    },
)
VENDOR.lacks('usage-details')
VENDOR.answers('cost', answer(text('hello')), stream(*texts('hello')))
VENDOR.sends(
    'token-counting',
    path=Text('/model/anthropic.claude-sonnet-4-5', '/count-tokens'),
    reply=as_json({'inputTokens': 42}),
)
VENDOR.reads('token-counting', as_json({'inputTokens': 42}), result=RequestUsage(input_tokens=42))

# Settings
VENDOR.sends('max-tokens', {'inferenceConfig': {'maxTokens': 99}})
VENDOR.sends('temperature', {'inferenceConfig': {'temperature': 0.5}})
VENDOR.sends('top-p', {'inferenceConfig': {'topP': 0.25}})
OWN_FIELDS = 'Some models have it: `bedrock_additional_model_requests_fields` says so.'
VENDOR.ignores('top-k', 'top_k', why=OWN_FIELDS)
VENDOR.ignores('seed', 'seed')
VENDOR.ignores('presence-penalty', 'presence_penalty')
VENDOR.ignores('frequency-penalty', 'frequency_penalty')
VENDOR.ignores('logit-bias', 'logit_bias')
VENDOR.sends('stop-sequences', {'inferenceConfig': {'stopSequences': ['END']}})
VENDOR.sends('service-tier', {'serviceTier': {'type': 'flex'}})
VENDOR.sends('extra-headers', headers={'x-team': 'blue'})
VENDOR.lacks(
    'extra-body',
    body={'field_of_ours': ABSENT},
    warns='bedrock_additional_model_requests_fields',
    why='It is left out, with a warning; fields of the model are in `bedrock_additional_model_requests_fields`.',
)

# How answers end
for vendor_reason, reason in {
    'end_turn': 'stop',
    'stop_sequence': 'stop',
    'tool_use': 'tool_call',
    'max_tokens': 'length',
    'model_context_window_exceeded': 'length',
    'guardrail_intervened': 'content_filter',
    'malformed_tool_use': 'error',
    'bored': None,
}.items():
    VENDOR.answers(
        'finish-reasons',
        answer(text('hello'), reason=vendor_reason),
        stream(*texts('hello'), reason=vendor_reason),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': vendor_reason}},
    )
VENDOR.answers(
    'refusals',
    answer(text('Sorry.'), reason='guardrail_intervened'),
    stream(*texts('Sorry.'), reason='guardrail_intervened'),
    note='Of a guardrail: what it says in place of the answer is the text.',
)
VENDOR.answers('content-filter', answer(reason='content_filtered'), stream(reason='content_filtered'))
VENDOR.lacks('logprobs')
VENDOR.lacks('previous-response')
VENDOR.streams('cancel')
for name, reply in {
    'http-errors': error('ServiceUnavailableException', 503, 'out of order'),
    'retry-after': as_json({'message': 'slow down'}, 429, {'retry-after': '7'}),
}.items():
    VENDOR.answers(name, reply, reply)
