"""`apply` and `visit_and_replace`: the leaves of every kind of toolset, and stacks with new leaves."""

from _common import fact
from _toolsets import Watched, leaves, listing, named
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import CombinedToolset, ExternalToolset

A, B = named('a', id='A'), named('b', id='B')
STACKS = {
    'leaf': A,
    'external': ExternalToolset([ToolDefinition(name='e')], id='E'),
    'prefixed': A.prefixed('p'),
    'combined': CombinedToolset([A, B.prefixed('x')]),
    'deep': CombinedToolset([A, CombinedToolset([B])]).filtered(lambda ctx, definition: True).renamed({'z': 'a'}),
    'deferred': A.defer_loading(['a']),
    'metadata': A.with_metadata(a=1),
    'return schemas': A.include_return_schemas(),
    'approval': A.approval_required(),
    'prepared': A.prepared(lambda ctx, definitions: definitions),
    'subclass': Watched(A, 'w'),
}
for name, stack in STACKS.items():
    print('==', name)
    fact('leaves', leaves(stack))
    same = stack.visit_and_replace(lambda leaf: leaf)
    fact('same', [same is stack, type(same).__name__, same.label == stack.label])
    new = stack.visit_and_replace(lambda leaf: named(leaf.id.lower(), 'more_' + leaf.id, id=f'new {leaf.id}'))
    fact('new', [type(new).__name__, new.label, leaves(new), listing(new)])
    fact('old', [leaves(stack), listing(stack)])
stacked = A.with_metadata(m=1).defer_loading().include_return_schemas().visit_and_replace(lambda leaf: B)
fact('settings stay', listing(stacked, 'metadata', 'defer_loading', 'include_return_schema'))
fact('tag stays', Watched(A, 'tag').visit_and_replace(lambda leaf: B).tag)
