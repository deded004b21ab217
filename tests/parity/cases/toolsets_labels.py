"""Ids, labels and hints about conflicting names, for every kind of toolset."""

from _common import fact
from _toolsets import f, g
from pydantic_ai import Agent
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import CombinedToolset, ExternalToolset, FunctionToolset, WrapperToolset

labelled, unlabelled = FunctionToolset([f, g], id='me'), FunctionToolset([f])
STACKS = {
    'function': labelled,
    'anonymous': unlabelled,
    'external': ExternalToolset([ToolDefinition(name='e')], id='x'),
    'prefixed': labelled.prefixed('p'),
    'filtered': labelled.filtered(lambda ctx, definition: True),
    'prepared': labelled.prepared(lambda ctx, definitions: definitions),
    'approval': labelled.approval_required(),
    'deferred': labelled.defer_loading(),
    'return schemas': labelled.include_return_schemas(),
    'metadata': labelled.with_metadata(a=1),
    'combined': CombinedToolset([labelled, unlabelled]),
    'combined of none': CombinedToolset([]),
    'wrapper': WrapperToolset(labelled),
    'deep': CombinedToolset([unlabelled.prefixed('a').renamed({'b': 'a_f'}), WrapperToolset(labelled)]).filtered(
        lambda ctx, definition: True
    ),
}
for name, toolset in STACKS.items():
    fact(name, [toolset.id, toolset.label, toolset.tool_name_conflict_hint])
fact('renamed', [labelled.renamed({'z': 'f'}).id, labelled.renamed({'z': 'f'}).label])
dynamic = Agent('test', toolsets=[lambda ctx: labelled]).toolsets[-1]
fact('dynamic', [dynamic.id, dynamic.label, dynamic.tool_name_conflict_hint])
agent = Agent('test', toolsets=[labelled])
fact('agent', [[toolset.id, toolset.label] for toolset in agent.toolsets])
fact('empty id', [FunctionToolset(id='').id, FunctionToolset(id='').label])


class Mine(FunctionToolset):
    pass


fact('subclass', [Mine(id='m').label, Mine().prefixed('p').label])
