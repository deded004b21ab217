"""Native tools: their fields, representations, ids and JSON."""

import dataclasses

from _models import attempt, fact
from pydantic import TypeAdapter
from pydantic_ai import native_tools
from pydantic_ai.native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    FileSearchTool,
    ImageGenerationTool,
    MCPServerTool,
    MemoryTool,
    WebFetchTool,
    WebSearchTool,
    XSearchTool,
)

OPTIONS = {
    WebSearchTool: [
        {},
        {'search_context_size': 'high', 'max_uses': 3, 'allowed_domains': ['a.example'], 'optional': True},
        {'user_location': {'city': 'Berlin', 'country': 'DE'}, 'blocked_domains': ['b.example']},
    ],
    CodeExecutionTool: [{}, {'optional': True}],
    WebFetchTool: [
        {},
        {'max_uses': 2, 'allowed_domains': ['a.example'], 'enable_citations': True, 'max_content_tokens': 9},
    ],
    ImageGenerationTool: [
        {},
        {'quality': 'high', 'size': '1024x1024', 'background': 'transparent', 'partial_images': 2},
    ],
    MemoryTool: [{}],
    MCPServerTool: [
        {'id': 'a', 'url': 'https://example.com/mcp'},
        {
            'id': 'a',
            'url': 'https://example.com/mcp',
            'authorization_token': 't',
            'allowed_tools': ['x'],
            'headers': {'h': 'v'},
        },
    ],
    FileSearchTool: [{'file_store_ids': ['x', 'y']}],
    XSearchTool: [{}, {'allowed_x_handles': ['a'], 'enable_image_understanding': True}],
}
for kind, options in OPTIONS.items():
    fact(
        kind.__name__,
        [kind.kind, [field.name for field in dataclasses.fields(kind)], issubclass(kind, AbstractNativeTool)],
    )
    for fields in options:

        def show():
            native_tool = kind(**fields)
            adapter = TypeAdapter(kind)
            dumped = adapter.dump_python(native_tool, mode='json')
            back = adapter.validate_python(dumped) == native_tool
            return [
                repr(native_tool),
                native_tool.unique_id,
                native_tool.label,
                native_tool.kind,
                native_tool.optional,
                dumped,
                back,
            ]

        attempt(f'{kind.__name__} {fields}', show)
fact(
    'equal',
    [
        WebSearchTool() == WebSearchTool(),
        WebSearchTool() == WebSearchTool(max_uses=1),
        MemoryTool() == CodeExecutionTool(),
    ],
)
attempt('without what is needed', MCPServerTool)
attempt('unknown option', WebSearchTool, nonsense=1)
attempt('positional', WebSearchTool, 'low')
fact('names', sorted(name for name in native_tools.__all__ if name[0].isupper()))
for name in sorted(native_tools.NATIVE_TOOL_TYPES if hasattr(native_tools, 'NATIVE_TOOL_TYPES') else ()):
    if name != 'tool_search':
        fact(f'type {name}', native_tools.NATIVE_TOOL_TYPES[name].__name__)
