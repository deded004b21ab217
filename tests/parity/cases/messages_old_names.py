"""Old names of attributes and classes; native calls paired with their returns; text and thinking of a response."""

import json
import warnings

import pydantic_ai.messages as m
from _common import attempt, fact
from pydantic_ai.messages import (
    CompactionPart,
    ModelResponse,
    NativeToolCallPart,
    NativeToolReturnPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)

response = ModelResponse(
    [TextPart('x'), NativeToolCallPart('n', {}, 'j'), NativeToolReturnPart('n', 1, 'j')],
    provider_details={'a': 1},
    provider_response_id='r',
)
LOOKED_UP = [
    (response, name)
    for name in ('vendor_details', 'vendor_id', 'provider_request_id', 'builtin_tool_calls', 'native_tool_calls')
] + [
    (m, name) for name in ('BuiltinToolCallPart', 'BuiltinToolReturnPart', 'RequestUsage', 'nope', 'ServerToolCallPart')
]
for owner, name in LOOKED_UP:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        value = attempt(lambda: getattr(owner, name))
    fact(
        name,
        [
            getattr(value, '__name__', None) or json.loads(json.dumps(value, default=lambda part: type(part).__name__)),
            [warning.category.__name__ for warning in caught],
        ],
    )
for parts in ('NNR', 'NRR', 'RN', 'Nr', 'NrR'):
    instances = {
        'N': lambda: NativeToolCallPart('n', {}, 'j'),
        'R': lambda: NativeToolReturnPart('n', 1, 'j'),
        'r': lambda: NativeToolReturnPart('n', 1, 'k'),
    }
    fact(
        parts,
        [
            [call.tool_call_id, answer.tool_call_id]
            for call, answer in ModelResponse([instances[key]() for key in parts]).native_tool_calls
        ],
    )
TEXTS = {
    'T': lambda: TextPart('x'),
    'e': lambda: TextPart(''),
    'H': lambda: ThinkingPart('h'),
    'h': lambda: ThinkingPart(''),
    'C': lambda: ToolCallPart('t'),
    'K': lambda: CompactionPart('k'),
}
for parts in ('', 'T', 'TT', 'e', 'eT', 'TeT', 'THT', 'TCT', 'TKT', 'THTT', 'HH', 'hH', 'HTH', 'eHe'):
    instances = ModelResponse([TEXTS[key]() for key in parts])
    fact(parts, [instances.text, instances.thinking])
