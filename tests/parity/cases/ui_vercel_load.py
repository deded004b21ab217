"""Messages of the Vercel AI SDK as messages of an agent."""

from _ui import short
from pydantic_ai.ui.vercel_ai import VercelAIAdapter
from pydantic_ai.ui.vercel_ai.request_types import UIMessage

OWN = {'id': 'i', 'signature': 's', 'provider_name': 'p', 'provider_details': {'d': 1}}
SEALED = {'pydantic_ai': OWN}
STATES = [
    {'state': 'input-streaming'},
    {'state': 'input-available'},
    {'state': 'output-available', 'output': {'x': 1}},
    {'state': 'output-available', 'output': 's'},
    {'state': 'output-available', 'output': None},
    {'state': 'output-error', 'errorText': 'e'},
    {'state': 'approval-requested', 'approval': {'id': 'x'}},
    {'state': 'approval-responded', 'approval': {'id': 'x', 'approved': True}},
    {'state': 'approval-responded', 'approval': {'id': 'x', 'approved': False, 'reason': 'no'}},
    {'state': 'output-denied', 'approval': {'id': 'x', 'approved': False, 'reason': 'no'}},
    {'state': 'output-denied'},
]


def message(role, *parts, **fields):
    return UIMessage.model_validate({'id': 'm', 'role': role, 'parts': list(parts), **fields})


def text(content, **fields):
    return {'type': 'text', 'text': content, **fields}


def file(media, url, **fields):
    return {'type': 'file', 'mediaType': media, 'url': url, **fields}


def tool(state='output-available', type='tool-f', **fields):
    name = {'toolName': 'f'} if type == 'dynamic-tool' else {}
    return {'type': type, 'toolCallId': 'q1', 'state': state, 'input': {'a': 1}, **name, **fields}


def load(title, *messages):
    print('==', title)
    try:
        for item in VercelAIAdapter.load_messages(messages):
            print('  ', short(item))
    except ValueError as error:
        print('  ', type(error).__name__)


load('users', message('user', text('a'), text('b')), message('user', text('c')))
load('empty', message('user'), message('assistant'), message('system'))
load('system', message('system', text('s'), text('t')), message('user', text('x')))
load('metadata', message('user', text('a'), metadata={'x': 1}), message('assistant', text('b'), metadata={'q': 1}))
stamp = {'pydantic_ai': {'timestamp': '2026-01-01T00:00:00Z'}}
load('stamp', message('user', text('a')), message('assistant', text('b'), metadata={**stamp, 'q': 1}))
both = message('assistant', text('a'), metadata={'p': 1}), message('assistant', text('b'), metadata={'q': 1})
load('metadata of both', *both)
thoughts = [{'type': 'reasoning', 'text': 'r', 'providerMetadata': SEALED}, {'type': 'reasoning', 'text': 'q'}]
load('assistant', message('assistant', text('a', providerMetadata=SEALED), *thoughts, text('')))
data = 'data:image/png;base64,eA=='
kinds = ('image/png', 'audio/mp3', 'video/mp4', 'application/pdf', 'text/plain')
load('files', message('user', text('x'), file('image/png', data), *[file(kind, 'http://x/y') for kind in kinds]))
load('named file', message('user', file('image/png', 'http://x/y', filename='f', providerMetadata=SEALED)))
load('other schemes', message('user', file('image/png', 's3://x/y'), file('image/png', 'data:xx')))
upload = {'pydantic_ai': {'file_id': 'f', 'provider_name': 'openai'}}
load('upload', message('user', file('text/plain', 'f', providerMetadata=upload)))
load('file of the model', message('assistant', file('image/png', data, providerMetadata=SEALED)))
load('link of the model', message('assistant', file('image/png', 'http://x/y')))
others = [{'type': 'source-url', 'sourceId': 's', 'url': 'u'}, {'type': 'data-x', 'data': 1}, {'type': 'step-start'}]
document = {'type': 'source-document', 'sourceId': 's', 'mediaType': 'm', 'title': 't'}
load('others', message('assistant', *others, document, text('y')))
for other in (*others, document, thoughts[0], tool('input-available')):
    load(f'user: {other["type"]}', message('user', other), message('user', text('y')))
for kind in ('tool-f', 'dynamic-tool'):
    for state in STATES:
        load(f'{kind} {state}', message('assistant', text('pre'), tool(type=kind, **state), text('post')))
        native = {'providerExecuted': True, 'callProviderMetadata': SEALED, **state}
        load('   by the provider', message('assistant', tool(type=kind, **native)))
load('no input', message('assistant', tool('output-error', errorText='e', input=None, rawInput='{bad')))
load('raw input', message('assistant', tool('output-error', errorText='e', rawInput='{bad')))
for value in (None, '{"a":1}', 'x', {'INVALID_JSON': '{bad'}, {}):
    load(f'input {value}', message('assistant', tool(input=value, output=1)))
back = {'call_meta': {'id': 'i', 'provider_name': 'p', 'provider_details': {'a': 1}}}
back['return_meta'] = {'provider_name': 'p', 'provider_details': {'b': 1}}
own = {'callProviderMetadata': {'pydantic_ai': back}}
load('native result', message('assistant', tool(output='r', providerExecuted=True, **own)))
load('call with ids', message('assistant', tool(output='r', callProviderMetadata=SEALED)))
load('steps', message('assistant', others[2], tool(output='r'), others[2], text('done')), message('user', text('more')))
load('two calls', message('assistant', tool(output='r'), {**tool(output='s'), 'toolCallId': 'q2'}, text('x')))
load('preliminary', message('assistant', tool(output='r', preliminary=True)))
