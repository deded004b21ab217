"""Functions and tools added to a toolset: names, schemas, and `Tool` objects that are adopted."""

from _common import attempt, fact
from _toolsets import f, g, h, listing
from pydantic_ai import Tool
from pydantic_ai.tools import GenerateToolJsonSchema
from pydantic_ai.toolsets import FunctionToolset

toolset = FunctionToolset(id='t')
fact('add_function', type(toolset.add_function(f)).__name__)
fact('add_tool', toolset.add_tool(Tool(g, name='other')))
fact('positional', toolset.add_function(lambda ctx: 1, True, 'named', 'described', 4).max_retries)
fact('tools', list(toolset.tools))
fact(
    'twice',
    [
        attempt(lambda: toolset.add_function(f)),
        attempt(lambda: toolset.add_tool(Tool(h, name='f'))),
        attempt(lambda: FunctionToolset([f, f])),
        attempt(lambda: toolset.tool_plain(name='other')(h)),
    ],
)
fact('still', list(toolset.tools))


def documented(a: int, b: str):
    """Say it.

    Args:
        a: The a.
        b: The b.
    """


def undocumented(a: int):
    """Say it."""


class Numbers(GenerateToolJsonSchema):
    def int_schema(self, schema):
        return {'type': 'number'}


print('== schemas')
fact(
    'descriptions',
    listing(
        FunctionToolset([documented], require_parameter_descriptions=True), 'description', 'parameters_json_schema'
    ),
)
fact('missing', attempt(lambda: FunctionToolset([undocumented], require_parameter_descriptions=True)))
fact('missing is fine', listing(FunctionToolset([undocumented]), 'parameters_json_schema'))
strict = FunctionToolset(require_parameter_descriptions=True)
fact('own requirement', attempt(lambda: strict.tool_plain(require_parameter_descriptions=False)(undocumented).__name__))
fact('own requirement missing', attempt(lambda: strict.tool_plain(undocumented)))
fact('generator', listing(FunctionToolset([undocumented], schema_generator=Numbers), 'parameters_json_schema'))
fact(
    'docstring format',
    listing(FunctionToolset([documented], docstring_format='numpy'), 'description', 'parameters_json_schema'),
)
titles = FunctionToolset()
titles.tool_plain(schema_generator=Numbers)(undocumented)
titles.tool_plain(docstring_format='sphinx', name='sphinx')(documented)
fact('own', listing(titles, 'description', 'parameters_json_schema'))
print('== Tool objects are adopted')
shared = Tool(f, metadata={'a': 2})
first, second = (
    FunctionToolset([shared], max_retries=2, metadata={'a': 1, 'b': 1}),
    FunctionToolset([shared], max_retries=5, metadata={'c': 1}),
)
fact('shared', [shared.max_retries, shared.metadata, first.tools['f'] is shared, second.tools['f'] is shared])
own = Tool(f, max_retries=0)
FunctionToolset([own], max_retries=3)
fact('own retries', own.max_retries)
