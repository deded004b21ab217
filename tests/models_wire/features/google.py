"""Google's Gemini API."""

from __future__ import annotations

import base64
import re
from typing import Any

from _wire import Reply, as_json, as_sse

from stead.exceptions import UserError
from stead.messages import NativeToolCallPart, NativeToolReturnPart, TextPart, ThinkingPart, UploadedFile
from stead.usage import RequestUsage

from ._features import BONN_JSON, FILE, LOCAL_SEARCH, PNG_64, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor


def provider(server: Any) -> Any:
    from stead.providers.google import GoogleProvider

    return GoogleProvider(api_key='sk-secret-of-ours', base_url=server.url)


def build(name: str, **options: Any) -> Any:
    from stead.models.google import GoogleModel

    return GoogleModel(name, **options)


def camel(body: Any) -> Any:
    """Return a body with the names of its fields in one style; the API takes two, and so do releases of the SDK."""
    if isinstance(body, dict):
        return {re.sub('_([a-z])', lambda found: found[1].upper(), name): camel(value) for name, value in body.items()}
    return [camel(item) for item in body] if isinstance(body, list) else body


def piece(*parts: Any, reason: str | None = None, about: Any = None, **fields: Any) -> dict[str, Any]:
    """Return an answer, or a piece of one."""
    candidate: dict[str, Any] = {'content': {'role': 'model', 'parts': list(parts)}, 'index': 0, **(about or {})}
    if reason is not None:
        candidate['finishReason'] = reason
    usage = {'promptTokenCount': 10, 'candidatesTokenCount': 5, 'totalTokenCount': 15}
    head = {'modelVersion': 'gemini-2.5-flash-001', 'responseId': 'r1', 'usageMetadata': usage}
    return {'candidates': [candidate], **head, **fields}


def answer(*parts: Any, reason: str = 'STOP', **fields: Any) -> Reply:
    return as_json(piece(*parts, reason=reason, **fields))


def events(*parts: Any, reason: str = 'STOP', **fields: Any) -> Reply:
    """Return a stream of one event for each part; the last one says how it ends, and more."""
    return as_sse([*(piece(part) for part in parts[:-1]), piece(*parts[-1:], reason=reason, **fields)], done=False)


def text(words: Any, **fields: Any) -> dict[str, Any]:
    return {'text': words, **fields}


def user(*parts: Any) -> dict[str, Any]:
    return {'contents': [{'role': 'user', 'parts': list(parts)}]}


def inline(data: bytes, media_type: str) -> dict[str, Any]:
    return {'inlineData': {'data': base64.b64encode(data).decode(), 'mimeType': media_type}}


def call(name: str, arguments: Any, call_id: str = 'call-1') -> dict[str, Any]:
    return {'functionCall': {'id': call_id, 'name': name, 'args': arguments}}


def config(**fields: Any) -> dict[str, Any]:
    return {'generationConfig': fields}


def calling(mode: str, **fields: Any) -> dict[str, Any]:
    return {'toolConfig': {'functionCallingConfig': {'mode': mode, **fields}}}


VENDOR = Vendor(
    'google',
    'Google',
    '`GoogleModel`: the Gemini API.',
    'google.genai',
    provider=provider,
    build=build,
    model='gemini-2.5-flash',
    answer=answer(text('hello')),
    plain=camel,
)

# Conversation
VENDOR.sends('text', user(text('hello')), path=Text('/models/gemini-2.5-flash:generateContent'))
VENDOR.answers('text', answer(text('hello')), events(text('hel'), text('lo')))
VENDOR.sends('system-prompts', {'systemInstruction': {'parts': [text('Be brief.')]}, **user(text('hello'))})
VENDOR.sends('instructions', {'systemInstruction': {'parts': [text('Be brief.')]}, **user(text('hello'))})
VENDOR.sends('history', {'contents': [ANY, {'role': 'model', 'parts': [text('two')]}, {'role': 'user'}]})
VENDOR.answers(
    'identity',
    answer(text('hello')),
    events(text('hello')),
    response={'provider_response_id': 'r1', 'model_name': 'gemini-2.5-flash-001'},
)

VENDOR.lacks('compaction')
VENDOR.lacks('compaction-history')

# What goes into prompts
PIXELS = {'inlineData': {'data': PNG_64, 'mimeType': 'image/png'}}
VENDOR.sends('image-url', user(text('look'), inline(b'png', 'image/png')), download=(b'png', 'image/png'))
VENDOR.sends('image-bytes', user(text('look'), PIXELS))
for kind, data, media_type in (
    ('audio', b'RIFF', 'audio/wav'),
    ('video', b'ftyp', 'video/mp4'),
    ('document', b'%PDF', 'application/pdf'),
):
    VENDOR.sends(f'{kind}-url', user(ANY, inline(data, media_type)), download=(data, media_type))
    VENDOR.sends(f'{kind}-bytes', user(ANY, inline(data, media_type)))
