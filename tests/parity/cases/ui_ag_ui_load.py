"""Messages of AG-UI as messages of an agent."""

# needs: ag_ui
import warnings

from _ui import short
from ag_ui.core import (
    ActivityMessage,
    AssistantMessage,
    AudioInputContent,
    DeveloperMessage,
    DocumentInputContent,
    FunctionCall,
    ImageInputContent,
    InputContentDataSource,
    InputContentUrlSource,
    ReasoningMessage,
    SystemMessage,
    TextInputContent,
    ToolCall,
    ToolMessage,
    UserMessage,
    VideoInputContent,
)
from pydantic_ai.ui.ag_ui import AGUIAdapter

warnings.simplefilter('ignore')
FILE = {'url': 'data:image/png;base64,eA==', 'media_type': 'image/png', 'id': 'i', 'provider_name': 'p'}
UPLOAD = {'file_id': 'f', 'provider_name': 'openai', 'media_type': 'text/plain', 'identifier': 'x'}
SEALED = '{"id":"i","signature":"s","provider_name":"p","provider_details":{"d":1}}'
NATIVE = 'pyd_ai_builtin|p|n1'


def user(*content):
    return UserMessage(id='u', content=content[0] if isinstance(content[0], str) else list(content))


def assistant(content=None, *calls):
    return AssistantMessage(id='a', content=content, tool_calls=list(calls) or None)


def call(id, name='f', args='{"a":1}'):
    return ToolCall(id=id, function=FunctionCall(name=name, arguments=args))


def result(id, content='r', **fields):
    return ToolMessage(id='t', content=content, tool_call_id=id, **fields)


def thought(content='think', sealed=None):
    return ReasoningMessage(id='r', content=content, encrypted_value=sealed)


def data(value, media):
    return InputContentDataSource(value=value, mime_type=media)


def url(value, media=None):
    return InputContentUrlSource(value=value, mime_type=media)


def load(title, *messages, **options):
    print('==', title)
    try:
        for message in AGUIAdapter.load_messages(messages, **options):
            print('  ', short(message))
    except ValueError as error:
        print('  ', type(error).__name__)


load('nothing')
load('user', user('a'))
load('users', user('a'), user('b'))
load('empty user', user(''))
load('system', SystemMessage(id='s', content='sys'), user('x'))
load('developer', DeveloperMessage(id='s', content='dev'), user('x'))
load(
    'system between', user('a'), SystemMessage(id='s', content='s'), assistant('b'), SystemMessage(id='s', content='t')
)
load('assistant', user('x'), assistant('y'), user('z'), assistant(), user('w'))
load('assistants', assistant('y'), assistant('z'))
load(
    'call',
    user('x'),
    assistant('t', call('c1'), call('c2', 'g', '')),
    result('c1'),
    result('c2', 's'),
    assistant('end'),
)
load('failed call', user('x'), assistant(None, call('c1')), result('c1', error='bad'), assistant('end'))
load('JSON result', user('x'), assistant(None, call('c1')), result('c1', '{"a":[1]}'))
load('result without call', result('c1'))
load('call without result', user('x'), assistant(None, call('c1', args='{')), user('y'))
load('result and user', user('x'), assistant(None, call('c1')), result('c1'), user('y'))
load(
    'native', user('x'), assistant('y', call(NATIVE, 'ws'), call('c1')), result(NATIVE), result('c1'), assistant('end')
)
load('native JSON', assistant(None, call(NATIVE, 'ws')), result(NATIVE, '{"x":1}'))
load('native list', assistant(None, call(NATIVE, 'ws')), result(NATIVE, '[1]'))
load('native number', assistant(None, call(NATIVE, 'ws')), result(NATIVE, '7'))
load('native of no one', assistant(None, call('pyd_ai_builtin||n1', 'ws')), result('pyd_ai_builtin||n1'))
load('native with bars', assistant(None, call('pyd_ai_builtin|a|b|c', 'ws')))
load('native without parts', assistant(None, call('pyd_ai_builtin|a', 'ws')))
load('native result without call', result(NATIVE))
load('native without result', assistant(None, call(NATIVE, 'ws')), assistant('q'))
load('thinking', user('x'), thought(), assistant('y'))
load('signed thinking', user('x'), thought(sealed=SEALED), assistant('y'))
load('thinking, not JSON', thought(sealed='{'), assistant('y'))
load('thinking, a list', thought(sealed='[1]'), assistant('y'))
load('two thoughts', thought('a'), thought('b'))
for keep in (False, True):
    files = {'preserve_file_data': keep}
    load(f'file {keep}', user('x'), ActivityMessage(id='r', activity_type='pydantic_ai_file', content=FILE), **files)
    upload = ActivityMessage(id='r', activity_type='pydantic_ai_uploaded_file', content=UPLOAD)
    load(f'upload {keep}', user('x'), upload, **files)
    load(f'activity {keep}', user('x'), ActivityMessage(id='r', activity_type='z', content={'a': 1}), **files)
load('text parts', user(TextInputContent(text='a'), TextInputContent(text='b')))
load('text part', user(TextInputContent(text='a')))
load('empty text part', user(TextInputContent(text=''), ImageInputContent(source=url('http://x/y.png'))))
load('images', user(*[ImageInputContent(source=item) for item in (data('eA==', 'image/png'), url('http://x/y.png'))]))
load('typed image', user(ImageInputContent(source=url('http://x/y', 'image/gif'), metadata={'a': 1})))
load('audio', user(*[AudioInputContent(source=item) for item in (data('eA==', 'audio/mp3'), url('http://x/y.mp3'))]))
load('video', user(*[VideoInputContent(source=item) for item in (data('eA==', 'video/mp4'), url('http://x/y.mp4'))]))
documents = (data('eA==', 'application/pdf'), url('http://x/y.pdf'))
load('documents', user(*[DocumentInputContent(source=item) for item in documents]))
load('data link', user(ImageInputContent(source=url('data:image/png;base64,eA=='))))
load('not base64', user(ImageInputContent(source=data('@@@', 'image/png'))))
load('named user', UserMessage(id='u', content='x', name='n'))
