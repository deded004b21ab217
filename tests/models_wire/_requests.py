"""Requests that cases of several providers share, by their names; see `record.py`."""

from __future__ import annotations

from typing import Any

from _vocabulary import (
    OTHER_OUTPUT_TOOL,
    OUTPUT_OBJECT,
    OUTPUT_TOOL,
    PNG,
    TOOL,
    TOOL_LOOSE,
    TOOL_NESTED,
    TOOL_NOT_STRICT,
    TOOL_STRICT,
    WITH_OUTPUT,
    WITH_TOOLS,
    WITH_TOOLS_AND_OUTPUT,
    Parameters,
    called,
    request_of,
    response_of,
)

from stead.messages import (
    AudioUrl,
    BinaryContent,
    CachePoint,
    DocumentUrl,
    FilePart,
    ImageUrl,
    InstructionPart,
    ModelRequest,
    NativeToolCallPart,
    NativeToolReturnPart,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    VideoUrl,
)
from stead.native_tools import CodeExecutionTool, WebSearchTool
from stead.settings import ToolOrOutput

# By their names: messages, parameters, settings; `None` for those of a plain request.
REQUESTS: dict[str, tuple[Any, Any, Any]] = {
    'plain': (None, None, None),
    'instructions': ([ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')], None, None),
    'instruction_parts': (
        None,
        Parameters(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
        None,
    ),
    'system': ([request_of(SystemPromptPart('sys'), 'hi')], None, None),
    'system_instructions': (
        [ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')],
        None,
        None,
    ),
    'system_later': (
        [request_of(SystemPromptPart('s1'), 'hi'), response_of('x'), request_of(SystemPromptPart('s2'), 'hi2')],
        None,
        None,
    ),
    'instructions_later': (
        [request_of('a'), response_of('b'), ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')],
        None,
        None,
    ),
    'history': (
        [request_of('a'), response_of('b'), request_of('c'), response_of('d', 'e'), request_of('f')],
        None,
        None,
    ),
    'two_prompts': ([request_of('a', 'b'), request_of('c')], None, None),
    'calls': (
        [
            request_of('a'),
            response_of('let me', ToolCallPart('t1', '{"x":1}', 'id1'), ToolCallPart('t1', {'x': 2}, 'id2')),
            request_of(ToolReturnPart('t1', {'r': 1}, 'id1'), ToolReturnPart('t1', 'text', 'id2')),
        ],
        None,
        None,
    ),
    'calls_without_arguments': (
        [
            request_of('a'),
            response_of(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', '', 'id2')),
            request_of(ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id2'), 'more'),
        ],
        None,
        None,
    ),
    'call_then_prompt': (called(ToolReturnPart('t1', 'r', 'id1'), 'and now?'), None, None),
    'retry': (called(RetryPromptPart('bad', tool_name='t1', tool_call_id='id1')), None, None),
    'retry_text': ([request_of('a'), response_of('b'), request_of(RetryPromptPart('bad thing'))], None, None),
    'denied': (called(ToolReturnPart('t1', 'denied!', 'id1', outcome='denied')), None, None),
    'returned_image': (
        called(ToolReturnPart('t1', ['see', BinaryContent(PNG, media_type='image/png', identifier='f1')], 'id1')),
        None,
        None,
    ),
    'returned_image_only': (
        called(ToolReturnPart('t1', BinaryContent(PNG, media_type='image/png', identifier='f1'), 'id1'), 'next'),
        None,
        None,
    ),
    'returned_link': (
        called(ToolReturnPart('t1', [{'a': 1}, ImageUrl('http://x.com/i.png', identifier='f2')], 'id1')),
        None,
        None,
    ),
    'returned_pdf': (
        called(ToolReturnPart('t1', BinaryContent(b'pdf', media_type='application/pdf', identifier='f1'), 'id1')),
        None,
        None,
    ),
    'thinking': ([request_of('a'), response_of(ThinkingPart('hmm'), 'b'), request_of('c')], None, None),
    'thinking_two': (
        [request_of('a'), response_of(ThinkingPart('hm1'), ThinkingPart('hm2'), 'b'), request_of('c')],
        None,
        None,
    ),
    'thinking_after': ([request_of('a'), response_of('b', ThinkingPart('hmm'), 'c'), request_of('d')], None, None),
    'thinking_and_call': (
        [
            request_of('a'),
            response_of(ThinkingPart('hmm'), ToolCallPart('t1', '{}', 'id1')),
            request_of(ToolReturnPart('t1', 1, 'id1')),
        ],
        None,
        None,
    ),
    'thinking_only': ([request_of('a'), response_of(ThinkingPart('hmm')), request_of('c')], None, None),
    'thinking_nothing': ([request_of('a'), response_of(ThinkingPart('')), request_of('c')], None, None),
    'answer_of_nothing': ([request_of('a'), response_of(), request_of('c')], None, None),
    'answer_of_empty_text': ([request_of('a'), response_of(''), request_of('c')], None, None),
    'prompt_of_nothing': ([request_of('')], None, None),
    'native_parts': (
        [
            request_of('a'),
            response_of(
                NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='groq'),
                NativeToolReturnPart('web_search', {'a': 1}, 'n1', provider_name='groq'),
                'b',
            ),
            request_of('c'),
        ],
        None,
        None,
    ),
    'file_part': (
        [request_of('a'), response_of('b', FilePart(BinaryContent(PNG, media_type='image/png'))), request_of('c')],
        None,
        None,
    ),
    'image_link': ([request_of(['see', ImageUrl('https://example.com/a.png')])], None, None),
    'image_detail': (
        [request_of([ImageUrl('https://example.com/a.png', vendor_metadata={'detail': 'high'})])],
        None,
        None,
    ),
    'image_bytes': ([request_of(['see', BinaryContent(PNG, media_type='image/png')])], None, None),
    'image_bytes_detail': (
        [request_of([BinaryContent(PNG, media_type='image/png', vendor_metadata={'detail': 'low'})])],
        None,
        None,
    ),
    'texts': ([request_of(['a', 'b', TextContent('c', metadata={'k': 1})])], None, None),
    'cache_point': ([request_of(['a', CachePoint(), 'b'])], None, None),
    'pdf_link': ([request_of(['see', DocumentUrl('https://example.com/a.pdf')])], None, None),
    'text_link': ([request_of([DocumentUrl('https://example.com/a.txt', media_type='text/csv')])], None, None),
    'pdf_bytes': ([request_of(['see', BinaryContent(b'%PDF', media_type='application/pdf')])], None, None),
    'text_bytes': ([request_of([BinaryContent(b'hi', media_type='text/plain', identifier='f3')])], None, None),
    'audio_bytes': ([request_of([BinaryContent(b'w', media_type='audio/wav')])], None, None),
    'audio_link': ([request_of([AudioUrl('https://example.com/a.mp3')])], None, None),
    'video_link': ([request_of([VideoUrl('https://example.com/a.mp4')])], None, None),
    'video_bytes': ([request_of([BinaryContent(b'v', media_type='video/mp4')])], None, None),
    'uploaded': (
        [request_of([UploadedFile(file_id='f1', provider_name='openai', media_type='application/pdf')])],
        None,
        None,
    ),
    'uploaded_image': (
        [request_of([UploadedFile(file_id='f1', provider_name='anthropic', media_type='image/png')])],
        None,
        None,
    ),
    'tools': (None, Parameters(function_tools=[TOOL, TOOL_LOOSE, TOOL_STRICT, TOOL_NOT_STRICT, TOOL_NESTED]), None),
    'output_tool': (None, WITH_OUTPUT, None),
    'output_tool_and_tool': (None, WITH_TOOLS_AND_OUTPUT, None),
    'output_tools': (
        None,
        Parameters(output_tools=[OUTPUT_TOOL, OTHER_OUTPUT_TOOL], output_mode='tool', allow_text_output=False),
        None,
    ),
    'output_tool_or_text': (
        None,
        Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=True),
        None,
    ),
    'output_native': (None, Parameters(output_mode='native', output_object=OUTPUT_OBJECT), None),
    'output_native_and_tool': (
        None,
        Parameters(output_mode='native', output_object=OUTPUT_OBJECT, function_tools=[TOOL_LOOSE]),
        None,
    ),
    'output_prompted': (None, Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT), None),
    'output_prompted_and_tool': (
        None,
        Parameters(output_mode='prompted', output_object=OUTPUT_OBJECT, function_tools=[TOOL_LOOSE]),
        None,
    ),
    'output_image': (None, Parameters(allow_image_output=True), None),
    'choice_without_tools': (None, None, {'tool_choice': 'required'}),
    'choice_none_without_tools': (None, None, {'tool_choice': 'none'}),
    'native_web_search': (None, Parameters(native_tools=[WebSearchTool()]), None),
    'native_code': (None, Parameters(native_tools=[CodeExecutionTool()]), None),
    'parallel': (None, WITH_TOOLS, {'parallel_tool_calls': True}),
    'not_parallel': (None, WITH_TOOLS, {'parallel_tool_calls': False}),
    'not_parallel_without_tools': (None, None, {'parallel_tool_calls': False}),
    'not_parallel_output': (None, WITH_OUTPUT, {'parallel_tool_calls': False}),
    'settings': (
        None,
        None,
        {
            'max_tokens': 5,
            'temperature': 0.1,
            'top_p': 0.2,
            'top_k': 3,
            'seed': 4,
            'presence_penalty': 0.5,
            'frequency_penalty': 0.6,
            'logit_bias': {'1': 2},
            'stop_sequences': ['x', 'y'],
            'timeout': 30,
            'service_tier': 'flex',
        },
    ),
    'settings_none': (None, None, {'max_tokens': None, 'temperature': None, 'stop_sequences': None}),
    'settings_zero': (None, None, {'temperature': 0, 'seed': 0, 'max_tokens': 0, 'presence_penalty': 0}),
    'settings_more': (None, None, {'extra_headers': {'x-a': 'b'}, 'extra_body': {'foo': 'bar'}}),
}
CHOICES = {
    'none': 'none',
    'auto': 'auto',
    'required': 'required',
    'one': ['t1'],
    'some': ['t1', 't2'],
    'one_or_output': ToolOrOutput(['t1']),
    'output': ToolOrOutput([]),
    'all': ['t1', 't2', 'final_result'],
    'no': [],
    'unknown': ['t9'],
}
REQUESTS.update({f'choice_{name}': (None, WITH_TOOLS, {'tool_choice': choice}) for name, choice in CHOICES.items()})
REQUESTS.update(
    {
        f'output_choice_{name}': (None, WITH_TOOLS_AND_OUTPUT, {'tool_choice': choice})
        for name, choice in CHOICES.items()
    }
)
REQUESTS.update(
    {
        f'thinks_{level}': (None, None, {'thinking': level})
        for level in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh')
    }
)
