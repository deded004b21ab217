"""Deltas of tool calls: as parts, and applied to every kind of target."""

from _common import attempt, fact
from pydantic_ai.messages import (
    NativeToolCallPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolSearchCallPart,
)

Delta = ToolCallPartDelta
DELTAS = [
    Delta(),
    Delta(args_delta='x'),
    Delta(args_delta=''),
    Delta(args_delta={}),
    Delta(args_delta={'b': 1}),
    Delta(tool_name_delta='n', tool_call_id='z'),
    Delta(tool_name_delta='', tool_call_id=''),
    Delta(tool_name_delta='n', args_delta='a', tool_call_id='1', provider_name='p', provider_details={'a': 1}),
    Delta(provider_details={'a': 1}),
    Delta(provider_details={}),
    Delta(provider_name='pp'),
]
TARGETS = [
    ToolCallPart('t', None, 'i'),
    ToolCallPart('t', 'a', 'i'),
    ToolCallPart('t', '', 'i'),
    ToolCallPart('t', {'a': 1}, 'i', provider_name='q', provider_details={'a': 0, 'b': 1}, id='x'),
    NativeToolCallPart('t', 'a', 'i'),
    ToolSearchCallPart(args='a', tool_call_id='i'),
    Delta(),
    Delta(args_delta='y'),
    Delta(args_delta={'a': 1}),
    Delta(tool_name_delta='m', args_delta='q', tool_call_id='1', provider_name='q', provider_details={'b': 1}),
    Delta(tool_call_id='w'),
    TextPart('x'),
    TextPartDelta('x'),
    None,
]
for delta in DELTAS:
    fact(repr(delta), attempt(lambda: repr(delta.as_part())))
    for target in TARGETS:

        def apply():
            result = delta.apply(target)
            return [repr(result), result is target]

        fact(f'  {target!r}', attempt(apply))
for delta in (
    TextPartDelta('d', provider_details={}),
    ThinkingPartDelta(),
    ThinkingPartDelta(provider_name='p'),
    ThinkingPartDelta(signature_delta='', provider_details={'a': 1}),
):
    for target in (
        TextPart('x', provider_details={}),
        ThinkingPart('x', id='i', signature='s', provider_details={'b': 2}),
        ThinkingPartDelta(),
        ThinkingPartDelta(content_delta='x', provider_details={'b': 2}),
    ):
        fact(f'{delta!r} {target!r}', attempt(lambda: repr(delta.apply(target))))
