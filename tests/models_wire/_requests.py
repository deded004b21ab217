"""What the cases of several vendors share: what a case is, and conversations, tools, outputs and settings for any vendor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from _facts import R, U

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
from stead.models import ModelRequestParameters as P
from stead.native_tools import CodeExecutionTool, WebSearchTool
from stead.output import OutputObjectDefinition
from stead.settings import ToolOrOutput
from stead.tools import ToolDefinition


class Case(NamedTuple):
    """A request to a model, and what it is answered with."""

    messages: Any
    params: Any
    settings: Any
    model: Any
    reply: Any
    profile: Any
    more: dict[str, Any]


class Cases(dict[str, Any]):
    """Cases by their names."""

    def __init__(self, model: str | None = None, reply: Callable[[], Any] = lambda: None) -> None:
        """Have no cases yet; `model` and `reply` are what those have that say nothing else."""
        self.model = model
        self.reply = reply

    def add(
        self,
        name: str,
        messages: Any = None,
        params: Any = None,
        settings: Any = None,
        model: str | None = None,
        reply: Any = None,
        profile: Any = None,
        **more: Any,
    ) -> None:
        assert name not in self, name
        self[name] = Case(
            messages or [U('hello')],
            params or P(),
            settings,
            model or self.model,
            reply or self.reply(),
            profile,
            more,
        )

    def drop(self, names: Iterable[str]) -> None:
        """Leave out cases, which are those in which stead is better."""
        for name in names:
            del self[name]


PNG = b'\x89PNG\r\n'
SCHEMA = {
    'type': 'object',
    'properties': {'x': {'type': 'integer'}},
    'required': ['x'],
    'additionalProperties': False,
}
LOOSE = {'type': 'object', 'properties': {'y': {'type': 'string', 'default': 'a'}}}
NESTED = {
    'type': 'object',
    '$defs': {'Pet': {'type': 'object', 'properties': {'name': {'type': 'string'}}, 'required': ['name']}},
    'properties': {'pets': {'type': 'array', 'items': {'$ref': '#/$defs/Pet'}}, 'best': {'$ref': '#/$defs/Pet'}},
}
TOOL = ToolDefinition(name='t1', description='does t1', parameters_json_schema=SCHEMA)
TOOL_LOOSE = ToolDefinition(name='t2', parameters_json_schema=LOOSE)
TOOL_STRICT = ToolDefinition(name='t3', description='d3', parameters_json_schema=LOOSE, strict=True)
TOOL_NOT_STRICT = ToolDefinition(name='t4', description='d4', parameters_json_schema=SCHEMA, strict=False)
TOOL_NESTED = ToolDefinition(name='t5', description='d5', parameters_json_schema=NESTED)
OUT = ToolDefinition(name='final_result', description='The final', parameters_json_schema=SCHEMA, kind='output')
OUT_2 = ToolDefinition(name='other_result', parameters_json_schema=NESTED, kind='output')
OBJECT = OutputObjectDefinition(json_schema=SCHEMA, name='Out', description='an out')
TOOLS = P(function_tools=[TOOL, TOOL_LOOSE])
BOTH = P(function_tools=[TOOL, TOOL_LOOSE], output_tools=[OUT], output_mode='tool', allow_text_output=False)
OUTPUT = P(output_tools=[OUT], output_mode='tool', allow_text_output=False)


def called(*returned: Any) -> list[Any]:
    """A conversation in which a tool was called, and what came back."""
    return [U('a'), R(ToolCallPart('t1', '{}', 'id1')), U(*returned)]


# By their names: messages, parameters, settings; `None` for those of a plain request.
REQUESTS: dict[str, tuple[Any, Any, Any]] = {
    'plain': (None, None, None),
    'instructions': ([ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')], None, None),
    'instruction_parts': (
        None,
        P(instruction_parts=[InstructionPart(content='A'), InstructionPart(content='B', dynamic=True)]),
        None,
    ),
    'system': ([U(SystemPromptPart('sys'), 'hi')], None, None),
    'system_instructions': (
        [ModelRequest(parts=[SystemPromptPart('s1'), SystemPromptPart('s2'), UserPromptPart('hi')], instructions='be')],
        None,
        None,
    ),
    'system_later': ([U(SystemPromptPart('s1'), 'hi'), R('x'), U(SystemPromptPart('s2'), 'hi2')], None, None),
    'instructions_later': (
        [U('a'), R('b'), ModelRequest(parts=[UserPromptPart('hi')], instructions='be nice')],
        None,
        None,
    ),
    'history': ([U('a'), R('b'), U('c'), R('d', 'e'), U('f')], None, None),
    'two_prompts': ([U('a', 'b'), U('c')], None, None),
    'calls': (
        [
            U('a'),
            R('let me', ToolCallPart('t1', '{"x":1}', 'id1'), ToolCallPart('t1', {'x': 2}, 'id2')),
            U(ToolReturnPart('t1', {'r': 1}, 'id1'), ToolReturnPart('t1', 'text', 'id2')),
        ],
        None,
        None,
    ),
    'calls_without_arguments': (
        [
            U('a'),
            R(ToolCallPart('t1', None, 'id1'), ToolCallPart('t1', '', 'id2')),
            U(ToolReturnPart('t1', None, 'id1'), ToolReturnPart('t1', [1, 2], 'id2'), 'more'),
        ],
        None,
        None,
    ),
    'call_then_prompt': (called(ToolReturnPart('t1', 'r', 'id1'), 'and now?'), None, None),
    'retry': (called(RetryPromptPart('bad', tool_name='t1', tool_call_id='id1')), None, None),
    'retry_text': ([U('a'), R('b'), U(RetryPromptPart('bad thing'))], None, None),
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
    'thinking': ([U('a'), R(ThinkingPart('hmm'), 'b'), U('c')], None, None),
    'thinking_two': ([U('a'), R(ThinkingPart('hm1'), ThinkingPart('hm2'), 'b'), U('c')], None, None),
    'thinking_after': ([U('a'), R('b', ThinkingPart('hmm'), 'c'), U('d')], None, None),
    'thinking_and_call': (
        [U('a'), R(ThinkingPart('hmm'), ToolCallPart('t1', '{}', 'id1')), U(ToolReturnPart('t1', 1, 'id1'))],
        None,
        None,
    ),
    'thinking_only': ([U('a'), R(ThinkingPart('hmm')), U('c')], None, None),
    'thinking_nothing': ([U('a'), R(ThinkingPart('')), U('c')], None, None),
    'answer_of_nothing': ([U('a'), R(), U('c')], None, None),
    'answer_of_empty_text': ([U('a'), R(''), U('c')], None, None),
    'prompt_of_nothing': ([U('')], None, None),
    'native_parts': (
        [
            U('a'),
            R(
                NativeToolCallPart('web_search', {'query': 'q'}, 'n1', provider_name='groq'),
                NativeToolReturnPart('web_search', {'a': 1}, 'n1', provider_name='groq'),
                'b',
            ),
            U('c'),
        ],
        None,
        None,
    ),
    'file_part': ([U('a'), R('b', FilePart(BinaryContent(PNG, media_type='image/png'))), U('c')], None, None),
    'image_link': ([U(['see', ImageUrl('https://example.com/a.png')])], None, None),
    'image_detail': (
        [U([ImageUrl('https://example.com/a.png', vendor_metadata={'detail': 'high'})])],
        None,
        None,
    ),
    'image_bytes': ([U(['see', BinaryContent(PNG, media_type='image/png')])], None, None),
    'image_bytes_detail': (
        [U([BinaryContent(PNG, media_type='image/png', vendor_metadata={'detail': 'low'})])],
        None,
        None,
    ),
    'texts': ([U(['a', 'b', TextContent('c', metadata={'k': 1})])], None, None),
    'cache_point': ([U(['a', CachePoint(), 'b'])], None, None),
    'pdf_link': ([U(['see', DocumentUrl('https://example.com/a.pdf')])], None, None),
    'text_link': ([U([DocumentUrl('https://example.com/a.txt', media_type='text/csv')])], None, None),
    'pdf_bytes': ([U(['see', BinaryContent(b'%PDF', media_type='application/pdf')])], None, None),
    'text_bytes': ([U([BinaryContent(b'hi', media_type='text/plain', identifier='f3')])], None, None),
    'audio_bytes': ([U([BinaryContent(b'w', media_type='audio/wav')])], None, None),
    'audio_link': ([U([AudioUrl('https://example.com/a.mp3')])], None, None),
    'video_link': ([U([VideoUrl('https://example.com/a.mp4')])], None, None),
    'video_bytes': ([U([BinaryContent(b'v', media_type='video/mp4')])], None, None),
    'uploaded': ([U([UploadedFile(file_id='f1', provider_name='openai', media_type='application/pdf')])], None, None),
    'uploaded_image': (
        [U([UploadedFile(file_id='f1', provider_name='anthropic', media_type='image/png')])],
        None,
        None,
    ),
    'tools': (None, P(function_tools=[TOOL, TOOL_LOOSE, TOOL_STRICT, TOOL_NOT_STRICT, TOOL_NESTED]), None),
    'output_tool': (None, OUTPUT, None),
    'output_tool_and_tool': (None, BOTH, None),
    'output_tools': (None, P(output_tools=[OUT, OUT_2], output_mode='tool', allow_text_output=False), None),
    'output_tool_or_text': (None, P(output_tools=[OUT], output_mode='tool', allow_text_output=True), None),
    'output_native': (None, P(output_mode='native', output_object=OBJECT), None),
    'output_native_and_tool': (None, P(output_mode='native', output_object=OBJECT, function_tools=[TOOL_LOOSE]), None),
    'output_prompted': (None, P(output_mode='prompted', output_object=OBJECT), None),
    'output_prompted_and_tool': (
        None,
        P(output_mode='prompted', output_object=OBJECT, function_tools=[TOOL_LOOSE]),
        None,
    ),
    'output_image': (None, P(allow_image_output=True), None),
    'choice_without_tools': (None, None, {'tool_choice': 'required'}),
    'choice_none_without_tools': (None, None, {'tool_choice': 'none'}),
    'native_web_search': (None, P(native_tools=[WebSearchTool()]), None),
    'native_code': (None, P(native_tools=[CodeExecutionTool()]), None),
    'parallel': (None, TOOLS, {'parallel_tool_calls': True}),
    'not_parallel': (None, TOOLS, {'parallel_tool_calls': False}),
    'not_parallel_without_tools': (None, None, {'parallel_tool_calls': False}),
    'not_parallel_output': (None, OUTPUT, {'parallel_tool_calls': False}),
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
REQUESTS.update({f'choice_{name}': (None, TOOLS, {'tool_choice': choice}) for name, choice in CHOICES.items()})
REQUESTS.update({f'output_choice_{name}': (None, BOTH, {'tool_choice': choice}) for name, choice in CHOICES.items()})
REQUESTS.update(
    {
        f'thinks_{level}': (None, None, {'thinking': level})
        for level in (True, False, 'minimal', 'low', 'medium', 'high', 'xhigh')
    }
)
