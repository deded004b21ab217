from _common import fact
from _toolsets import f, g
from pydantic_ai import Agent
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import CombinedToolset, ExternalToolset, FunctionToolset, WrapperToolset

t, u = FunctionToolset([f, g], id='me'), FunctionToolset([f])
STACKS = {
    'function': t,
    'anonymous': u,
    'external': ExternalToolset([ToolDefinition(name='e')], id='x'),
    'prefixed': t.prefixed('p'),
    'filtered': t.filtered(lambda ctx, definition: True),
    'prepared': t.prepared(lambda ctx, definitions: definitions),
    'approval': t.approval_required(),
    'deferred': t.defer_loading(),
    'return schemas': t.include_return_schemas(),
    'metadata': t.with_metadata(a=1),
    'combined': CombinedToolset([t, u]),
    'combined of none': CombinedToolset([]),
    'wrapper': WrapperToolset(t),
    'deep': CombinedToolset([u.prefixed('a').renamed({'b': 'a_f'}), WrapperToolset(t)]).filtered(lambda ctx, d: True),
}
for name, toolset in STACKS.items():
    fact(name, [toolset.id, toolset.label, toolset.tool_name_conflict_hint])
fact('renamed', [t.renamed({'z': 'f'}).id, t.renamed({'z': 'f'}).label])
dynamic = Agent('test', toolsets=[lambda ctx: t]).toolsets[-1]
fact('dynamic', [dynamic.id, dynamic.label, dynamic.tool_name_conflict_hint])
agent = Agent('test', toolsets=[t])
fact('agent', [[toolset.id, toolset.label] for toolset in agent.toolsets])
fact('empty id', [FunctionToolset(id='').id, FunctionToolset(id='').label])


class Mine(FunctionToolset):
    pass


fact('subclass', [Mine(id='m').label, Mine().prefixed('p').label])