VENDOR.sends('text-file', user(ANY, inline(b'some text', 'text/plain')))
STORED = 'https://generativelanguage.googleapis.com/v1beta/files/f1'
VENDOR.sends(
    'uploaded-file',
    user(ANY, {'fileData': {'fileUri': STORED, 'mimeType': 'application/pdf'}}),
    messages=prompt('read', UploadedFile(STORED, provider_name='google', media_type='application/pdf')),
)
VENDOR.sends(
    'tool-files',
    {'contents': [ANY, ANY, {'parts': [{'functionResponse': ANY}]}, {'role': 'user', 'parts': [ANY, PIXELS]}]},
    note='Files follow in a prompt; models from Gemini 3 on take them in results.',
)
VENDOR.sends(
    'tool-files',
    {'contents': [ANY, ANY, {'parts': [{'functionResponse': {'parts': [{'inlineData': {'data': PNG_64}}]}}]}]},
    model='gemini-3-pro-preview',
)

# Tools
TWO = [{'name': 'double', 'description': 'Double a number.'}, {'name': 'triple'}]
VENDOR.sends('tools', {'tools': [{'functionDeclarations': TWO}], **calling('AUTO')})
VENDOR.answers(
    'tools',
    answer(call('double', {'x': 4})),
    events(call('double', {'x': 4})),
    pieces=None,
    note='Arguments come all at once.',
)
VENDOR.ignores('parallel-setting', 'parallel_tool_calls')
VENDOR.answers(
    'parallel-calls',
    answer(call('double', {'x': 4}), call('triple', {'x': 5}, 'call-2')),
    events(call('double', {'x': 4}), call('triple', {'x': 5}, 'call-2')),
)
VENDOR.sends('empty-calls', {'contents': [ANY, {'role': 'model', 'parts': [call('double', ANY)]}, ANY]})
VENDOR.answers('empty-calls', answer(call('double', {})), events(call('double', {})))
AFTER_CALL = [ANY, {'role': 'model', 'parts': [call('double', {'x': 4})]}]


def result(response: Any) -> dict[str, Any]:
    return {'parts': [{'functionResponse': {'id': 'call-1', 'name': 'double', 'response': response}}]}


VENDOR.sends('tool-results', {'contents': [*AFTER_CALL, result({'returnValue': 8})]})
VENDOR.sends('tool-retries', {'contents': [*AFTER_CALL, result({'error': Text('Use small numbers.')})]})
VENDOR.lacks('strict-tools', body={'tools': [{'functionDeclarations': [{'name': 'double', 'strict': ABSENT}]}]})
VENDOR.sends('tool-choice-none', {'tools': ANY, **calling('NONE')})
VENDOR.sends('tool-choice-required', {'tools': ANY, **calling('ANY')})
VENDOR.sends(
    'tool-choice-one',
    {'tools': [{'functionDeclarations': [ANY, ANY]}], **calling('ANY', allowedFunctionNames=['double'])},
)

# Native tools
VENDOR.sends('web-search', {'tools': [{'googleSearch': {}}]})
GROUND = {'groundingMetadata': {'webSearchQueries': ['q'], 'groundingChunks': [{'web': {'uri': 'u', 'title': 't'}}]}}
SEARCHED = [
    NativeToolCallPart('web_search', {'queries': ['q']}),
    NativeToolReturnPart('web_search', [{'uri': 'u', 'title': 't'}]),
]
VENDOR.reads('web-search', answer(text('hello'), about=GROUND), parts=[*SEARCHED, TextPart('hello')])
BESIDE = 'In a stream after text it is in `provider_details` of the response, as the vendor has it.'
VENDOR.streams(
    'web-search',
    events(text('hel'), text('lo'), about=GROUND),
    parts=[TextPart('hello')],
    response={'provider_details': {'grounding_metadata': {'web_search_queries': ['q']}}},
    note=BESIDE,
)
VENDOR.sends('web-fetch', {'tools': [{'urlContext': {}}]})
READ = {
    'urlContextMetadata': {'urlMetadata': [{'retrievedUrl': 'u', 'urlRetrievalStatus': 'URL_RETRIEVAL_STATUS_SUCCESS'}]}
}
FETCHED = [
    NativeToolCallPart('web_fetch', {'urls': ['u']}),
    NativeToolReturnPart('web_fetch', [{'retrieved_url': 'u'}]),
]
VENDOR.reads('web-fetch', answer(text('hello'), about=READ), parts=[*FETCHED, TextPart('hello')])
VENDOR.streams(
    'web-fetch',
    as_sse([piece(about=READ), piece(text('hello'), reason='STOP')], done=False),
    parts=[*FETCHED, TextPart('hello')],
)
VENDOR.streams(
    'web-fetch',
    events(text('hel'), text('lo'), about=READ),
    parts=[TextPart('hello')],
    response={'provider_details': {'url_context_metadata': {'url_metadata': [{'retrieved_url': 'u'}]}}},
    note=BESIDE,
)
for name in ('x-search', 'mcp-server'):
    VENDOR.lacks(name, REQUEST, error=UserError, match='native tool')
    VENDOR.lacks(name, RESPONSE, STREAM)
