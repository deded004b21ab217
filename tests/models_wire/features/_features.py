"""The rows of the table. What is asked of all vendors alike is asked here; their files say what happens to it."""

from __future__ import annotations

from typing import Any

from _vocabulary import Parameters, request_of, response_of
from _wire import as_json
from pydantic import BaseModel

from stead import NativeOutput, PromptedOutput, ToolOutput
from stead.exceptions import ContentFilterError, ModelHTTPError
from stead.messages import (
    AudioUrl,
    BinaryContent,
    BinaryImage,
    CachePoint,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelRequest,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    VideoUrl,
)
from stead.native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    MemoryTool,
    ToolSearchTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from stead.tools import ToolDefinition
from stead.usage import RequestUsage

from ._table import Section

Q, R_S, Q_R_S = 'request', 'response stream', 'request response stream'

PNG = b'\x89PNG\r\n\x1a\n'
PNG_64 = 'iVBORw0KGgo='
SITE = 'https://example.com'
SCHEMA: dict[str, Any] = {'type': 'object', 'properties': {'x': {'type': 'integer'}}, 'required': ['x']}
DOUBLE = ToolDefinition(name='double', description='Double a number.', parameters_json_schema=SCHEMA)
TRIPLE = ToolDefinition(name='triple', description='Triple a number.', parameters_json_schema=SCHEMA)
TOOLS = Parameters(function_tools=[DOUBLE, TRIPLE])
CALL = ToolCallPart('double', {'x': 4}, 'call-1')
CALLED = (request_of('Double 4'), response_of(CALL))


class City(BaseModel):
    """A city."""

    name: str
    people: int


BONN = City(name='Bonn', people=330_000)
LOCAL_SEARCH = 'stead searches by itself, with a function tool.'
BONN_JSON = '{"name": "Bonn", "people": 330000}'


def prompt(*content: Any) -> tuple[ModelRequest, ...]:
    return (request_of(list(content)),)


SECTIONS: list[Section] = []


def section(title: str, about: str) -> Section:
    new = Section(title, about)
    SECTIONS.append(new)
    return new


def conversation() -> None:
    s = section('Conversation', 'What is said, and in whose name.')
    s.row('text', 'Text', Q_R_S, parts=[TextPart('hello')], pieces=['hel', 'lo'])
    s.row('system-prompts', 'System prompts', Q, messages=(request_of(SystemPromptPart('Be brief.'), 'hello'),))
    s.row(
        'instructions',
        'Instructions',
        Q,
        messages=(ModelRequest(parts=[UserPromptPart('hello')], instructions='Be brief.'),),
    )
    s.row('history', 'Earlier turns', Q, messages=(request_of('one'), response_of('two'), request_of('three')))
    s.row('compaction', 'The vendor sums up what was said: `CompactionPart`', Q_R_S)
    s.row('compaction-history', 'Such summaries go back', Q, history=True)
    s.row('identity', 'Id of the response, name of the model', R_S)


def content() -> None:
    s = section(
        'What goes into prompts',
        'Links go to the vendor as they are, or stead downloads them and sends what they lead to.',
    )
    s.row('image-url', 'Images by link', Q, link=(ImageUrl, 'a.png'))
    s.row('image-bytes', 'Images as bytes', Q, messages=prompt('look', BinaryContent(PNG, media_type='image/png')))
    s.row('audio-url', 'Audio by link', Q, link=(AudioUrl, 'a.wav'))
    s.row('audio-bytes', 'Audio as bytes', Q, messages=prompt('hear', BinaryContent(b'RIFF', media_type='audio/wav')))
    s.row('video-url', 'Video by link', Q, link=(VideoUrl, 'a.mp4'))
    s.row('video-bytes', 'Video as bytes', Q, messages=prompt('see', BinaryContent(b'ftyp', media_type='video/mp4')))
    s.row('document-url', 'Documents by link', Q, link=(DocumentUrl, 'a.pdf'))
    pdf = BinaryContent(b'%PDF', media_type='application/pdf')
    s.row('document-bytes', 'Documents as bytes', Q, messages=prompt('read', pdf))
    text = BinaryContent(b'some text', media_type='text/plain', identifier='f1')
    s.row('text-file', 'Text files', Q, messages=prompt('read', text))
    s.row('uploaded-file', 'Files that were uploaded before', Q)
    image = BinaryContent(PNG, media_type='image/png', identifier='f1')
    s.row(
        'tool-files',
        'Files that tools return',
        Q,
        messages=(*CALLED, request_of(ToolReturnPart('double', image, 'call-1'))),
    )


