"""The tools that are available while those of the next step are prepared, and inside of tools."""

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

seen = []


def note(where, ctx):
    seen.append([where, ctx.run_step, sorted(ctx.available_tool_names)])


class Hooks(AbstractCapability):
    async def before_run(self, ctx):
        note('before_run', ctx)

    async def prepare_tools(self, ctx, tool_defs):
        note('prepare_tools', ctx)
        return [definition for definition in tool_defs if definition.name != 'u' or ctx.run_step != 2]

    async def prepare_output_tools(self, ctx, tool_defs):
        note('prepare_output_tools', ctx)
        return tool_defs

    async def after_run(self, ctx, *, result):
        note('after_run', ctx)
        return result


def answer(messages, info):
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    return ModelResponse(parts=[TextPart('done') if turn == 3 else ToolCallPart('t', {}, f'c{turn}')])


agent = Agent(FunctionModel(answer), capabilities=[Hooks()], output_type=[str, int])


def prepare(ctx, definition):
    note('prepare', ctx)
    return definition


@agent.tool
def t(ctx):
    note('tool', ctx)
    return 1


@agent.tool(prepare=prepare)
def u(ctx):
    return 1


@agent.toolset
def more(ctx):
    note('toolset', ctx)


agent.run_sync('hi')
for row in seen:
    fact(row[0], row[1:])
