"""Cerebras, Ollama and OpenRouter: requests and answers as they all have them; see `record.py`."""

from __future__ import annotations

from _facts import R, U
from _houses import HOUSES, OUT, Cases, ch, client_of, completion, out, strict, tool, tool2
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
from stead.models import ModelRequestParameters as P
from stead.native_tools import CodeExecutionTool, WebSearchTool

cases = Cases()
case, sc, run = cases.add, cases.stream, cases.run
__all__ = ('cases', 'client_of', 'run')

# What they are asked.
for house in HOUSES:
    case(f'{house}_plain')
    case(
        f'{house}_settings',
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
        params=P(function_tools=[tool]),
    )
    case(f'{house}_tools', params=P(function_tools=[tool, tool2, strict]))
    case(f'{house}_out', params=P(output_tools=[out], output_mode='tool', allow_text_output=False))
    case(f'{house}_native_out', params=P(output_object=OUT, output_mode='native'))
    case(f'{house}_prompted', params=P(output_object=OUT, output_mode='prompted'))
    case(f'{house}_web', params=P(native_tools=[WebSearchTool(search_context_size='high')]))
    case(f'{house}_code', params=P(native_tools=[CodeExecutionTool()]))
    for effort in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh'):
        case(f'{house}_thinking_{effort}', settings={'thinking': effort})
    case(f'{house}_effort', settings={'openai_reasoning_effort': 'low', 'openai_user': 'me', 'openai_store': True})
    case(
        f'{house}_history',
        [
            U(SystemPromptPart('sys'), 'a'),
            R(
                ThinkingPart('hm', id='reasoning', provider_name='openrouter'),
                ThinkingPart('ha', id='reasoning', provider_name='cerebras'),
                ThinkingPart('ho', id='reasoning', provider_name='ollama'),
                ThinkingPart('other', provider_name='anthropic'),
                'b',
                ToolCallPart('t1', '{"x":1}', 'id1'),
            ),
            U(ToolReturnPart('t1', 'r', 'id1'), RetryPromptPart('bad', tool_name='t1', tool_call_id='id1')),
        ],
    )
    case(f'{house}_refusal', reply=as_json(completion({'role': 'assistant', 'content': None, 'refusal': 'no'})))
    case(f'{house}_error_body', reply=as_json({'error': {'message': 'boom', 'code': 500}}))
    case(f'{house}_404', reply=as_json({'error': {'message': 'boom'}}, status=404))
    case(f'{house}_no_choices', reply=as_json(completion(choices=[])))
    case(
        f'{house}_reasoning',
        reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'reasoning': 'because'})),
    )
    case(
        f'{house}_reasoning_content',
        reply=as_json(completion({'role': 'assistant', 'content': 'hi', 'reasoning_content': 'because'})),
    )
    sc(f'{house}_plain', ch({'role': 'assistant', 'content': ''}), ch({'content': 'a'}), ch({'content': 'b'}, 'stop'))
    # What OpenRouter streams without details is lost there, and read here.
    sc(
        f'{house}_reasoning',
        ch({'role': 'assistant', 'content': '', 'reasoning': 'be'}),
        ch({'content': '', 'reasoning': 'cause'}),
        ch({'content': 'b'}),
        ch({}, 'stop'),
        ch(choices=[], usage={'prompt_tokens': 10, 'completion_tokens': 5, 'total_tokens': 15}),
    )
    if house == 'or':
        del cases['or_s_reasoning']
    sc(f'{house}_error', ch({'content': 'a'}), {'error': {'message': 'boom', 'code': 500}})
    sc(f'{house}_error_first', {'error': {'message': 'boom', 'code': 500}})
    sc(f'{house}_cut', ch({'content': 'a'}), Cut())
    sc(f'{house}_reset', Reset())

# The settings of the houses.
case('ce_disable_reasoning', settings={'cerebras_disable_reasoning': True})
case('ce_enable_reasoning', settings={'cerebras_disable_reasoning': False})
case('ce_disable_and_body', settings={'cerebras_disable_reasoning': True, 'extra_body': {'mine': 1}})
case('ce_disable_over_thinking', settings={'cerebras_disable_reasoning': True, 'thinking': 'high'})
case('ce_enable_over_thinking', settings={'cerebras_disable_reasoning': False, 'thinking': False})
for name in ('zai-glm-4.6', 'zai-glm-4.7', 'llama3.1-8b', 'qwen-3-32b'):
    for effort in (True, False, 'low'):
        case(f'ce_thinking_{name}_{effort}', settings={'thinking': effort}, model=name)
    case(f'ce_disable_{name}', settings={'cerebras_disable_reasoning': True}, model=name)
    case(f'ce_native_{name}', params=P(output_object=OUT, output_mode='native'), model=name)
for name in ('gpt-oss:20b', 'qwen3', 'deepseek-r1', 'gemma3'):
    case(f'ol_native_{name}', params=P(output_object=OUT, output_mode='native', function_tools=[tool]), model=name)
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
    for house in HOUSES:
        if (house, name) not in (('or', 'video'), ('or', 'video_youtube')):
            case(f'{house}_content_{name}', [U(['look', content])])
for name in ('auto', 'required', 'none', ['t1'], ['t1', 't2']):
    for house in HOUSES:
        case(f'{house}_choice_{name}', params=P(function_tools=[tool, tool2]), settings={'tool_choice': name})
