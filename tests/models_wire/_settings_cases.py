"""Every setting and many schemas, for all vendors, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

import enum
import warnings
from datetime import date, datetime
from typing import Annotated, Any, Literal, Optional, Union

import pydantic
from _vendors import Cases, Clients, chunks
from _vocabulary import Parameters, request_of, response_of
from typing_extensions import TypedDict

from stead.messages import ModelRequest, SystemPromptPart, ThinkingPart, UserPromptPart
from stead.native_tools import (
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    MemoryTool,
    UrlContextTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from stead.output import OutputObjectDefinition
from stead.tools import ToolDefinition

cases = Cases()
case = cases.add
VENDORS = ('chat', 'responses', 'anthropic')
PLAIN = ToolDefinition(
    name='plain',
    description='does it',
    parameters_json_schema={'type': 'object', 'properties': {'x': {'type': 'integer'}}, 'required': ['x']},
)


def url_context() -> UrlContextTool:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        return UrlContextTool()


# Schemas.
class Color(enum.Enum):
    red = 'red'
    blue = 'blue'


class Node(pydantic.BaseModel):
    """A node."""

    value: int = pydantic.Field(description='what it is worth', ge=0, le=9)
    children: list[Node] = []


class Cat(pydantic.BaseModel):
    kind: Literal['cat'] = 'cat'
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal['dog']
    good: bool = True


class Bare(TypedDict, total=False):
    a: int
    b: str


class Odd(pydantic.BaseModel):
    name: Annotated[str, pydantic.Field(min_length=1, max_length=5, pattern='^a', examples=['ab'])]
    maybe: Optional[int] = None
    either: Union[int, str, list[float]]
    pet: Annotated[Union[Cat, Dog], pydantic.Field(discriminator='kind')]


class Kinds(pydantic.BaseModel):
    when: datetime
    day: date
    color: Color
    pair: tuple[int, str]
    unique: set[int]
    link: pydantic.HttpUrl
    data: bytes


class Loose(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra='allow')
    anything: Any
    table: dict[str, int]
    nested: dict[str, Cat] = {}
    listed: list[Any] = pydantic.Field(default_factory=list, min_length=1, max_length=3)


class Closed(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra='forbid', title='Shut')
    count: int = pydantic.Field(alias='Count', multiple_of=2, gt=0, lt=10)
    deep: Node


SCHEMAS: dict[str, Any] = {kind.__name__: kind for kind in (Node, Odd, Kinds, Loose, Closed, Bare, Color)}
SCHEMAS.update(Int=int, Union=Union[Cat, Dog], List=list[Cat], Dict=dict[str, Any], Null=Optional[Cat])
RAW: dict[str, Any] = {
    'empty': {},
    'no_properties': {'type': 'object'},
    'all_of': {
        'type': 'object',
        'properties': {'a': {'allOf': [{'type': 'string'}, {'minLength': 2}]}},
        'required': ['a'],
    },
    'one_of': {
        'type': 'object',
        'properties': {'a': {'oneOf': [{'type': 'string'}, {'type': 'null'}]}},
        'required': ['a'],
    },
    'types': {'type': 'object', 'properties': {'a': {'type': ['string', 'null'], 'title': 'A'}}, 'required': ['a']},
    'const': {
        'type': 'object',
        'properties': {'a': {'const': 1}, 'title': {'type': 'string'}},
        'required': ['a', 'title'],
    },
    'pattern': {'type': 'object', 'patternProperties': {'^a': {'type': 'string'}}, 'additionalProperties': False},
    'ref': {'$ref': '#/$defs/A', '$defs': {'A': {'type': 'object', 'properties': {'a': {'$ref': '#/$defs/A'}}}}},
    'ref_more': {
        'type': 'object',
        'properties': {'a': {'$ref': '#/$defs/A', 'description': 'd'}},
        'required': ['a'],
        '$defs': {'A': {'type': 'string', 'format': 'uuid'}},
    },
    'formats': {
        'type': 'object',
        'properties': {name: {'type': 'string', 'format': name} for name in ('uri', 'email', 'date-time', 'regex')},
        'required': ['uri', 'email', 'date-time', 'regex'],
    },
    'open': {
        'type': 'object',
        'properties': {'a': {'type': 'object', 'additionalProperties': True}},
        'required': ['a'],
    },
    'arrays': {
        'type': 'object',
        'properties': {
            'a': {'type': 'array', 'items': {'type': 'integer'}, 'minItems': 1, 'uniqueItems': True},
            'b': {'type': 'array', 'prefixItems': [{'type': 'integer'}], 'items': False},
            'c': {'type': 'array'},
        },
        'required': ['a', 'b', 'c'],
    },
}
for name, kind in SCHEMAS.items():
    RAW[name] = pydantic.TypeAdapter(kind).json_schema()
for name, schema in RAW.items():
    for vendor in VENDORS:
        tools = [
            ToolDefinition(name=f't_{strict}', description='d', parameters_json_schema=schema, strict=strict)
            for strict in (None, True, False)
        ]
        case(f'{vendor}/schema_{name}', params=Parameters(function_tools=tools))
        wanted = OutputObjectDefinition(json_schema=schema, name='out', description='what comes out')
        case(f'{vendor}/native_{name}', params=Parameters(output_mode='native', output_object=wanted))
for strict in (True, False):
    wanted = OutputObjectDefinition(json_schema=RAW['Odd'], strict=strict)
    for vendor in VENDORS:
        case(f'{vendor}/native_strict_{strict}', params=Parameters(output_mode='native', output_object=wanted))


# Settings, one at a time.
MODELS: dict[str, list[str]] = {
    'chat': ['gpt-4o', 'gpt-5'],
    'responses': ['gpt-4o', 'gpt-5'],
    'anthropic': ['claude-sonnet-4-5', 'claude-opus-4-8'],
}
COMMON: list[tuple[str, Any]] = [
    ('max_tokens', 7),
    ('temperature', 0.2),
    ('temperature', 0.0),
    ('temperature', None),
    ('top_p', 0.3),
    ('top_k', 4),
    ('timeout', 30),
    ('seed', 3),
    ('seed', 0),
    ('presence_penalty', 0.1),
    ('frequency_penalty', 0.2),
    ('logit_bias', {'5': 1}),
    ('stop_sequences', ['a']),
    ('stop_sequences', []),
    ('extra_headers', {'x-mine': 'y', 'user-agent': 'me'}),
    ('extra_body', {'z': 1, 'temperature': 9}),
    ('parallel_tool_calls', True),
    *(('service_tier', tier) for tier in ('auto', 'default', 'flex', 'priority')),
    *(('thinking', level) for level in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh')),
]
OWN: dict[str, list[tuple[str, Any]]] = {
    'chat': [
        *(('openai_reasoning_effort', level) for level in ('none', 'minimal', 'low', 'xhigh', None)),
        ('openai_logprobs', True),
        ('openai_top_logprobs', 3),
        ('openai_store', True),
        ('openai_store', None),
        ('openai_user', 'u'),
        ('openai_service_tier', 'flex'),
        ('openai_prediction', {'type': 'content', 'content': 'abc'}),
        ('openai_prompt_cache_key', 'k'),
        ('openai_prompt_cache_retention', '24h'),
    ],
    'responses': [
        ('openai_native_tools', [{'type': 'web_search_preview'}]),
        ('openai_reasoning_generate_summary', 'concise'),
        ('openai_reasoning_summary', 'auto'),
        ('openai_send_reasoning_ids', True),
        ('openai_send_reasoning_ids', False),
        ('openai_truncation', 'auto'),
        ('openai_text_verbosity', 'low'),
        ('openai_previous_response_id', 'resp_1'),
        ('openai_previous_response_id', 'auto'),
        ('openai_conversation_id', 'conv_1'),
        ('openai_conversation_id', 'auto'),
        ('openai_include_code_execution_outputs', True),
        ('openai_include_web_search_sources', True),
        ('openai_include_file_search_results', True),
        ('openai_include_raw_annotations', True),
        ('openai_context_management', [{'type': 'compaction'}]),
    ],
    'anthropic': [
        ('anthropic_metadata', {'user_id': 'u'}),
        ('anthropic_thinking', {'type': 'disabled'}),
        ('anthropic_thinking', {'type': 'adaptive'}),
        ('anthropic_thinking', {'type': 'adaptive', 'display': 'omitted'}),
        ('anthropic_thinking', {'type': 'enabled', 'budget_tokens': 2000}),
        *(
            (f'anthropic_{key}', ttl)
            for key in ('cache', 'cache_instructions', 'cache_messages')
            for ttl in (False, '1h')
        ),
        ('anthropic_cache_tool_definitions', '1h'),
        ('anthropic_service_tier', 'auto'),
        *(('anthropic_effort', level) for level in ('low', 'medium', 'xhigh', 'max', None)),
        ('anthropic_task_budget', {'type': 'tokens', 'total': 20000}),
        ('anthropic_container', 'c1'),
        ('anthropic_container', False),
        ('anthropic_container', {'id': 'c1', 'skills': [{'type': 'anthropic', 'skill_id': 'pptx'}]}),
        ('anthropic_code_execution_tool_version', '20260120'),
        ('anthropic_eager_input_streaming', True),
        ('anthropic_betas', ['files-api-2025-04-14']),
        ('anthropic_speed', 'fast'),
        ('anthropic_speed', 'standard'),
    ],
}
OWN['responses'] = [*OWN['chat'], *OWN['responses']]
TALK = [
    ModelRequest(parts=[SystemPromptPart('sys'), UserPromptPart('hi')], instructions='be nice'),
    response_of(ThinkingPart('hm', id='rs_1', signature='s', provider_name='openai'), 'yes', provider_name='openai'),
    request_of('and'),
]
for vendor in VENDORS:
    tooled = Parameters(function_tools=[PLAIN])
    for number, (key, value) in enumerate([*COMMON, *OWN[vendor]]):
        for model in MODELS[vendor]:
            case(f'{vendor}/set_{key}_{number}_{model}', TALK, tooled, {key: value}, model=model)
usage_each = {'openai_continuous_usage_stats': True}
case('chat/s_usage_stats', settings=usage_each, reply=chunks({'content': 'hi'}))
case('chat/r_usage_stats', settings=usage_each)

# Native tools, one option at a time.
WHERE: Any = {'city': 'Bonn', 'country': 'DE', 'region': 'NRW', 'timezone': 'Europe/Berlin'}
NATIVE: dict[str, Any] = {
    **{f'search_{size}': WebSearchTool(search_context_size=size) for size in ('low', 'medium', 'high')},
    'search_where': WebSearchTool(user_location=WHERE),
    'search_city': WebSearchTool(user_location={'city': 'Bonn'}),
    'search_blocked': WebSearchTool(blocked_domains=['a.test']),
    'search_allowed': WebSearchTool(allowed_domains=['a.test']),
    'search_uses': WebSearchTool(max_uses=3),
    'fetch': WebFetchTool(),
    'fetch_blocked': WebFetchTool(blocked_domains=['a.test']),
    'fetch_allowed': WebFetchTool(allowed_domains=['a.test'], max_uses=2),
    'fetch_cited': WebFetchTool(enable_citations=True),
    'fetch_uncited': WebFetchTool(enable_citations=False),
    'fetch_tokens': WebFetchTool(max_content_tokens=50),
    'code': CodeExecutionTool(),
    'memory': MemoryTool(),
    'files': FileSearchTool(file_store_ids=['vs_1', 'vs_2']),
    'x_search': XSearchTool(),
    'context': url_context(),
    'mcp': MCPServerTool(id='m', url='https://m.test'),
    'mcp_token': MCPServerTool(id='m', url='https://m.test', authorization_token='t'),
    'mcp_tools': MCPServerTool(id='m', url='https://m.test', allowed_tools=['a', 'b']),
    'mcp_no_tools': MCPServerTool(id='m', url='https://m.test', allowed_tools=[]),
    'mcp_said': MCPServerTool(id='m', url='https://m.test', description='d', headers={'a': 'b'}),
    'mcp_connector': MCPServerTool(id='m', url='x-openai-connector:connector_dropbox'),
    'image': ImageGenerationTool(),
    **{f'image_{ratio}': ImageGenerationTool(aspect_ratio=ratio) for ratio in ('1:1', '2:3', '3:2', '16:9')},
    **{f'image_{size}': ImageGenerationTool(size=size) for size in ('auto', '1024x1024', '1536x1024', '2K')},
    'image_size_ratio': ImageGenerationTool(size='1024x1024', aspect_ratio='3:2'),
    'image_auto_ratio': ImageGenerationTool(size='auto', aspect_ratio='3:2'),
    'image_same_ratio': ImageGenerationTool(size='1536x1024', aspect_ratio='3:2'),
    'image_background': ImageGenerationTool(background='transparent'),
    'image_fidelity': ImageGenerationTool(input_fidelity='high'),
    'image_moderation': ImageGenerationTool(moderation='low'),
    'image_compression': ImageGenerationTool(output_compression=0, output_format='jpeg'),
    'image_webp': ImageGenerationTool(output_format='webp'),
    'image_partial': ImageGenerationTool(partial_images=2),
    'image_quality': ImageGenerationTool(quality='high'),
    'image_action': ImageGenerationTool(action='edit'),
    'image_model': ImageGenerationTool(model='gpt-image-1-mini'),
}
for name, native in NATIVE.items():
    for vendor in VENDORS:
        for model in ('gpt-4o-search-preview',) if vendor == 'chat' else MODELS[vendor]:
            case(f'{vendor}/native_tool_{name}_{model}', params=Parameters(native_tools=[native]), model=model)
every = Parameters(native_tools=[WebSearchTool(), CodeExecutionTool(), MCPServerTool(id='m', url='https://m.test')])
beside = Parameters(function_tools=[PLAIN], native_tools=every.native_tools)
for choice in ('auto', 'none', ['plain']):
    for vendor in ('responses', 'anthropic'):
        case(f'{vendor}/native_beside_{choice}', params=beside, settings={'tool_choice': choice})
        if choice != ['plain']:
            case(f'{vendor}/native_only_{choice}', params=every, settings={'tool_choice': choice})
versions: Any = {'anthropic_code_execution_tool_version': '20260120'}
code = Parameters(native_tools=[CodeExecutionTool()])
for model in ('claude-3-7-sonnet-latest', 'claude-haiku-4-5', 'claude-opus-4-8'):
    case(f'anthropic/code_version_{model}', params=code, settings=versions, model=model)
    case(f'anthropic/code_auto_{model}', params=code, model=model)


# What is better here than there: schemas that are all right are sent, keywords within `allOf` are put into words, and
# settings that the model refuses are left out.
BETTER = {
    *(f'anthropic/{way}_{name}' for way in ('schema', 'native') for name in ('empty', 'types', 'const', 'arrays')),
    *(f'{vendor}/{way}_all_of' for way in ('schema', 'native') for vendor in VENDORS),
    *(f'anthropic/{way}_Loose' for way in ('schema', 'native')),
    *(name for name in cases if name.startswith(('anthropic/set_temperature_3', 'responses/set_openai_logprobs_'))),
    *(f"{vendor}/native_beside_['plain']" for vendor in ('responses', 'anthropic')),  # the one tool, not any
}
cases.drop(BETTER)

client_of, run = Clients, cases.run
