"""The tool that reads pages: its definition, and links that it does not follow."""

import asyncio
import json

from pydantic_ai.common_tools.web_fetch import WebFetchResult, web_fetch_tool

tool = web_fetch_tool()
definition = tool.tool_def
print(
    json.dumps(
        [
            definition.name,
            definition.description,
            definition.parameters_json_schema,
            definition.strict,
            definition.timeout,
            tool.takes_ctx,
        ]
    )
)
print(json.dumps(sorted(WebFetchResult.__annotations__)))
for url in [
    'ftp://x/y',
    'example',
    'file:///etc/passwd',
    'http://',
    '',
    '//x/y',
    'http://localhost:1/',
    'http://[::1]:1/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://2130706433/',
    'http://169.254.169.254/latest',
    'http://100.100.100.200/',
    'HTTP://127.0.0.1/',
    'http://0.0.0.0/',
]:
    try:
        print(json.dumps([url, asyncio.run(tool.function(url))]))
    except Exception as error:
        print(json.dumps([url, type(error).__name__, str(error).startswith(f'Failed to fetch {url}: ')]))
for options in [{'blocked_domains': ['127.0.0.1']}, {'allowed_domains': ['a.example']}, {'allowed_domains': []}]:
    try:
        print(json.dumps(asyncio.run(web_fetch_tool(allow_local_urls=True, **options).function('http://127.0.0.1:1/'))))
    except Exception as error:
        print(json.dumps([options, type(error).__name__]))
