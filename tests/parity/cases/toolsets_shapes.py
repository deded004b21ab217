"""The fields, constructors and equality of the toolset classes."""

from dataclasses import fields, replace

from _common import fact
from _toolsets import context, f, named
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import (
    ApprovalRequiredToolset,
    CombinedToolset,
    DeferredLoadingToolset,
    FilteredToolset,
    FunctionToolset,
    IncludeReturnSchemasToolset,
    PrefixedToolset,
    PreparedToolset,
    RenamedToolset,
    SetMetadataToolset,
    WrapperToolset,
)

toolset_t = FunctionToolset([f], id='t')


def shape(kind):
    return [
        [field.name, field.init, field.default is not field.default_factory]
        for field in fields(kind)
        if field.name[0] != '_'
    ]


for kind in (
    WrapperToolset,
    PrefixedToolset,
    RenamedToolset,
    FilteredToolset,
    PreparedToolset,
    ApprovalRequiredToolset,
    DeferredLoadingToolset,
    IncludeReturnSchemasToolset,
    SetMetadataToolset,
    CombinedToolset,
):
    fact(kind.__name__, [[name for name, *_ in shape(kind)], [init for _, init, _ in shape(kind)]])
for kind in (DeferredLoadingToolset, IncludeReturnSchemasToolset, SetMetadataToolset):
    fact(kind.__name__, [issubclass(kind, PreparedToolset), issubclass(kind, WrapperToolset)])
fact(
    'fluent',
    [
        type(toolset).__name__
        for toolset in (
            toolset_t.prefixed('p'),
            toolset_t.renamed({}),
            toolset_t.filtered(lambda ctx, definition: True),
            toolset_t.prepared(lambda ctx, definitions: definitions),
            toolset_t.approval_required(),
            toolset_t.defer_loading(),
            toolset_t.include_return_schemas(),
            toolset_t.with_metadata(),
        )
    ],
)
fact(
    'arguments',
    [
        toolset_t.prefixed('p').prefix,
        toolset_t.renamed({'a': 'b'}).name_map,
        toolset_t.with_metadata(a=1).metadata,
        toolset_t.defer_loading().tool_names,
        sorted(toolset_t.defer_loading(['f', 'f']).tool_names),
        type(toolset_t.defer_loading(['f']).tool_names).__name__,
    ],
)
fact(
    'by hand',
    [
        PrefixedToolset(toolset_t, 'p').prefix,
        PrefixedToolset(wrapped=toolset_t, prefix='q').prefix,
        RenamedToolset(toolset_t, {'a': 'f'}).name_map,
        SetMetadataToolset(toolset_t, {'a': 1}).metadata,
        SetMetadataToolset(toolset_t, metadata={'b': 1}).metadata,
        DeferredLoadingToolset(toolset_t).tool_names,
        CombinedToolset(toolsets=[toolset_t]).toolsets == [toolset_t],
    ],
)
fact(
    'equal',
    [
        toolset_t.prefixed('p') == toolset_t.prefixed('p'),
        toolset_t.prefixed('p') == toolset_t.prefixed('q'),
        toolset_t == FunctionToolset([f], id='t'),
        CombinedToolset([toolset_t]) == CombinedToolset([toolset_t]),
        WrapperToolset(toolset_t) == WrapperToolset(toolset_t),
    ],
)
default = toolset_t.approval_required().approval_required_func
fact('default approval', default(context(), ToolDefinition(name='x'), {}))
fact(
    'replaced',
    [
        replace(toolset_t.prefixed('p'), prefix='q').prefix,
        replace(toolset_t.with_metadata(a=1), wrapped=named('x')).metadata,
    ],
)
