"""What an adapter drops from the messages of a request, because an interface is not trusted."""

# needs: ag_ui
import warnings

from _ui import short
from ag_ui.core import RunAgentInput
from pydantic_ai import Agent, DeferredToolResults
from pydantic_ai.messages import (
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
)
from pydantic_ai.ui.ag_ui import AGUIAdapter

INPUT = RunAgentInput(thread_id='th', run_id='ru', messages=[], state=None, tools=[], context=[], forwarded_props=None)


def request(*parts):
    return ModelRequest(parts=list(parts))


def response(*parts):
    return ModelResponse(parts=list(parts))


def user(*items):
    return request(UserPromptPart(list(items)))


def call(id, name='t'):
    return ToolCallPart(name, {}, id)


def sanitize(title, *messages, results=None, **fields):
    print('==', title)
    before = short(messages)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        adapter = AGUIAdapter(Agent('test'), INPUT, **fields)
        for message in adapter.sanitize_messages(list(messages), deferred_tool_results=results):
            print('  ', short(message))
    assert short(messages) == before
    print('  ', [warning.category.__name__ for warning in seen])


sanitize('plain', user('a'), response(TextPart('b')))
both = request(SystemPromptPart('a'), UserPromptPart('b'))
sanitize('system', request(SystemPromptPart('a')), both, response(TextPart('b')), request(SystemPromptPart('z')))
sanitize('system of the client', both, response(TextPart('b')), manage_system_prompt='client')
links = [ImageUrl(f'{scheme}://x/a.png') for scheme in ('http', 'https', 'HTTPS', 's3', 'gs', 'file', 'ftp')]
sanitize('links', user('a', *links, ImageUrl('data:image/png;base64,eA=='), DocumentUrl('s3://x/a.pdf')))
sanitize('other schemes', user('a', *links), allowed_file_url_schemes=frozenset({'s3', 'gs'}))
sanitize('no schemes', user('a', *links), allowed_file_url_schemes=frozenset())
sanitize('nothing left', user(*links[3:]), response(TextPart('x')))
sanitize('links in text', request(UserPromptPart('s3://x')))
for mode in (False, True, 'allow-local'):
    for allowed in (frozenset(), frozenset({True}), frozenset({'allow-local'}), frozenset({True, 'allow-local'})):
        link = ImageUrl('http://x/a.png', force_download=mode)
        sanitize(f'download {mode} {len(allowed)}', user(link), allowed_file_url_force_download=allowed)
upload = UploadedFile('f', provider_name='openai')
for keep in (False, True):
    sanitize(
        f'upload {keep}', user('a', upload, UploadedFile('s3://f', provider_name='bedrock')), preserve_file_data=keep
    )
    sanitize(f'upload of a tool {keep}', request(ToolReturnPart('t', [upload], 'c')), preserve_file_data=keep)
bad, good = ImageUrl('s3://x'), ImageUrl('https://x')
for content in (['a', bad, good], bad, good, {'a': bad, 'b': good}, {'a': [{'b': bad}]}, 'text'):
    sanitize('result', request(ToolReturnPart('t', content, 'c')))
image = BinaryContent(b'x', media_type='image/png')
sanitize('data', user(image, TextContent('x'), CachePoint()), response(FilePart(image)))
sanitize('other parts', response(ThinkingPart('x', signature='s', provider_name='p'), CompactionPart('c')))
sanitize('open', user('q'), response(TextPart('a'), call('1'), call('2', 'u')))
for results in (DeferredToolResults(calls={'1': 'x'}), DeferredToolResults(approvals={'1': True, '2': False})):
    sanitize('open with results', user('q'), response(TextPart('a'), call('1'), call('2', 'u')), results=results)
sanitize('only open', user('q'), response(call('1')))
sanitize('nothing else', response(call('1')))
sanitize('open native', user('q'), response(TextPart('a'), NativeToolCallPart('t', {}, 'n')))
sanitize('open before system', response(call('1')), request(SystemPromptPart('x')))
sanitize('open before a prompt', response(call('1')), user('a'), response(call('2')), user('b'))
sanitize('result without call', request(ToolReturnPart('t', 'x', '1')))
sanitize('retry without call', request(RetryPromptPart('x', tool_name='t', tool_call_id='1')))
sanitize('answered', user('q'), response(call('1')), request(ToolReturnPart('t', 'x', '1')))