def tools() -> None:
    s = section('Tools', 'Functions of yours that the model calls.')
    s.row('tools', 'Calls', Q_R_S, params=TOOLS, parts=[CALL], pieces=['{"x"', ': 4}'])
    two = [CALL, ToolCallPart('triple', {'x': 5}, 'call-2')]
    s.row('parallel-calls', 'Several calls at once', R_S, params=TOOLS, parts=two)
    s.row('parallel-setting', '`parallel_tool_calls`', Q, params=TOOLS, settings={'parallel_tool_calls': False})
    bare = (
        request_of('Double'),
        response_of(ToolCallPart('double', None, 'call-1')),
        request_of(ToolReturnPart('double', 8, 'call-1')),
    )
    empty = [ToolCallPart('double', {}, 'call-1')]
    s.row('empty-calls', 'Calls without arguments', Q_R_S, params=TOOLS, messages=bare, parts=empty)
    s.row(
        'tool-results',
        'Results',
        Q,
        params=TOOLS,
        messages=(*CALLED, request_of(ToolReturnPart('double', 8, 'call-1'))),
    )
    retry = RetryPromptPart('Use small numbers.', tool_name='double', tool_call_id='call-1')
    s.row('tool-retries', 'Calls to make again', Q, params=TOOLS, messages=(*CALLED, request_of(retry)))
    strict = ToolDefinition(
        name='double',
        description='Double a number.',
        parameters_json_schema={**SCHEMA, 'additionalProperties': False},
        strict=True,
    )
    s.row(
        'strict-tools', 'Schemas that arguments are held to (`strict`)', Q, params=Parameters(function_tools=[strict])
    )
    s.row('tool-choice-none', "`tool_choice='none'`", Q, params=TOOLS, settings={'tool_choice': 'none'})
    s.row('tool-choice-required', "`tool_choice='required'`", Q, params=TOOLS, settings={'tool_choice': 'required'})
    s.row('tool-choice-one', '`tool_choice` with one tool', Q, params=TOOLS, settings={'tool_choice': ['double']})


def native_tools() -> None:
    s = section('Native tools', 'Tools that the vendor runs. Their calls and results are parts of the response.')

    def row(name: str, tool: AbstractNativeTool, directions: str = Q_R_S, **common: Any) -> None:
        s.row(name, f'`{type(tool).__name__}`', directions, params=Parameters(native_tools=[tool]), **common)

    row('web-search', WebSearchTool())
    row('web-fetch', WebFetchTool())
    row('x-search', XSearchTool())
    row('code-execution', CodeExecutionTool())
    row('image-generation', ImageGenerationTool())
    row('file-search', FileSearchTool(file_store_ids=['store-1']))
    row('mcp-server', MCPServerTool(id='srv', url=f'{SITE}/mcp'))
    memory = ToolDefinition(name='memory', parameters_json_schema={'type': 'object', 'properties': {}})
    s.row('memory', '`MemoryTool`', Q, params=Parameters(native_tools=[MemoryTool()], function_tools=[memory]))
    hidden = ToolDefinition(
        name='triple',
        description='Triple a number.',
        parameters_json_schema=SCHEMA,
        with_native='tool_search',
        defer_loading=True,
    )
    search = ToolDefinition(
        name='search_tools',
        description='Find tools.',
        parameters_json_schema={
            'type': 'object',
            'properties': {'queries': {'type': 'array', 'items': {'type': 'string'}}},
        },
        unless_native='tool_search',
        tool_kind='tool-search',
    )
    s.row(
        'tool-search',
        '`ToolSearchTool`: tools that are deferred',
        Q_R_S,
        params=Parameters(function_tools=[DOUBLE, hidden, search], native_tools=[ToolSearchTool(optional=True)]),
    )
    s.row('native-history', 'Their calls go back with the next request', Q, history=True)
    elsewhere = response_of(
        NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='elsewhere'),
        NativeToolReturnPart('web_search', {'found': 1}, 'n1', provider_name='elsewhere'),
        'b',
        provider_name='elsewhere',
    )
    s.row(
        'foreign-native-history',
        'Calls that another vendor ran stay away',
        Q,
        messages=(request_of('a'), elsewhere, request_of('c')),
    )


