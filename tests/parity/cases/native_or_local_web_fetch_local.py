"""What `WebFetch` takes as its local tool, and which domains that keeps to."""

import json

from _native_or_local import mine, show
from pydantic_ai import Tool
from pydantic_ai.capabilities import WebFetch
from pydantic_ai.native_tools import WebFetchTool
from pydantic_ai.toolsets import FunctionToolset

for name, value in [
    ('true', True),
    ('function', mine),
    ('tool', Tool(mine, name='t')),
    ('toolset', FunctionToolset([mine])),
    ('unknown', 'x'),
]:
    show([name, 'native'], lambda: WebFetch(local=value))
    show([name, 'no native'], lambda: WebFetch(native=False, local=value))

for options in [
    {},
    {'allowed_domains': ['a']},
    {'blocked_domains': ['b']},
    {'native': WebFetchTool(allowed_domains=['z'])},
]:
    tool = WebFetch(local=True, **options).local.function.__self__
    print(
        json.dumps(
            [
                list(options),
                tool.allowed_domains,
                tool.blocked_domains,
                tool.allow_local_urls,
                tool.max_content_length,
                tool.max_download_bytes,
                tool.timeout,
                tool.headers,
            ]
        )
    )
