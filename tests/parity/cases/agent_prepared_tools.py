"""`prepare` functions of tools: tools hidden in some steps, and definitions changed for a step."""

from dataclasses import replace

from _common import call, fact, run, script
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import TextPart

seen = []
agent = Agent(script([call('always', {'n': 1})], [call('first', {})], [TextPart('ok')], seen=seen), deps_type=str)


@agent.tool_plain
def always(n: int):
    return n


async def only_first(ctx: RunContext[str], definition):
    return (
        replace(definition, description=f'{ctx.deps} {ctx.run_step} {ctx.retry} {ctx.tool_name}')
        if ctx.run_step == 1
        else None
    )


@agent.tool_plain(prepare=only_first)
def first():
    return 'first'


def stricter(ctx, definition):
    return replace(
        definition, strict=True, parameters_json_schema={**definition.parameters_json_schema, 'extra': ctx.run_step}
    )


@agent.tool_plain(prepare=stricter)
def strict():
    return 's'


run('prepared', agent, 'q', deps='d')
for _, info in seen:
    fact(
        'offered',
        [
            [tool.name, tool.description, tool.strict, tool.parameters_json_schema.get('extra')]
            for tool in info.function_tools
        ],
    )
