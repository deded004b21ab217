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

t = FunctionToolset([f], id='t')


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
        type(made).__name__
        for made in (
            t.prefixed('p'),
            t.renamed({}),
            t.filtered(lambda c, d: True),
            t.prepared(lambda c, d: d),
            t.approval_required(),
            t.defer_loading(),
            t.include_return_schemas(),
            t.with_metadata(),
        )
    ],
)
fact(
    'arguments',
    [
        t.prefixed('p').prefix,
        t.renamed({'a': 'b'}).name_map,
        t.with_metadata(a=1).metadata,
        t.defer_loading().tool_names,
        sorted(t.defer_loading(['f', 'f']).tool_names),
        type(t.defer_loading(['f']).tool_names).__name__,
    ],
)
fact(
    'by hand',
    [
        PrefixedToolset(t, 'p').prefix,
        PrefixedToolset(wrapped=t, prefix='q').prefix,
        RenamedToolset(t, {'a': 'f'}).name_map,
        SetMetadataToolset(t, {'a': 1}).metadata,
        SetMetadataToolset(t, metadata={'b': 1}).metadata,
        DeferredLoadingToolset(t).tool_names,
        CombinedToolset(toolsets=[t]).toolsets == [t],
    ],
)
fact(
    'equal',
    [
        t.prefixed('p') == t.prefixed('p'),
        t.prefixed('p') == t.prefixed('q'),
        t == FunctionToolset([f], id='t'),
        CombinedToolset([t]) == CombinedToolset([t]),
        WrapperToolset(t) == WrapperToolset(t),
    ],
)
default = t.approval_required().approval_required_func
fact('default approval', default(context(), ToolDefinition(name='x'), {}))
fact(
    'replaced',
    [replace(t.prefixed('p'), prefix='q').prefix, replace(t.with_metadata(a=1), wrapped=named('x')).metadata],
)
