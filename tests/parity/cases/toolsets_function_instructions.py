"""Instructions of function toolsets, from each kind of source and through wrappers."""

from _common import attempt, fact
from _toolsets import f, instructions
from pydantic_ai import RunContext
from pydantic_ai.toolsets import CombinedToolset, ExternalToolset, FunctionToolset, WrapperToolset


def plain():
    return 'plain'


def with_context(ctx: RunContext[int]):
    return f'context {ctx.deps}'


async def later():
    return 'later'


async def later_with_context(ctx):
    return f'later {ctx.deps}'


class Caller:
    def __call__(self, ctx):
        return f'object {ctx.deps}'


SOURCES = {
    'none': None,
    'text': 'text',
    'spaces around': ' x ',
    'empty': '',
    'blank': ' \n',
    'function': plain,
    'context': with_context,
    'async': later,
    'async context': later_with_context,
    'object': Caller(),
    'list': ['a', plain, 'b', later_with_context],
    'tuple': ('a', 'b'),
    'empty list': [],
    'nothing to say': lambda: None,
    'empty text': lambda: '',
    'blank text': lambda: '  ',
    'list of nothing': ['', lambda: None],
    'some': ['a', lambda: None, '', 'b'],
}
for name, source in SOURCES.items():
    fact(name, instructions(FunctionToolset([f], instructions=source), deps=5))
toolset = FunctionToolset([f], instructions='one')
fact('returned', toolset.instructions(with_context) is with_context)
toolset.instructions(later)
fact('registered', instructions(toolset, deps=5))
fact('called without', attempt(lambda: toolset.instructions()))
fact('error', instructions(FunctionToolset(instructions=lambda: 1 / 0)))
print('== through wrappers')
WRAPPED = [
    toolset.prefixed('p'),
    toolset.filtered(lambda ctx, definition: False),
    toolset.renamed({'z': 'f'}),
    toolset.prepared(lambda ctx, definitions: None),
    toolset.approval_required(),
    toolset.defer_loading(),
    toolset.with_metadata(a=1),
    WrapperToolset(toolset),
    CombinedToolset([toolset, FunctionToolset(), FunctionToolset(instructions='z')]),
    CombinedToolset([FunctionToolset()]),
    ExternalToolset([]),
]
for wrapped in WRAPPED:
    text = instructions(wrapped, deps=5)
    fact(wrapped.label, text and [getattr(part, 'content', part) for part in text])