def output() -> None:
    s = section('Output', 'How a model is made to answer in a given form.')
    s.row('tool-output', '`ToolOutput`: a call', Q_R_S, output=ToolOutput(City), result=BONN)
    s.row('native-output', '`NativeOutput`: JSON under a schema', Q_R_S, output=NativeOutput(City), result=BONN)
    s.row(
        'prompted-output', '`PromptedOutput`: JSON, asked for in words', Q_R_S, output=PromptedOutput(City), result=BONN
    )
    s.row(
        'image-output',
        '`BinaryImage`: images',
        R_S,
        output=BinaryImage,
        result=BinaryImage(PNG, media_type='image/png'),
    )


def thinking() -> None:
    s = section('Thinking', 'What a model thinks before it answers.')
    s.row('thinking-effort', "`thinking='low'`", Q, settings={'thinking': 'low'})
    s.row('thinking', 'Thinking is read', R_S, parts=[ThinkingPart('let me see'), TextPart('hello')])
    s.row('signatures', 'Signatures are read', R_S)
    s.row('thinking-history', 'Thinking goes back as it came', Q, history=True)
    elsewhere = ThinkingPart('hm', id='t1', signature='sealed', provider_name='elsewhere')
    s.row(
        'foreign-thinking',
        'Thinking of another vendor goes along, as text',
        Q,
        messages=(request_of('a'), response_of(elsewhere, 'b', provider_name='elsewhere'), request_of('c')),
    )


def counts() -> None:
    s = section('Caches and costs', 'Prompts that are cached, tokens that are counted.')
    s.row('cache-points', '`CachePoint` in prompts', Q, messages=prompt('long', CachePoint(), 'short'))
    s.row('cache-settings', 'Settings for caches', Q, params=TOOLS)
    s.row('usage', 'Usage', R_S, response={'usage': RequestUsage(input_tokens=10, output_tokens=5)})
    s.row('cached-usage', 'Usage: cached tokens', R_S, response={'usage': RequestUsage(cache_read_tokens=3)})
    s.row('usage-details', 'Usage: tokens for thinking and other details', R_S)
    s.row('cost', '`ModelResponse.cost()`', R_S, cost=True)
    s.row('token-counting', '`count_tokens` before a request', 'request response', count=True)


def settings() -> None:
    s = section('Settings', 'A dash stands where the API has no such setting; then it is left out of requests.')

    def row(name: str, key: str, value: Any) -> None:
        s.row(name, f'`{key}`', Q, settings={key: value})

    row('max-tokens', 'max_tokens', 99)
    row('temperature', 'temperature', 0.5)
    row('top-p', 'top_p', 0.25)
    row('top-k', 'top_k', 3)
    row('seed', 'seed', 7)
    row('presence-penalty', 'presence_penalty', 0.1)
    row('frequency-penalty', 'frequency_penalty', 0.2)
    row('logit-bias', 'logit_bias', {'1': 2})
    row('stop-sequences', 'stop_sequences', ['END'])
    row('service-tier', 'service_tier', 'flex')
    row('extra-headers', 'extra_headers', {'x-team': 'blue'})
    row('extra-body', 'extra_body', {'field_of_ours': 1})


def endings() -> None:
    s = section('How answers end', 'What is read in addition to the content, and what goes wrong.')
    s.row('finish-reasons', '`finish_reason`', R_S)
    s.row('refusals', 'Refusals', R_S, response={'finish_reason': 'content_filter'})
    s.row('content-filter', 'Content filters', R_S, output=str, error=ContentFilterError)
    s.row('logprobs', 'Probabilities of tokens', Q_R_S)
    s.row('previous-response', 'Going on from a response that the vendor keeps', Q, history=True)
    s.row(
        'cancel',
        'Streams that are cancelled end at once',
        'stream',
        cancel=True,
        parts=[TextPart('hel')],
        response={'state': 'interrupted'},
    )
    s.row(
        'http-errors',
        'Errors: `status_code` and `body`',
        R_S,
        reply=as_json({'error': {'message': 'out of order', 'type': 't'}}, 503),
        error=ModelHTTPError,
        match='out of order',
        fault={'status_code': 503, 'retry_after': None},
    )
    s.row(
        'retry-after',
        'Errors: `retry_after`',
        R_S,
        reply=as_json({'error': {'message': 'slow down', 'type': 't'}}, 429, {'retry-after': '7'}),
        error=ModelHTTPError,
        fault={'status_code': 429, 'retry_after': 7.0},
    )


for _add in (conversation, content, tools, native_tools, output, thinking, counts, settings, endings):
    _add()
FILE = FilePart(BinaryImage(PNG, media_type='image/png'))
