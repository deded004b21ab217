"""Capabilities that specs know, with all their arguments."""

import json

from _spec import build, capabilities, show
from pydantic_ai.capabilities import SetToolMetadata, Thinking

for entries in (
    ['ReinjectSystemPrompt'],
    [{'ReinjectSystemPrompt': True}],
    [{'ReinjectSystemPrompt': {'replace_existing': True}}],
    ['Thinking', {'Thinking': 'high'}, {'Thinking': {'effort': 'low', 'id': 't2'}}, {'Thinking': False}],
    [{'SetToolMetadata': {'a': 1}}, {'SetToolMetadata': {'tools': ['x'], 'b': [1]}}],
    [
        'IncludeToolReturnSchemas',
        {'IncludeToolReturnSchemas': {'tools': ['a']}},
        {'IncludeToolReturnSchemas': ['a', 'b']},
        {'IncludeToolReturnSchemas': {'tools': {'k': 'v'}}},
    ],
    [
        {'PrefixTools': {'prefix': 'p', 'capability': 'ReinjectSystemPrompt'}},
        {'PrefixTools': {'prefix': 'p', 'capability': {'Thinking': 'low'}}},
    ],
    [
        {
            'PrefixTools': {
                'prefix': 'p',
                'capability': {'PrefixTools': {'prefix': 'q', 'capability': {'Thinking': {'effort': 'high'}}}},
            }
        }
    ],
    ['Instrumentation'],
    [{'Instrumentation': {'version': 3, 'include_content': False}}],
    [{'Instrumentation': {}}],
    [{'BuiltinTool': {'kind': 'web_search'}}],
):
    show(json.dumps(entries), lambda: [repr(item) for item in capabilities(build({'capabilities': entries}))])
show(
    'native',
    lambda: [
        type(item.tool).__name__
        for item in capabilities(
            build(
                {
                    'capabilities': [
                        {'NativeTool': {'kind': 'web_search', 'search_context_size': 'low'}},
                        {'NativeTool': {'kind': 'code_execution'}},
                    ]
                }
            )
        )
    ],
)
show(
    'order',
    lambda: [
        repr(item)
        for item in capabilities(
            build(
                {'capabilities': [{'Thinking': 'low'}, {'SetToolMetadata': {'a': 1}}]},
                capabilities=[Thinking('high'), SetToolMetadata(b=2)],
            )
        )
    ],
)
for entry in (
    'Nope',
    'Hooks',
    'HistoryProcessor',
    'PrefixTools',
    {'Thinking': {'eff': 1}},
    {'Thinking': {'effort': 'low', 'x': 1}},
    {'PrefixTools': {'prefix': 'p'}},
    {'PrefixTools': {'prefix': 'p', 'capability': 'Nope'}},
    {'PrefixTools': 'p'},
    {'Instrumentation': {'foo': 1}},
    {'Instrumentation': 3},
    {'NativeTool': {'kind': 'nope'}},
    {'NativeTool': {'search_context_size': 'low'}},
):
    show(json.dumps(entry), lambda: capabilities(build({'capabilities': [entry]})))
