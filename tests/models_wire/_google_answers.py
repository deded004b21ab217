"""Answers of Google: each is the chunks of a stream, of which the first is a whole answer, too."""

from __future__ import annotations

import base64
from typing import Any

from _wire import Reply, as_json, as_sse

PDF = 'application/pdf'
PNG = b'\x89PNG\r\n'
USAGE = {'promptTokenCount': 10, 'candidatesTokenCount': 5, 'totalTokenCount': 15}


def body(*parts: Any, reason: Any = 'STOP', candidate: Any = None, **fields: Any) -> dict[str, Any]:
    candidate_body = {'content': {'role': 'model', 'parts': list(parts)}, 'finishReason': reason, 'index': 0}
    if reason is None:
        del candidate_body['finishReason']
    head = {'responseId': 'r1', 'modelVersion': 'gemini-x-001', 'usageMetadata': USAGE}
    return {'candidates': [{**candidate_body, **(candidate or {})}], **head, **fields}


def whole(*parts: Any, **fields: Any) -> Reply:
    return as_json(body(*parts, **fields))


def stream(*chunks: Any) -> Reply:
    return as_sse(chunks, done=False)


def text(content: str, **fields: Any) -> dict[str, Any]:
    return {'text': content, **fields}


CALL = {'functionCall': {'name': 't1', 'args': {'x': 1}}}
SIGNATURE = {'thoughtSignature': 'c2ln'}
IMAGE = {'inlineData': {'mimeType': 'image/png', 'data': base64.b64encode(PNG).decode()}}
EXECUTABLE_CODE = {'executableCode': {'language': 'PYTHON', 'code': '1+1'}}
CODE_RESULT = {'codeExecutionResult': {'outcome': 'OUTCOME_OK', 'output': '2\n'}}
GROUNDED = {
    'groundingMetadata': {
        'webSearchQueries': ['q1', 'q2'],
        'searchEntryPoint': {'renderedContent': '<div>'},
        'groundingChunks': [{'web': {'uri': 'https://a', 'title': 'a', 'domain': 'a.com'}}],
        'groundingSupports': [{'segment': {'endIndex': 2, 'text': 'hi'}, 'groundingChunkIndices': [0]}],
    }
}
FILES = {
    'groundingMetadata': {
        'retrievalQueries': ['q1'],
        'groundingChunks': [
            {'retrievedContext': {'title': 't', 'text': 'x', 'fileSearchStore': 'fileSearchStores/a'}},
        ],
    }
}
FETCHED = {
    'urlContextMetadata': {
        'urlMetadata': [{'retrievedUrl': 'https://a', 'urlRetrievalStatus': 'URL_RETRIEVAL_STATUS_SUCCESS'}]
    }
}
SERVER = [
    {'toolCall': {'id': 'x1', 'toolType': 'GOOGLE_SEARCH_WEB', 'args': {'queries': ['q']}}, **SIGNATURE},
    {
        'toolResponse': {'id': 'x1', 'toolType': 'GOOGLE_SEARCH_WEB', 'response': {'search_suggestions': 's'}},
        **SIGNATURE,
    },
]
RATINGS = [{'category': 'HARM_CATEGORY_HARASSMENT', 'probability': 'HIGH', 'blocked': True}]
ANSWERS: dict[str, list[Any]] = {
    'text': [body(text('hi'))],
    'texts': [body(text('h')), body(text('i'))],
    'two': [body(text('a'), text('b'))],
    'empty_text': [body(text(''))],
    'text_signed': [body(text('hi', **SIGNATURE))],
    'text_then_signature': [body(text('hi')), body(text('', **SIGNATURE))],
    'thought': [body(text('hm', thought=True), text('hi'))],
    'thoughts': [body(text('h', thought=True)), body(text('m', thought=True)), body(text('hi'))],
    'thought_signed': [body(text('hm', thought=True, **SIGNATURE), text('hi'))],
    'thought_then_signed': [body(text('hm', thought=True)), body(text('hi', **SIGNATURE))],
    'thought_then_call': [body(text('hm', thought=True), {**CALL, **SIGNATURE})],
    'thought_empty': [body(text('', thought=True, **SIGNATURE), text('hi'))],
    'thought_after': [body(text('hi'), text('hm', thought=True))],
    'call': [body(CALL)],
    'call_id': [body({'functionCall': {'id': 'c1', 'name': 't1', 'args': {'x': 1}}})],
    'call_no_args': [body({'functionCall': {'name': 't1'}})],
    'call_empty_args': [body({'functionCall': {'name': 't1', 'args': {}}})],
    'call_signed': [body({**CALL, **SIGNATURE})],
    'calls': [body({**CALL, **SIGNATURE}, {'functionCall': {'name': 't2', 'args': {}}})],
    'calls_chunks': [body(text('a'), CALL), body({'functionCall': {'name': 't2', 'args': {}}})],
    'call_output': [body({'functionCall': {'name': 'final_result', 'args': {'x': 1}}})],
    'image': [body(text('see'), IMAGE)],
    'image_signed': [body({**IMAGE, **SIGNATURE})],
    'image_thought': [body({**IMAGE, 'thought': True}, IMAGE)],
    'audio': [body({'inlineData': {'mimeType': 'audio/wav', 'data': 'aGk='}})],
    'file_data': [body({'fileData': {'fileUri': 'gs://a/b', 'mimeType': PDF}})],
    'code': [body(EXECUTABLE_CODE, CODE_RESULT, text('two'))],
    'code_chunks': [body(EXECUTABLE_CODE), body(CODE_RESULT), body(text('two'))],
    'code_signed': [body({**EXECUTABLE_CODE, **SIGNATURE}, {**CODE_RESULT, **SIGNATURE})],
    'code_twice': [body(EXECUTABLE_CODE, CODE_RESULT, EXECUTABLE_CODE, CODE_RESULT)],
    'code_failed': [body(EXECUTABLE_CODE, {'codeExecutionResult': {'outcome': 'OUTCOME_FAILED'}})],
    'code_image': [body(EXECUTABLE_CODE, CODE_RESULT, IMAGE, text('a'))],
    'grounded': [body(text('hi'), candidate=GROUNDED)],
    'grounded_chunks': [body(text('h')), body(text('i'), candidate=GROUNDED)],
    'grounded_twice': [body(text('h'), candidate=GROUNDED), body(text('i'), candidate=GROUNDED)],
    'grounded_nothing': [body(text('hi'), candidate={'groundingMetadata': {}})],
    'grounded_image': [body(text('hi'), candidate={'groundingMetadata': {'imageSearchQueries': ['i']}})],
    'grounded_call': [body(CALL, candidate=GROUNDED)],
    'files': [body(text('hi'), candidate=FILES)],
    'files_no_queries': [
        body(text('hi'), candidate={'groundingMetadata': {**FILES['groundingMetadata'], 'retrievalQueries': []}})
    ],
    'files_chunks': [body(text('h'), candidate=FILES), body(text('i'))],
    'files_code': [
        body(
            {'executableCode': {'language': 'PYTHON', 'code': 'print(file_search.query(query="what is it?"))'}},
            text('hi'),
            candidate=FILES,
        )
    ],
    'files_code_chunks': [
        body({'executableCode': {'language': 'PYTHON', 'code': 'print(file_search.query(query="what is it?"))'}}),
        body({'codeExecutionResult': {'outcome': 'OUTCOME_OK', 'output': 'x'}}),
        body(text('hi'), candidate=FILES),
    ],
    'fetched': [body(text('hi'), candidate=FETCHED)],
    'fetched_chunks': [body(text('h')), body(text('i'), candidate=FETCHED)],
    'fetched_and_grounded': [body(text('hi'), candidate={**FETCHED, **GROUNDED})],
    'server': [body(*SERVER, text('hi'))],
    'server_grounded': [body(*SERVER, text('hi'), candidate=GROUNDED)],
    'server_chunks': [body(SERVER[0]), body(SERVER[1]), body(text('hi'), candidate=GROUNDED)],
    'server_fetch': [
        body(
            {'toolCall': {'id': 'x1', 'toolType': 'URL_CONTEXT', 'args': {'urls': ['u']}}},
            {'toolResponse': {'id': 'x1', 'toolType': 'URL_CONTEXT', 'response': {'a': 1}}},
            text('hi'),
            candidate=FETCHED,
        )
    ],
    'server_files': [
        body(
            {'toolCall': {'toolType': 'FILE_SEARCH', 'args': {'query': 'u'}}},
            {'toolResponse': {'toolType': 'FILE_SEARCH'}},
            text('hi'),
        )
    ],
    'server_other': [body({'toolCall': {'id': 'x1', 'toolType': 'GOOGLE_MAPS', 'args': {}}}, text('hi'))],
    'blocked': [{'promptFeedback': {'blockReason': 'SAFETY', 'safetyRatings': RATINGS}, 'usageMetadata': USAGE}],
    'blocked_message': [{'promptFeedback': {'blockReason': 'OTHER', 'blockReasonMessage': 'no'}, 'responseId': 'r1'}],
    'blocked_details': [
        {
            'promptFeedback': {'blockReason': 'PROHIBITED_CONTENT'},
            'usageMetadata': USAGE,
            'responseId': 'r1',
            'modelVersion': 'g',
            'createTime': '2025-09-01T10:00:00Z',
        }
    ],
    'filtered': [body(reason='SAFETY', candidate={'content': {}, 'safetyRatings': RATINGS, 'finishMessage': 'no'})],
    'filtered_no_content': [{'candidates': [{'finishReason': 'SAFETY', 'index': 0}], 'usageMetadata': USAGE}],
    'filtered_later': [body(text('h'), reason=None), body(reason='SAFETY', candidate={'content': {}})],
    'filtered_text': [body(text('hi'), reason='SAFETY', candidate={'safetyRatings': RATINGS})],
    'malformed_call': [body(reason='MALFORMED_FUNCTION_CALL', candidate={'content': {}, 'finishMessage': 'print(x'})],
    'no_content': [{'candidates': [{'finishReason': 'STOP', 'index': 0}], 'usageMetadata': USAGE}],
    'no_parts': [body(candidate={'content': {'role': 'model'}})],
    'unknown_part': [body({'smell': 1}, text('hi'))],
    'empty_part': [body({}, text('hi'))],
    'created': [body(text('hi'), createTime='2025-09-01T10:00:00Z')],
    'no_version': [{'candidates': [{'content': {'parts': [{'text': 'hi'}]}, 'finishReason': 'STOP'}]}],
    'ratings': [body(text('hi'), candidate={'safetyRatings': RATINGS})],
    'logprobs': [
        body(
            text('hi'),
            candidate={
                'avgLogprobs': -0.5,
                'logprobsResult': {
                    'chosenCandidates': [{'token': 'hi', 'logProbability': -0.5, 'tokenId': 1}],
                    'topCandidates': [{'candidates': [{'token': 'hi', 'logProbability': -0.5}]}],
                },
            },
        )
    ],
    'cited': [
        body(text('hi'), candidate={'citationMetadata': {'citationSources': [{'startIndex': 0, 'uri': 'u'}]}}),
    ],
    'usage': [
        body(
            text('hi'),
            usageMetadata={
                'promptTokenCount': 10,
                'candidatesTokenCount': 5,
                'totalTokenCount': 30,
                'thoughtsTokenCount': 7,
                'cachedContentTokenCount': 4,
                'toolUsePromptTokenCount': 8,
                'trafficType': 'ON_DEMAND',
                'promptTokensDetails': [
                    {'modality': 'TEXT', 'tokenCount': 6},
                    {'modality': 'AUDIO', 'tokenCount': 4},
                ],
                'cacheTokensDetails': [
                    {'modality': 'AUDIO', 'tokenCount': 4},
                ],
                'candidatesTokensDetails': [
                    {'modality': 'TEXT', 'tokenCount': 2},
                    {'modality': 'AUDIO', 'tokenCount': 3},
                ],
                'toolUsePromptTokensDetails': [{'modality': 'TEXT', 'tokenCount': 8}],
            },
        )
    ],
    'no_usage': [body(text('hi'), usageMetadata=None)],
    'usage_zero': [body(text('hi'), usageMetadata={'promptTokenCount': 3, 'totalTokenCount': 3})],
    'usage_later': [body(text('h'), reason=None, usageMetadata={'promptTokenCount': 3}), body(text('i'))],
    'two_candidates': [
        {**body(text('hi')), 'candidates': [body(text('hi'))['candidates'][0], body(text('ho'))['candidates'][0]]}
    ],
}
for reason in (
    'FINISH_REASON_UNSPECIFIED',
    'MAX_TOKENS',
    'RECITATION',
    'LANGUAGE',
    'OTHER',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'UNEXPECTED_TOOL_CALL',
    'IMAGE_PROHIBITED_CONTENT',
    'NO_IMAGE',
    'IMAGE_RECITATION',
    'IMAGE_OTHER',
):
    ANSWERS[f'reason_{reason}'] = [body(text('hi'), reason=reason)]
    ANSWERS[f'reason_{reason}_nothing'] = [body(reason=reason, candidate={'content': {}})]
