"""Messages of an agent as messages of the Vercel AI SDK, and back."""

import json
import re
from datetime import datetime, timezone

from _ui import CALL, NATIVE, NATIVE_RETURN, OTHER, short
from pydantic_ai.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    CompactionPart,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from pydantic_ai.ui.vercel_ai import VercelAIAdapter

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
IMAGE = BinaryContent(b'x', media_type='image/png')
SEALED = {'id': 'i', 'provider_name': 'p', 'provider_details': {'z': 1}}


def request(*parts, **fields):
    return ModelRequest(parts=list(parts), **fields)


def response(*parts, **fields):
    return ModelResponse(parts=list(parts), timestamp=NOW, **fields)


def dump(title, *messages, **options):
    for version in (5, 6):
        print('==', title, version)
        dumped = VercelAIAdapter.dump_messages(messages, sdk_version=version, **options)
        for message in dumped:
            line = json.dumps(message.model_dump(mode='json', exclude_none=True, by_alias=True), sort_keys=True)
            line = re.sub(r'("approval": \{(?:"approved": \w+, )?"id": ")[^"]*', r'\1ID', line)
            print('  ', re.sub(r'[0-9a-f]{8}-[0-9a-f-]{27}', 'ID', line))
        if version == 6:
            for message in VercelAIAdapter.load_messages(dumped):
                print('   ->', short(message))


dump('plain', request(SystemPromptPart('s'), UserPromptPart('hi'), instructions='i'), response(TextPart('yo')))
dump('prompts', request(UserPromptPart('hi'), SystemPromptPart('s'), UserPromptPart('again'), SystemPromptPart('t')))
links = [
    ImageUrl('http://x/y.png'),
    DocumentUrl('http://x/y.pdf'),
    AudioUrl('http://x/a.mp3'),
    VideoUrl('http://x/a.mp4'),
]
dump('files', request(UserPromptPart(['a', IMAGE, *links, TextContent('t'), CachePoint()])))
dump('upload', request(UserPromptPart([UploadedFile('f', provider_name='openai')])))
dump('nothing to show', request(UserPromptPart([CachePoint()])))
retry = RetryPromptPart('bad', tool_name='u', tool_call_id='c2')
results = request(ToolReturnPart('t', {'r': 1}, 'c1'), retry)
dump('calls', request(UserPromptPart('hi')), response(TextPart('t'), CALL, OTHER), results, response(TextPart('done')))
outcomes = [ToolReturnPart('t', 'r', 'c1', outcome='failed'), ToolReturnPart('u', 'no', 'c2', outcome='denied')]
dump('outcomes', response(CALL, OTHER), request(*outcomes))
dump('open', response(CALL))
for args in ('{bad', '[1]', None, ''):
    dump(f'arguments {args}', response(ToolCallPart('t', args, 'c1')), request(ToolReturnPart('t', 'r', 'c1')))
for content in (None, '', 5, b'abc', ['a'], {'return_value': 1}, IMAGE, ['a', IMAGE]):
    dump(f'result {type(content).__name__}', response(CALL), request(ToolReturnPart('t', content, 'c1')))
dump('call with ids', response(ToolCallPart('t', {'x': 1}, 'c1', **SEALED)), request(ToolReturnPart('t', 'r', 'c1')))
dump('native', response(TextPart('a'), NATIVE, NATIVE_RETURN, TextPart('b')))
back = NativeToolReturnPart('ws', 'r', 'n1', provider_name='p', provider_details={'w': 1})
dump('native with ids', response(NativeToolCallPart('ws', {'q': 1}, 'n1', **SEALED), back))
dump('native failed', response(NATIVE, NativeToolReturnPart('ws', 'r', 'n1', provider_name='p', outcome='failed')))
thoughts = [ThinkingPart('th', signature='s', **SEALED), ThinkingPart('b'), ThinkingPart('')]
dump('thinking', response(*thoughts, TextPart('c', id='i', provider_name='p')))
dump('file', response(TextPart('a'), FilePart(IMAGE, id='i', provider_name='p'), CompactionPart('c')))
dump('responses', response(TextPart('a')), response(TextPart('b')))
turn = request(ToolReturnPart('t', 'r', 'c1'), UserPromptPart('more'))
dump('turns', request(UserPromptPart('a')), response(CALL), turn, response(TextPart('b')))
dump('retry', request(RetryPromptPart('bad')), response(TextPart('x')))
dump('retry of text', request(UserPromptPart('a')), response(TextPart('x')), request(RetryPromptPart('bad')))
dump('metadata', request(UserPromptPart('a'), metadata={'x': 1}), response(TextPart('x'), metadata={'y': 1}))
dump('empty', request(), response())


def new_id(message, role, index):
    return f'{type(message).__name__} {role} {index}'


dump('ids', request(SystemPromptPart('s'), UserPromptPart('a')), response(TextPart('x')), generate_message_id=new_id)
