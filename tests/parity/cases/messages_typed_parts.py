from _common import *

CASES = [
    (ToolCallPart, dict(tool_name='search_tools', args={'queries': ['a']}, tool_kind='tool-search')),
    (ToolCallPart, dict(tool_name='x', args={'queries': ['a']})),
    (ToolCallPart, dict(tool_name='load_capability', args='{"id":"q"}', tool_kind='capability-load')),
    (ToolReturnPart, dict(tool_name='search_tools', content={'discovered_tools': []}, tool_kind='tool-search')),
    (NativeToolCallPart, dict(tool_name='tool_search', args={'queries': ['a']}, tool_kind='tool-search')),
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
