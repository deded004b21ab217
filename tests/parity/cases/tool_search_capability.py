"""The capability: its fields, its place in the chain, its native tool, its name in specs."""

import dataclasses

from _disclosure import show
from pydantic_ai.capabilities import ToolSearch

for options in (
    {},
    {'strategy': 'keywords'},
    {'strategy': 'bm25'},
    {'strategy': 'regex'},
    {'strategy': lambda ctx, queries, tools: []},
):
    with_options = ToolSearch(**options)
    show(
        'native',
        [
            [tool.kind, tool.optional, tool.strategy, tool.unique_id, tool.label]
            for tool in with_options.get_native_tools()
        ],
    )
    show(
        'rest',
        [
            with_options.get_ordering().position,
            with_options.get_toolset(),
            with_options.get_instructions(),
            with_options.get_model_settings(),
            with_options.max_results,
            with_options.id,
        ],
    )
show('spec', ToolSearch.get_serialization_name())
show(
    'positional',
    [
        value
        for name, value in dataclasses.asdict(ToolSearch('keywords', 3, 'Find.', 'Words.')).items()
        if name[0] != '_' and name not in ('max_queries', 'max_query_length')
    ],
)
show('repr', repr(ToolSearch('keywords')))
