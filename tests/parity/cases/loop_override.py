"""What is overridden inside of a block, inside of a nested one, and after it."""

from _common import fact, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart


def orig_tool():
    return 1


def new_tool():
    return 2


agent = Agent(
    script([TextPart('f')]), name='nm', instructions='orig', tools=[orig_tool], model_settings={'temperature': 0.1}
)
seen = []
with agent.override(
    model=script([TextPart('over')], seen=seen),
    instructions='new',
    name='nn',
    deps=4,
    tools=[new_tool],
    toolsets=[],
    model_settings={'temperature': 0.9},
):
    result = agent.run_sync('q')
    fact(
        'inside',
        [
            result.output,
            result.all_messages()[0].instructions,
            agent.name,
            [tool.name for tool in seen[0][1].function_tools],
            seen[0][1].model_settings,
        ],
    )
    with agent.override(name='inner'):
        fact('nested', [agent.name, agent.run_sync('q').output])
result = agent.run_sync('q')
fact('outside', [result.output, result.all_messages()[0].instructions, agent.name])
