"""Parts of tool search and of loading capabilities: narrowed by their kind, with typed arguments."""

from _common import attempt, fact
from pydantic_ai.messages import (
    LoadCapabilityCallPart,
    NativeToolCallPart,
    ToolCallPart,
    ToolReturnPart,
    ToolSearchCallPart,
)

CASES = [
    (ToolCallPart, {'tool_name': 'search_tools', 'args': {'queries': ['a']}, 'tool_kind': 'tool-search'}),
    (ToolCallPart, {'tool_name': 'x', 'args': {'queries': ['a']}}),
    (ToolCallPart, {'tool_name': 'load_capability', 'args': '{"id":"q"}', 'tool_kind': 'capability-load'}),
    (ToolReturnPart, {'tool_name': 'search_tools', 'content': {'discovered_tools': []}, 'tool_kind': 'tool-search'}),
    (NativeToolCallPart, {'tool_name': 'tool_search', 'args': {'queries': ['a']}, 'tool_kind': 'tool-search'}),
]
for cls, values in CASES:
    part = cls.narrow_type(cls(**values))
    fact(
        type(part).__name__,
        [
            repr(getattr(part, name, '-'))
            for name in ('queries', 'typed_args', 'capability_id', 'discovered_tools', 'message', 'instructions')
        ],
    )
fact(
    'broken',
    [
        attempt(lambda: LoadCapabilityCallPart(args={'zz': 1}).capability_id),
        attempt(lambda: ToolSearchCallPart(args='{bad').queries),
    ],
)
fact(
    'given kind',
    type(ToolCallPart.narrow_type(ToolCallPart('any', {'queries': ['a']}), tool_kind='tool-search')).__name__,
)
