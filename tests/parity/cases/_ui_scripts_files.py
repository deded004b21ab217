"""Scripts of tools that the provider executes, and of files of the model and of the user."""

from _ui_talk import Call, Say, Script, native
from pydantic_ai.messages import BinaryImage, FilePart, NativeToolCallPart

TURNS = ['Hi', 'more']
DATA = 'data:image/png;base64,eA=='
KEEP = {'preserve_file_data': True}


async def noted(a: int = 0) -> str:
    return f'noted {a}'


def file(media='image/png', data=b'x', **fields):
    return FilePart(BinaryImage(data, media_type=media), **fields)


def sealed(**fields):
    call, back = native(**fields)
    call.id, call.provider_details = 'i1', {'d': 1}
    return [call, back]


NATIVE = [
    Script('a native call', [[*native(), Say('found')]], TURNS),
    Script('native, and nothing else', [native(), [Say('then')]], TURNS),
    Script('arguments as an object', [[*native(args={'q': [1]}), Say('found')]], TURNS),
    Script('no arguments', [[*native(args=None), Say('found')]], TURNS),
    Script('a result that is a dict', [[*native(result={'hits': [{'url': 'u'}]}), Say('found')]], TURNS),
    Script('a result that is a list', [[*native(result=['a', {'b': 1}]), Say('found')]], TURNS),
    Script('a result that is text of JSON', [[*native(result='[1, 2]'), Say('found')]], TURNS),
    Script('no provider', [[*native(provider=None), Say('found')]], TURNS),
    Script('with ids and details', [[*sealed(), Say('found')]], TURNS),
    Script('failed', [[*native(outcome='failed'), Say('sorry')]], TURNS),
    Script('two', [[*native(), *native('run_code', '{"code": "1"}', {'out': 1}, 'n2'), Say('found')]], TURNS),
    Script('the same id twice', [[*native(), *native(result='again'), Say('found')]], TURNS),
    Script('text between', [[Say('I look'), *native(), Say('and'), *native(id='n2'), Say('found')]], TURNS),
    Script('beside a call', [[*native(), Call('noted', '{"a": 1}', 'c1')], [Say('done')]], TURNS, [noted]),
    Script('after a call', [[Call('noted', '{"a": 1}', 'c1'), *native()], [Say('done')]], TURNS, [noted]),
    Script('no result', [[NativeToolCallPart('web_search', '{}', 'n1', provider_name='p'), Say('hm')]], TURNS),
    Script('other scripts', [[*native(args='{"q": "ä"}', result='日本'), Say('found')]], TURNS),
]
FILES = [
    Script('a file', [[file(), Say('here')]], TURNS),
    Script('a file, kept', [[file(), Say('here')]], TURNS, fields=KEEP),
    Script(
        'a file with ids',
        [[file(id='f1', provider_name='p', provider_details={'d': 1}), Say('here')]],
        TURNS,
        fields=KEEP,
    ),
    Script('two files', [[file(), file('image/jpeg', b'y'), Say('here')]], TURNS, fields=KEEP),
    Script('text, a file, text', [[Say('a'), file(), Say('b')]], TURNS),
]


def ag_ui(kind, **source):
    return {'type': kind, 'source': source}


def link(kind, url, **more):
    return ag_ui(kind, type='url', value=url, **more)


def sent(title, *parts, **fields):
    return Script(f'sent: {title}', [[Say('seen')]], [list(parts), 'more'], fields=fields)


WORDS = {'type': 'text', 'text': 'look'}
SENT_AG_UI = [
    sent('text', WORDS),
    sent('two texts', WORDS, WORDS),
    sent('a link', WORDS, link('image', 'https://example.com/a.png')),
    sent('a link with a type', link('image', 'https://example.com/a', mimeType='image/png')),
    sent('links', *(link(kind, f'https://example.com/{kind}') for kind in ('audio', 'video'))),
    sent('a document', link('document', 'https://example.com/a.pdf')),
    sent('data', ag_ui('image', type='data', value='eA==', mimeType='image/png'), WORDS),
    sent('data of a document', ag_ui('document', type='data', value='eA==', mimeType='text/plain')),
    sent('a link of another scheme', WORDS, link('image', 's3://bucket/a.png')),
    sent('a link to a file of the server', WORDS, link('document', 'file:///etc/passwd')),
    sent('only links that are dropped', link('image', 's3://bucket/a.png')),
    sent('a scheme that is allowed', link('image', 's3://b/a.png'), allowed_file_url_schemes=frozenset({'s3'})),
]


def part(media, url, **more):
    return {'type': 'file', 'mediaType': media, 'url': url, **more}


UPLOAD = {'pydantic_ai': {'file_id': 'f1', 'provider_name': 'openai'}}
SENT_VERCEL = [
    sent('text', WORDS),
    sent('two texts', WORDS, WORDS),
    sent('a link', WORDS, part('image/png', 'https://example.com/a.png')),
    sent('links', *(part(f'{kind}/mp4', f'https://example.com/{kind}') for kind in ('audio', 'video'))),
    sent('a document', part('application/pdf', 'https://example.com/a.pdf')),
    sent('data', part('image/png', DATA), WORDS),
    sent('data of a document', part('text/plain', 'data:text/plain;base64,eA==', filename='a.txt')),
    sent('data that is not base64', part('text/plain', 'data:text/plain,hello')),
    sent('a link of another scheme', WORDS, part('image/png', 's3://bucket/a.png')),
    sent('a link to a file of the server', WORDS, part('text/plain', 'file:///etc/passwd')),
    sent('only links that are dropped', part('image/png', 's3://bucket/a.png')),
    sent('a scheme that is allowed', part('image/png', 's3://b/a.png'), allowed_file_url_schemes=frozenset({'s3'})),
    sent('an uploaded file', WORDS, part('text/plain', 'x', providerMetadata=UPLOAD)),
    sent('an uploaded file, kept', WORDS, part('text/plain', 'x', providerMetadata=UPLOAD), **KEEP),
    sent('data of the application', WORDS, {'type': 'data-z', 'data': 1}),
]
