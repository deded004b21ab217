"""Cerebras, Ollama and OpenRouter: requests and answers as they all have them; see `record.py`."""

from __future__ import annotations

from _compatible import CITY, PROVIDERS, STRICT_TOOL, Cases, chunk, client_of, completion
from _vocabulary import OUTPUT_TOOL, TOOL, TOOL_LOOSE, Parameters, request_of, response_of
from _wire import Cut, Reset, as_json

from stead.messages import (
    BinaryContent,
    ImageUrl,
    RetryPromptPart,
    SystemPromptPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    VideoUrl,
)
from stead.native_tools import CodeExecutionTool, WebSearchTool

cases = Cases()
case, stream, run = cases.add, cases.stream, cases.run
__all__ = ('cases', 'client_of', 'run')

# What they are asked.
for provider in PROVIDERS:
    case(f'{provider}_plain')
    case(
        f'{provider}_settings',
        settings={
            'max_tokens': 10,
            'temperature': 0.5,
            'top_p': 0.5,
            'top_k': 5,
            'seed': 3,
            'presence_penalty': 0.1,
            'frequency_penalty': 0.2,
            'logit_bias': {'1': 2},
            'stop_sequences': ['x'],
            'parallel_tool_calls': False,
            'service_tier': 'flex',
            'extra_body': {'mine': 1},
            'extra_headers': {'x-mine': '1'},
        },
        params=Parameters(function_tools=[TOOL]),
    )
    case(f'{provider}_tools', params=Parameters(function_tools=[TOOL, TOOL_LOOSE, STRICT_TOOL]))
    case(f'{provider}_out', params=Parameters(output_tools=[OUTPUT_TOOL], output_mode='tool', allow_text_output=False))
    case(f'{provider}_native_out', params=Parameters(output_object=CITY, output_mode='native'))
    case(f'{provider}_prompted', params=Parameters(output_object=CITY, output_mode='prompted'))
    case(f'{provider}_web', params=Parameters(native_tools=[WebSearchTool(search_context_size='high')]))
    case(f'{provider}_code', params=Parameters(native_tools=[CodeExecutionTool()]))
    for effort in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh'):
        case(f'{provider}_thinking_{effort}', settings={'thinking': effort})
    case(f'{provider}_effort', settings={'openai_reasoning_effort': 'low', 'openai_user': 'me', 'openai_store': True})
    case(
        f'{provider}_history',
        [
            request_of(SystemPromptPart('sys'), 'a'),
            response_of(
                ThinkingPart('hm', id='reasoning', provider_name='openrouter'),
                ThinkingPart('ha', id='reasoning', provider_name='cerebras'),
                ThinkingPart('ho', id='reasoning', provider_name='ollama'),
                ThinkingPart('other', provider_name='anthropic'),
                'b',
                ToolCallPart('t1', '{"x":1}', 'id1'),
            ),
            request_of(ToolReturnPart('t1', 'r', 'id1'), RetryPromptPart('bad', tool_name='t1', tool_call_id='id1')),
        ],
    )
    case(f'{provider}_refusal', reply=as_json(completion({'role': 'assistant', 'content': None, 'refusal': 'no'})))
    case(f'{provider}_error_body', reply=as_json({'error': {'message': 'boom', 'code': 500}}))
    case(f'{provider}_404', reply=as_json({'error': {'message': 'boom'}}, status=404))
    case(f'{provider}_no_choices', reply=as_json(completion(choices=[])))
    case(
        f'{provider}_reasoning',
        reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'reasoning': 'because'})),
    )
    case(
        f'{provider}_reasoning_content',
        reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'reasoning_content': 'because'})),
    )
    stream(
        f'{provider}_plain',
        chunk({'role': 'assistant', 'content': ''}),
        chunk({'content': 'a'}),
        chunk({'content': 'b'}, 'stop'),
    )
    # What OpenRouter streams without details is lost there, and read here.
    stream(
        f'{provider}_reasoning',
        chunk({'role': 'assistant', 'content': '', 'reasoning': 'be'}),
        chunk({'content': '', 'reasoning': 'cause'}),
        chunk({'content': 'b'}),
        chunk({}, 'stop'),
        chunk(choices=[], usage={'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}),
    )
    if provider == 'or':
        del cases['or_s_reasoning']
    stream(f'{provider}_error', chunk({'content': 'a'}), {'error': {'message': 'boom', 'code': 500}})
    stream(f'{provider}_error_first', {'error': {'message': 'boom', 'code': 500}})
    stream(f'{provider}_cut', chunk({'content': 'a'}), Cut())
    stream(f'{provider}_reset', Reset())

# The settings of single providers.
case('ce_disable_reasoning', settings={'cerebras_disable_reasoning': True})
case('ce_enable_reasoning', settings={'cerebras_disable_reasoning': False})
case('ce_disable_and_body', settings={'cerebras_disable_reasoning': True, 'extra_body': {'mine': 1}})
case('ce_disable_over_thinking', settings={'cerebras_disable_reasoning': True, 'thinking': 'high'})
case('ce_enable_over_thinking', settings={'cerebras_disable_reasoning': False, 'thinking': False})
for name in ('zai-glm-4.6', 'zai-glm-4.7', 'llama3.1-8b', 'qwen-3-32b'):
    for effort in (True, False, 'low'):
        case(f'ce_thinking_{name}_{effort}', settings={'thinking': effort}, model=name)
    case(f'ce_disable_{name}', settings={'cerebras_disable_reasoning': True}, model=name)
    case(f'ce_native_{name}', params=Parameters(output_object=CITY, output_mode='native'), model=name)
for name in ('gpt-oss:20b', 'qwen3', 'deepseek-r1', 'gemma3'):
    case(
        f'ol_native_{name}',
        params=Parameters(output_object=CITY, output_mode='native', function_tools=[TOOL]),
        model=name,
    )
    case(f'ol_thinking_{name}', settings={'thinking': 'low'}, model=name)
    case(f'ol_nothinking_{name}', settings={'thinking': False}, model=name)


# Content.
for name, content in {
    'video_youtube': VideoUrl('https://www.youtube.com/watch?v=abc'),
    'video': BinaryContent(b'mp4', media_type='video/mp4'),
    'image': ImageUrl('https://a.b/c.png', vendor_metadata={'detail': 'high'}),
    'png': BinaryContent(b'png', media_type='image/png'),
    'pdf': BinaryContent(b'pdf', media_type='application/pdf'),
    'txt': BinaryContent(b'txt', media_type='text/plain'),
    'wav': BinaryContent(b'wav', media_type='audio/wav'),
    'ogg': BinaryContent(b'ogg', media_type='audio/ogg'),
    'zip': BinaryContent(b'zip', media_type='application/zip'),
    'uploaded': UploadedFile(file_id='f', provider_name='openai'),
}.items():
    for provider in PROVIDERS:
        if (provider, name) not in (('or', 'video'), ('or', 'video_youtube')):
            case(f'{provider}_content_{name}', [request_of(['look', content])])
for name in ('auto', 'required', 'none', ['t1'], ['t1', 't2']):
    for provider in PROVIDERS:
        case(
            f'{provider}_choice_{name}',
            params=Parameters(function_tools=[TOOL, TOOL_LOOSE]),
            settings={'tool_choice': name},
        )