VENDOR.lacks(
    'tool-search',
    REQUEST,
    why=LOCAL_SEARCH,
    body={'tools': [{'functionDeclarations': [{'name': 'double'}, {'name': 'search_tools'}]}]},
)
VENDOR.lacks('tool-search', RESPONSE, STREAM)
VENDOR.lacks('memory', error=UserError, match='native tool')
VENDOR.sends('code-execution', {'tools': [{'codeExecution': {}}]})
CODE = [
    {'executableCode': {'language': 'PYTHON', 'code': 'print(1)'}},
    {'codeExecutionResult': {'outcome': 'OUTCOME_OK', 'output': '1'}},
]
VENDOR.answers(
    'code-execution',
    answer(*CODE),
    events(*CODE),
    parts=[
        NativeToolCallPart('code_execution', {'language': 'PYTHON', 'code': 'print(1)'}),
        NativeToolReturnPart('code_execution', {'outcome': 'OUTCOME_OK', 'output': '1'}),
    ],
)
PAINTER = 'gemini-2.5-flash-image'
VENDOR.sends(
    'image-generation',
    config(imageConfig=ANY),
    model=PAINTER,
    note='Models that make images only; the images are parts, without a call.',
)
VENDOR.answers('image-generation', answer(PIXELS), events(PIXELS), model=PAINTER, parts=[FILE])
VENDOR.sends('file-search', {'tools': [{'fileSearch': {'fileSearchStoreNames': ['store-1']}}]})
FOUND = {'groundingMetadata': {'groundingChunks': [{'retrievedContext': {'text': 't', 'title': 'n'}}]}}
VENDOR.reads(
    'file-search',
    answer(text('hello'), about=FOUND),
    parts=[NativeToolCallPart('file_search'), NativeToolReturnPart('file_search', [{'text': 't', 'title': 'n'}]), ANY],
)
VENDOR.streams(
    'file-search',
    events(text('hel'), text('lo'), about=FOUND),
    parts=[TextPart('hello')],
    response={'provider_details': {'grounding_metadata': {'grounding_chunks': [ANY]}}},
    note=BESIDE,
)
VENDOR.sends(
    'native-history',
    {'contents': [ANY, {'role': 'model', 'parts': CODE}, ANY]},
    reply=answer(*CODE),
    note='Code and its result; what was searched is not sent back.',
)
VENDOR.sends('foreign-native-history', {'contents': [ANY, {'role': 'model', 'parts': [text('b')]}, ANY]})

# Output
VENDOR.sends('tool-output', {'tools': [{'functionDeclarations': [{'name': 'final_result'}]}], **calling('ANY')})
BONN = call('final_result', {'name': 'Bonn', 'people': 330_000})
VENDOR.answers('tool-output', answer(BONN), events(BONN))
VENDOR.sends(
    'native-output',
    {
        'tools': ABSENT,
        **config(responseMimeType='application/json', responseJsonSchema={'type': 'object', 'properties': ANY}),
    },
)
VENDOR.sends(
    'prompted-output',
    {'systemInstruction': {'parts': [text(Text('"people"'))]}, **config(responseMimeType='application/json')},
)
for name in ('native-output', 'prompted-output'):
    VENDOR.answers(name, answer(text(BONN_JSON)), events(text(BONN_JSON[:9]), text(BONN_JSON[9:])))
VENDOR.answers('image-output', answer(PIXELS), events(PIXELS), model=PAINTER)

# Thinking
VENDOR.sends('thinking-effort', config(thinkingConfig={'includeThoughts': True, 'thinkingBudget': 2048}))
THOUGHTS = [text('let ', thought=True), text('me see', thought=True)]
SEALED = base64.b64encode(b'sealed').decode()
VENDOR.reads('thinking', answer(text('let me see', thought=True), text('hello')))
VENDOR.streams('thinking', events(*THOUGHTS, text('hello')), pieces=['let ', 'me see', 'hello'])
SIGNED = [
    ThinkingPart('let me see'),
    TextPart('hello', provider_name='google', provider_details={'thought_signature': SEALED}),
]
VENDOR.answers(
    'signatures',
    answer(text('let me see', thought=True), text('hello', thoughtSignature=SEALED)),
    events(*THOUGHTS, text('hello', thoughtSignature=SEALED)),
    parts=SIGNED,
    note='In `provider_details` of the part that comes with them.',
)
VENDOR.sends(
    'thinking-history',
    {'contents': [ANY, {'parts': [text('let me see', thought=True), text('hello', thoughtSignature=SEALED)]}, ANY]},
    reply=answer(text('let me see', thought=True), text('hello', thoughtSignature=SEALED)),
)
VENDOR.sends(
    'foreign-thinking',
    {'contents': [ANY, {'parts': [text('hm', thought=True, thoughtSignature=ABSENT), text('b')]}, ANY]},
    note='As thinking without a signature.',
)

