"""Messages of an agent as messages of AG-UI, and back."""

# needs: ag_ui
import re
import warnings

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
from pydantic_ai.ui.ag_ui import AGUIAdapter

warnings.simplefilter('ignore')
IMAGE = BinaryContent(b'x', media_type='image/png')
MISSING = [{'type': 'missing', 'loc': ('a',), 'msg': 'm', 'input': 1}]
RETURN = ToolReturnPart('t', 'r', 'c1')


def request(*parts, **fields):
    return ModelRequest(parts=list(parts), **fields)


def response(*parts, **fields):
    return ModelResponse(parts=list(parts), **fields)


def dump(title, *messages, version='0.1.15', back=True, **options):
    print('==', title)
    dumped = AGUIAdapter.dump_messages(messages, ag_ui_version=version, **options)
    for message in dumped:
        fields = {key: value for key, value in message.model_dump(exclude_none=True).items() if key != 'id'}
        print('  ', re.sub(r'"?[0-9a-f]{8}-[0-9a-f-]{27}', 'ID', str(fields)))
    assert len({message.id for message in dumped}) == len(dumped)
    if back:
        for message in AGUIAdapter.load_messages(dumped, **options):
            print('   ->', short(message))


dump('nothing')
dump('plain', request(SystemPromptPart('sys'), UserPromptPart('hi')), response(TextPart('yo')))
dump('user before system', request(UserPromptPart('hi'), SystemPromptPart('sys')))
dump('instructions', request(UserPromptPart('hi'), instructions='inst'), response(TextPart('yo')))
binaries = [
    BinaryContent(b'x', media_type=kind) for kind in ('audio/mpeg', 'video/mp4', 'application/pdf', 'text/plain')
]
links = [
    ImageUrl('http://x/a.png'),
    AudioUrl('http://x/a.mp3'),
    VideoUrl('http://x/a.mp4'),
    DocumentUrl('http://x/a.pdf'),
]
for version in ('0.1.10', '0.1.14', '0.1.15', '1.0.0'):
    files = request(UserPromptPart(['a', *links, IMAGE, *binaries]))
    dump(f'files {version}', files, version=version, back=False)
fields = {'force_download': True, 'vendor_metadata': {'a': 1}, 'identifier': 'ii', 'media_type': 'image/gif'}
dump('image with settings', request(UserPromptPart(['a', ImageUrl('http://x/y.png', **fields), CachePoint()])))
dump('text content', request(UserPromptPart([TextContent('zz', metadata={'a': 1})])))
dump('text contents', request(UserPromptPart(['a', TextContent('zz', metadata={'a': 1})])))
upload = UploadedFile('f', provider_name='openai')
for keep in (False, True):
    options = {'preserve_file_data': keep}
    dump(f'upload {keep}', request(UserPromptPart(['a', upload])), **options)
    dump(f'only upload {keep}', request(UserPromptPart([upload])), **options)
    file = FilePart(IMAGE, id='i', provider_name='p', provider_details={'a': 1})
    dump(f'file {keep}', request(UserPromptPart('q')), response(TextPart('a'), file, TextPart('b')), **options)
    dump(f'file and call {keep}', response(CALL, FilePart(IMAGE), OTHER), **options)
    dump(f'compaction {keep}', response(TextPart('a'), CompactionPart('c'), TextPart('b')), **options)
    unsigned = response(NATIVE, FilePart(IMAGE), NATIVE_RETURN, TextPart('x'))
    dump(f'file in native call {keep}', unsigned, **options, back=False)
calls = response(TextPart('t'), CALL, OTHER, ToolCallPart('h', None, 'c3'))
retry = RetryPromptPart('bad', tool_name='h', tool_call_id='c3')
results = request(RETURN, ToolReturnPart('u', {'x': 1}, 'c2'), retry, UserPromptPart('also'))
dump('calls', request(UserPromptPart('hi')), calls, results, response(TextPart('done')))
dump('call, text, call', response(CALL, TextPart('t'), OTHER, TextPart('t2')))
dump('failed', response(CALL), request(ToolReturnPart('t', 'r', 'c1', outcome='failed')))
dump('denied', response(CALL), request(ToolReturnPart('t', 'r', 'c1', outcome='denied')))
dump('retry', request(RetryPromptPart('bad')))
dump('retry of a call', response(CALL), request(RetryPromptPart(MISSING, tool_name='t', tool_call_id='c1')))
dump('native', response(TextPart('a'), NATIVE, NATIVE_RETURN, TextPart('b')))
dump('native and call', response(NATIVE, NATIVE_RETURN, CALL), request(RETURN))
dump('native without result', response(NativeToolCallPart('ws', {'q': 1}, 'n1')))
signed = ThinkingPart('th', signature='s', provider_name='p', id='i', provider_details={'a': 1})
thoughts = response(signed, ThinkingPart('b'), ThinkingPart(''), ThinkingPart('', signature='s'), TextPart('c'))
for version in ('0.1.10', '0.1.12', '0.1.13', '0.1.15'):
    dump(f'thinking {version}', thoughts, version=version)
    dump(f'between {version}', response(TextPart('b'), ThinkingPart('c'), TextPart('d')), version=version)
dump('call, thinking', response(CALL, ThinkingPart('c'), TextPart('d')))
dump('empty', response(TextPart('')), response(), request())
dump('texts', response(TextPart('a'), TextPart('b')), response(TextPart('c')))
dump('ids', response(TextPart('a', id='i', provider_name='p')))
dump('metadata', request(UserPromptPart('a'), metadata={'x': 1}), response(TextPart('a'), metadata={'x': 1}))
dump(
    'files of tools',
    response(CALL, OTHER),
    request(ToolReturnPart('t', IMAGE, 'c1'), ToolReturnPart('u', ['a', IMAGE], 'c2')),
)
