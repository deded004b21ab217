"""What `WebSearch` takes as its local tool."""

from _native_or_local import mine, show
from pydantic_ai import Tool
from pydantic_ai.capabilities import WebSearch
from pydantic_ai.toolsets import FunctionToolset

for name, value in [
    ('duckduckgo', 'duckduckgo'),
    ('true', True),
    ('false', False),
    ('function', mine),
    ('tool', Tool(mine, name='t')),
    ('toolset', FunctionToolset([mine])),
    ('unknown', 'bing'),
    ('empty', ''),
]:
    show([name, 'native'], lambda: WebSearch(local=value))
    show([name, 'no native'], lambda: WebSearch(native=False, local=value))
    show([name, 'function'], lambda: WebSearch(native=lambda ctx: None, local=value))