# Caches and costs
VENDOR.lacks(
    'cache-points',
    why='The vendor decides by itself what to cache; the points are left out.',
    body=user(text('long'), text('short')),
)
VENDOR.sends(
    'cache-settings',
    {'cachedContent': 'cachedContents/c1'},
    settings={'google_cached_content': 'cachedContents/c1'},
    note='`google_cached_content`: what was cached before. Instructions and tools are left out, with a warning.',
    warns='leaves out',
)
USAGE = {
    'promptTokenCount': 10,
    'candidatesTokenCount': 3,
    'thoughtsTokenCount': 2,
    'totalTokenCount': 15,
    'cachedContentTokenCount': 3,
}
COUNTED = (
    answer(text('hello'), usageMetadata=USAGE, modelVersion='gemini-2.5-flash'),
    events(text('hello'), usageMetadata=USAGE, modelVersion='gemini-2.5-flash'),
)
VENDOR.answers('usage', *COUNTED)
VENDOR.answers('cached-usage', *COUNTED)
VENDOR.answers('usage-details', *COUNTED, response={'usage': RequestUsage(details={'thoughts_tokens': 2})})
VENDOR.answers('cost', *COUNTED)
VENDOR.sends('token-counting', user(text('hello')), path=Text(':countTokens'), reply=as_json({'totalTokens': 17}))
VENDOR.reads('token-counting', as_json({'totalTokens': 17}), result=RequestUsage(input_tokens=17))

# Settings
VENDOR.sends('max-tokens', config(maxOutputTokens=99))
VENDOR.sends('temperature', config(temperature=0.5))
VENDOR.sends('top-p', config(topP=0.25))
VENDOR.sends('top-k', config(topK=3))
VENDOR.sends('seed', config(seed=7))
VENDOR.sends('presence-penalty', config(presencePenalty=0.1))
VENDOR.sends('frequency-penalty', config(frequencyPenalty=0.2))
VENDOR.ignores('logit-bias', 'logit_bias', 'logitBias')
VENDOR.sends('stop-sequences', config(stopSequences=['END']))
VENDOR.sends('service-tier', {'serviceTier': 'flex'})
VENDOR.sends('extra-headers', headers={'x-team': 'blue'})
VENDOR.sends('extra-body', {'fieldOfOurs': 1})

# How answers end
REASONS = {'STOP': 'stop', 'MAX_TOKENS': 'length', 'SAFETY': 'content_filter', 'RECITATION': 'content_filter'}
for vendor_reason, reason in REASONS.items():
    VENDOR.answers(
        'finish-reasons',
        answer(text('hello'), reason=vendor_reason),
        events(text('hello'), reason=vendor_reason),
        response={'finish_reason': reason, 'provider_details': {'finish_reason': vendor_reason}},
    )
VENDOR.lacks('refusals')
BLOCKED = {'promptFeedback': {'blockReason': 'SAFETY'}, 'candidates': []}
VENDOR.answers('content-filter', answer(reason='SAFETY'), events(reason='SAFETY'))
VENDOR.answers('content-filter', answer(**BLOCKED), as_sse([piece(**BLOCKED)], done=False))
LIKELY = {'chosenCandidates': [{'token': 'hello', 'tokenId': 1, 'logProbability': -0.5}]}
VENDOR.sends(
    'logprobs',
    config(responseLogprobs=True, logprobs=2),
    settings={'google_logprobs': True, 'google_top_logprobs': 2},
    note='`google_logprobs` and `google_top_logprobs`; in `provider_details` of the response.',
)
VENDOR.reads(
    'logprobs',
    answer(text('hello'), about={'logprobsResult': LIKELY}),
    response={'provider_details': {'logprobs': {'chosen_candidates': [{'token': 'hello', 'log_probability': -0.5}]}}},
)
VENDOR.lacks(
    'logprobs',
    STREAM,
    reply=events(text('hello'), about={'logprobsResult': LIKELY}),
    response={'provider_details': {'logprobs': ABSENT}},
)
VENDOR.lacks('previous-response')
VENDOR.streams('cancel')
VENDOR.answers('http-errors')
VENDOR.answers('retry-after')
