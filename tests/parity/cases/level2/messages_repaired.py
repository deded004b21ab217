"""Histories that are repaired, sanitized, and cut where a summary is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import (
    AgentInstructionSource,
    CachePoint,
    CapabilityLoadDeltaPart,
    CompactionPart,
    ImageUrl,
    InstructionBaselinePart,
    InstructionDeltaPart,
    InstructionId,
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UploadedFile,
    UserPromptPart,
    WorkspaceRef,
    narrow_message_parts,
    post_compaction_window,
    repair_messages,
    sanitize_messages,
)


def ask(*parts: Any, **fields: Any) -> ModelRequest:
    return ModelRequest(parts=list(parts), **fields)


def answer(*parts: Any, **fields: Any) -> ModelResponse:
    return ModelResponse(parts=list(parts), **fields)


def call(id: str, args: Any = None) -> ToolCallPart:
    return ToolCallPart('t', args, id)


def result(id: str, content: Any = 'ok') -> ToolReturnPart:
    return ToolReturnPart('t', content, id)


def show(label: str, messages: Sequence[ModelMessage]) -> None:
    print(label)
    for message in messages:
        parts = [
            (
                part.part_kind,
                getattr(part, 'tool_call_id', None) if 'tool' in part.part_kind else None,
                getattr(part, 'outcome', None),
                str(getattr(part, 'content', None)),
            )
            for part in message.parts
        ]
        print('   ', message.kind, getattr(message, 'instructions', None), parts)


q, z, x = UserPromptPart('q'), UserPromptPart('z'), TextPart('x')
BROKEN: dict[str, list[ModelMessage]] = {
    'whole': [ask(q), answer(call('a')), ask(result('a')), answer(x)],
    'an open call': [ask(q), answer(call('a'), call('b')), ask(result('a'))],
    'an open call at the end': [ask(q), answer(call('a'))],
    'an open call before a prompt': [ask(q), answer(call('a')), ask(z)],
    'a result without a call': [ask(result('n'), q), answer(x)],
    'only a result without a call': [ask(q), answer(x), ask(result('n')), answer(x)],
    'two results': [ask(q), answer(call('a')), ask(result('a'), result('a', 'two'))],
    'two calls of one id': [ask(q), answer(call('a'), call('a')), ask(result('a'))],
    'a late result': [ask(q), answer(call('a')), ask(z), answer(x), ask(result('a'))],
    'two requests': [ask(q), ask(z)],
    'two responses': [ask(q), answer(x), answer(x)],
    'a response first': [answer(x), ask(q)],
    'a retry without a call': [ask(RetryPromptPart('x', tool_name='t', tool_call_id='n'), q)],
    'a native call': [ask(q), answer(NativeToolCallPart('web_search', {}, 'n'))],
    'a prompt before the result': [ask(q), answer(call('a')), ask(z, result('a'))],
    'nothing': [],
}
for name, history in BROKEN.items():
    show(name, repair_messages(history))
    show('    but for the last', repair_messages(history, repair_last_response=False))

files = [
    ImageUrl('https://e.com/a.png'),
    ImageUrl('ftp://x/y.png'),
    ImageUrl('http://e.com/z.png', force_download=True),
]
sent: list[ModelMessage] = [
    ask(
        SystemPromptPart('s'),
        UserPromptPart(['a', *files, UploadedFile('f', 'openai'), CachePoint()]),
        instructions='i',
    ),
    answer(x, CompactionPart('c'), call('a'), workspace_ref=WorkspaceRef(provider='p', id='i')),
    ask(
        result('a', [files[1], 'k']),
        InstructionBaselinePart(instructions=[InstructionPart('i')]),
        InstructionDeltaPart(id=InstructionId(AgentInstructionSource()), content='d'),
        CapabilityLoadDeltaPart(loaded=['c']),
    ),
    answer(call('b'), TextPart('y')),
]
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {'strip_system_prompts': False},
    {'strip_instructions': False},
    {'strip_compaction_parts': True},
    {'allowed_file_url_schemes': ('ftp',)},
    {'allowed_file_url_force_download': (True,)},
    {'allow_uploaded_files': True},
    {'strip_workspace_refs': False},
    {'resolved_tool_call_ids': ('b',)},
)
for options in OPTIONS:
    clean = sanitize_messages(sent, **options)
    show(str(options), clean)
    print('   ', [getattr(message, 'workspace_ref', None) for message in clean])
for name in ('an open call at the end', 'two requests', 'a result without a call'):
    show(name, sanitize_messages(BROKEN[name]))
show('no parts', sanitize_messages([ask(q), answer(), ask(z), answer(x), ask()]))

long = [ask(q), answer(CompactionPart('1'), x), ask(z), answer(x, CompactionPart('2'), x), ask(q)]
show('after the last summary', post_compaction_window(long))
show('a summary in a request', post_compaction_window([ask(q), answer(x), ask(q, CompactionPart('s'), z), answer(x)]))
show('no summary', post_compaction_window(long[:1]))
stored = [ask(ToolReturnPart('load_capability', {'instructions': 'x'}, 'c', tool_kind='capability-load'))]
print([type(part).__name__ for message in narrow_message_parts(stored) for part in message.parts])
