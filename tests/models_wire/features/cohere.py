"""Cohere: version 2 of its chat API."""

from __future__ import annotations

from typing import Any

from _cohere_bodies import USAGE, answer, call, calling, event, pieces, stream, thought
from kit_cohere import cohere_provider

from stead import ModelProfile
from stead.exceptions import UserError
from stead.messages import TextPart, ThinkingPart, UploadedFile
from stead.usage import RequestUsage

from ._features import BONN_JSON, PNG_64, SITE, prompt
from ._match import ABSENT, ANY, Text
from ._table import REQUEST, RESPONSE, STREAM, Vendor

FILE = prompt('read', UploadedFile('file-1', provider_name='openai'))
HELD = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
THINKS = ModelProfile(supports_thinking=True)


def build(name: str, **options: Any) -> Any:
    from stead.models.cohere import CohereModel

    return CohereModel(name, **options)


def text(words: str) -> dict[str, str]:
    return {'type': 'text', 'text': words}


def user(*content: Any) -> dict[str, Any]:
    return {'messages': [{'role': 'user', 'content': list(content)}]}


def says(*content: Any, **fields: Any) -> dict[str, Any]:
    return {'role': 'assistant', 'content': list(content), **fields}


def function(name: str, **fields: Any) -> dict[str, Any]:
    return {'type': 'function', 'function': {'name': name, 'parameters': {'type': 'object'}, **fields}}


def whole_and_streamed(**fields: Any) -> tuple[Any, Any]:
    """Return an answer that says hello, whole and streamed."""
    return answer('hello', **fields), stream(pieces('hel', 'lo'))


VENDOR = Vendor(
    'cohere',
    'Cohere',
    '`CohereModel`: version 2 of its chat API.',
    'cohere',
    provider=lambda server: cohere_provider(server.url),
    build=build,
    model='command-r-08-2024',
    answer=answer('hello'),
)
HELLO = whole_and_streamed()

# Conversation
VENDOR.sends('text', {'model': VENDOR.model, 'messages': [{'role': 'user', 'content': 'hello'}]}, path='/v2/chat')
VENDOR.answers('text', *HELLO)
VENDOR.sends('system-prompts', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends('instructions', {'messages': [{'role': 'system', 'content': 'Be brief.'}, ANY]})
VENDOR.sends(
    'history',
    {'messages': [{'role': 'user', 'content': 'one'}, says(text('two')), {'role': 'user', 'content': 'three'}]},
)
VENDOR.answers('identity', *HELLO, response={'provider_response_id': 'c1', 'model_name': VENDOR.model})
VENDOR.lacks('compaction')
VENDOR.lacks('compaction-history')

# What goes into prompts
VENDOR.sends('image-url', user(text('look'), {'type': 'image_url', 'image_url': {'url': f'{SITE}/a.png'}}))
VENDOR.sends('image-bytes', user(ANY, {'type': 'image_url', 'image_url': {'url': f'data:image/png;base64,{PNG_64}'}}))
for name in ('audio-url', 'audio-bytes', 'video-url', 'video-bytes', 'document-url', 'document-bytes', 'uploaded-file'):
    VENDOR.lacks(
        name, error=UserError, match='Cohere takes no', **({'messages': FILE} if name == 'uploaded-file' else {})
    )
VENDOR.sends('text-file', user(ANY, text(Text('some text', 'id="f1"'))), note='As text, with its name around it.')  # type: ignore[arg-type]
SEEN = [text(ANY), {'type': 'image_url', 'image_url': {'url': Text(PNG_64)}}]
VENDOR.sends(
    'tool-files',
    {'messages': [ANY, ANY, {'role': 'tool', 'content': Text('f1')}, {'role': 'user', 'content': SEEN}]},
    note='Results are text, so the files follow in a prompt.',
)

# Tools
VENDOR.sends('tools', {'tools': [function('double', description='Double a number.'), function('triple')]})
CALLED = {'tool_calls': [call('double', '{"x": 4}', 'call-1')]}
VENDOR.answers(
    'tools',
    answer(message=CALLED, finish='TOOL_CALL'),
    stream(calling('double', '{"x"', ': 4}', call_id='call-1'), finish='TOOL_CALL'),
    response={'finish_reason': 'tool_call'},
)
TWO = {'tool_calls': [call('double', '{"x":4}', 'call-1'), call('triple', '{"x":5}', 'call-2')]}
VENDOR.answers(
    'parallel-calls',
    answer(message=TWO, finish='TOOL_CALL'),
    stream(
        calling('double', '{"x":4}', call_id='call-1'),
        calling('triple', '{"x":5}', index=1, call_id='call-2'),
        finish='TOOL_CALL',
    ),
)
ASKED = [ANY, {'role': 'assistant', 'tool_calls': [call('double', '{"x":4}', 'call-1')]}]
VENDOR.sends('tool-results', {'messages': [*ASKED, {'role': 'tool', 'tool_call_id': 'call-1', 'content': '8'}]})
AGAIN = {'role': 'tool', 'tool_call_id': 'call-1', 'content': Text('Use small numbers.')}
VENDOR.sends('tool-retries', {'messages': [*ASKED, AGAIN]})
