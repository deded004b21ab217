"""Deltas of text, thinking and calls applied to parts and to other deltas."""

from _common import attempt, fact
from pydantic_ai.messages import (
    NativeToolCallPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

fact(
    'text',
    repr(
        TextPartDelta('d', provider_name='p', provider_details={'a': 1}).apply(TextPart('x', provider_details={'b': 2}))
    ),
)
fact(
    'thinking', repr(ThinkingPartDelta(content_delta='d', signature_delta='s').apply(ThinkingPart('x', signature='q')))
)
fact(
    'details',
    repr(
        ThinkingPartDelta(content_delta='d', provider_details=lambda details: {**(details or {}), 'z': 1}).apply(
            ThinkingPart('x', provider_details={'b': 1})
        )
    ),
)
fact(
    'on a delta',
    repr(ThinkingPartDelta(content_delta='d').apply(ThinkingPartDelta(content_delta='x', signature_delta='y'))),
)
Delta = ToolCallPartDelta
for delta, part in (
    (Delta(args_delta='x'), ToolCallPart('t', 'a', 'i')),
    (Delta(args_delta='x'), ToolCallPart('t', None, 'i')),
    (Delta(args_delta={'b': 1}), ToolCallPart('t', {'a': 1}, 'i')),
    (Delta(args_delta='x'), ToolCallPart('t', {'a': 1}, 'i')),
    (Delta(args_delta={'b': 1}), ToolCallPart('t', 'x', 'i')),
    (Delta(tool_name_delta='n', tool_call_id='z'), ToolCallPart('t', 'x', 'i')),
    (Delta(args_delta='x'), Delta(args_delta='y')),
    (Delta(tool_name_delta='n', args_delta={'a': 1}), Delta(tool_name_delta='m', tool_call_id='1')),
    (Delta(args_delta='x'), TextPart('x')),
    (Delta(args_delta='x', provider_name='pp'), NativeToolCallPart('t', 'a', 'i')),
):
    fact('call', attempt(lambda: repr(delta.apply(part))))
fact('as part', [repr(Delta(tool_name_delta='n', tool_call_id='1').as_part()), Delta(args_delta='x').as_part()])
fact(
    'mismatch',
    [
        attempt(lambda: TextPartDelta('d').apply(ThinkingPart('x'))),
        attempt(lambda: ThinkingPartDelta(content_delta='d').apply(TextPart('x'))),
    ],
)
