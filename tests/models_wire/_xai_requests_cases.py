"""Tools, outputs and settings, as they are sent to xAI."""

from __future__ import annotations

import datetime
from typing import Any

from _vocabulary import Cases, Parameters
from _xai_bodies import answer

from stead.native_tools import (
    CodeExecutionTool,
    FileSearchTool,
    MCPServerTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)
from stead.output import OutputObjectDefinition
from stead.profiles.grok import GrokModelProfile
from stead.settings import ToolOrOutput
from stead.tools import ToolDefinition

cases = Cases('grok-4-fast', answer)
case = cases.add

# Tools

SCHEMA: dict[str, Any] = {'type': 'object', 'properties': {'x': {'type': 'integer'}}, 'required': ['x']}
TOOL_T = ToolDefinition(name='t', description='d', parameters_json_schema=SCHEMA)
TOOL_S = ToolDefinition(name='s', parameters_json_schema={'type': 'object', 'properties': {}}, strict=True)
TOOL_Z = ToolDefinition(name='z')
case('tools', params=Parameters(function_tools=[TOOL_T, TOOL_S]))
WITH_OUTPUT_TOOL = Parameters(
    function_tools=[TOOL_T, TOOL_Z], output_tools=[TOOL_S], output_mode='tool', allow_text_output=False
)
case('output tools', params=WITH_OUTPUT_TOOL)
for choice in ('none', 'auto', 'required', ['t'], ['t', 's'], ['t', 'z'], ToolOrOutput(function_tools=['t']), ['who']):
    case(
        f'tool choice {choice}',
        params=Parameters(function_tools=[TOOL_T, TOOL_S, TOOL_Z]),
        settings={'tool_choice': choice},
    )
    case(f'tool choice {choice} with output tools', params=WITH_OUTPUT_TOOL, settings={'tool_choice': choice})
NO_FORCED_CALLS = GrokModelProfile(grok_supports_tool_choice_required=False)
case('a model that cannot be made to call', params=WITH_OUTPUT_TOOL, profile=NO_FORCED_CALLS)
for choice in ('required', ['t'], ['t', 'z']):
    params = Parameters(function_tools=[TOOL_T, TOOL_S, TOOL_Z])
    case(
        f'a model that cannot be made to call, {choice}',
        params=params,
        settings={'tool_choice': choice},
        profile=NO_FORCED_CALLS,
    )
DAY = datetime.datetime(2024, 1, 1)
for title, tool in (
    ('web search', WebSearchTool()),
    ('web search with options', WebSearchTool(search_context_size='high', allowed_domains=['a.com'], max_uses=3)),
    ('web search without domains', WebSearchTool(blocked_domains=['b.com'])),
    ('X', XSearchTool()),
    (
        'X with options',
        XSearchTool(allowed_x_handles=['a'], from_date=DAY, enable_image_understanding=True, include_output=True),
    ),
    ('X without accounts', XSearchTool(excluded_x_handles=['b'], to_date=DAY.replace(tzinfo=datetime.timezone.utc))),
    ('code', CodeExecutionTool()),
    ('an MCP server', MCPServerTool(id='srv', url='https://m.example.com')),
    (
        'an MCP server with options',
        MCPServerTool(
            id='srv',
            url='https://m.example.com',
            authorization_token='tok',
            description='d',
            allowed_tools=['a'],
            headers={'h': 'v'},
        ),
    ),
    ('files', FileSearchTool(file_store_ids=['c1', 'c2'])),
    ('web fetch', WebFetchTool()),
    ('memory', MemoryTool()),
):
    case(f'native tool: {title}', params=Parameters(native_tools=[tool]))
WITH_SEARCH = Parameters(native_tools=[WebSearchTool()], function_tools=[TOOL_T])
case('native tools and others', params=WITH_SEARCH)
case('native tools and no calls', params=WITH_SEARCH, settings={'tool_choice': 'none'})
case('native tools and one call', params=WITH_SEARCH, settings={'tool_choice': ['t']})
case('a model without native tools', params=WITH_SEARCH, model='grok-3-mini')

# Output

OUTPUT_OBJECT = OutputObjectDefinition(json_schema=SCHEMA, name='n', description='ä', strict=True)
case('native output', params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT))
case(
    'native output and tools',
    params=Parameters(output_mode='native', output_object=OUTPUT_OBJECT, function_tools=[TOOL_T]),
)
case(
    'prompted output',
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, prompted_output_template='X {schema}'),
)
case(
    'prompted output and tools',
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, function_tools=[TOOL_T]),
)
case(
    'prompted output and native tools',
    params=Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, native_tools=[WebSearchTool()]),
)
case(
    'automatic output',
    params=Parameters(output_mode='auto', output_tools=[TOOL_S], output_object=OUTPUT_OBJECT, allow_text_output=False),
)
case('output of images', params=Parameters(output_mode='image', allow_image_output=True))

# Settings

case(
    'settings',
    settings={
        'max_tokens': 5,
        'temperature': 0.1,
        'top_p': 0.9,
        'top_k': 3,
        'timeout': 10,
        'parallel_tool_calls': False,
        'seed': 3,
        'presence_penalty': 0.5,
        'frequency_penalty': 0.25,
        'logit_bias': {'a': 1},
        'stop_sequences': ['x'],
        'service_tier': 'priority',
        'xai_logprobs': True,
        'xai_top_logprobs': 2,
        'xai_user': 'u',
        'xai_store_messages': True,
        'xai_previous_response_id': 'p',
    },
)
INCLUDE = ('encrypted_content', 'code_execution_output', 'web_search_output', 'inline_citations', 'mcp_output')
INCLUDE += ('x_search_output', 'collections_search_output')
for name in INCLUDE:
    case(f'include {name}', settings={f'xai_include_{name}': True})
case('include all', settings={f'xai_include_{name}': True for name in INCLUDE})
case('include nothing', settings={f'xai_include_{name}': False for name in INCLUDE})
case(
    'include X twice',
    params=Parameters(native_tools=[XSearchTool(include_output=True)]),
    settings={'xai_include_x_search_output': True},
)
for model in ('grok-4-fast', 'grok-4.3', 'grok-3-mini'):
    for thinking in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh'):
        case(f'{model} thinks: {thinking}', model=model, settings={'thinking': thinking})
for effort in ('none', 'low', 'medium', 'high'):
    case(f'effort {effort}', settings={'xai_reasoning_effort': effort})
case('effort over thinking', model='grok-4.3', settings={'xai_reasoning_effort': 'low', 'thinking': 'high'})
