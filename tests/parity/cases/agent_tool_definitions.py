"""The definitions that the decorators make of functions and methods; names that are registered twice."""

from _common import attempt, fact, script
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import TextPart

seen = []
agent = Agent(script([TextPart('x')], seen=seen))


@agent.tool(name='renamed', description='for the model', strict=True, metadata={'k': 1}, sequential=True, timeout=3)
def original(ctx: RunContext, n: int) -> int:
    """Not this."""
    return n


@agent.tool_plain
def described(a: int, b: str = 'x') -> str:
    """Do a thing.

    Args:
        a: The first.
        b: The second.
    """
    return b


@agent.tool_plain(requires_approval=True)
def approved():
    return 1


@agent.tool_plain(docstring_format='sphinx')
def sphinx(a: int):
    """Do it.

    :param a: The a.
    """


class Things:
    def method(self, ctx: RunContext, n: int):
        return n


agent.tool(Things().method)


def two(word: str, n: int):
    return word * n


agent.run_sync('q')
for tool in seen[0][1].function_tools:
    fact(
        tool.name,
        [
            tool.description,
            tool.parameters_json_schema,
            tool.strict,
            tool.metadata,
            tool.sequential,
            tool.kind,
            tool.timeout,
            tool.outer_typed_dict_key,
        ],
    )
fact('twice', attempt(lambda: agent.tool_plain(name='described')(two)))
fact('twice in the constructor', attempt(lambda: Agent('test', tools=[two, two])))
fact(
    'tools as objects',
    [tool.name for tool in Agent('test', tools=[two, Tool(two, name='other')]).toolsets[0].tools.values()],
)
